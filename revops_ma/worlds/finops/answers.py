"""Answers of the desk for people: in one line for a log, as a small table for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from revops_ma.worlds.finops.desk import Response

Row = dict[str, Any]

MOST_ROWS = 3
"""Rows of a longer list that one line names."""


def dollars(cents: int) -> str:
    """Cents as people write them: `$1,250.00`."""
    return f"${cents / 100:,.2f}"


def in_one_line(response: Response) -> str:
    """What a call came to: `2 invoices, $400.00: inv_901 ...`, or why it failed."""
    if not response["ok"]:
        return printable(_reason(response["error"]))
    result = response["result"]
    told = [_LINES[key](value) for key, value in result.items() if key in _LINES]
    if "as_of" in result:
        told.append(f"as it was at step {result['as_of']}")
    return printable("; ".join(told))


def printable(text: str) -> str:
    """A text that cannot drive a terminal: names and descriptions are data of somebody else."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _reason(error: Row) -> str:
    """Why a call failed, with the time to wait where there is one."""
    wait = error.get("retry_after_steps")
    return f"{error['message']}; try again in {wait} steps" if wait else error["message"]


def in_a_table(response: Response) -> list[str]:
    """What a call came to in lines with columns; lists have one line a row."""
    result = response.get("result", {})
    lines = [in_one_line(response)]
    for key, value in result.items():
        if isinstance(value, list):
            lines = [_head(_NOUNS[key], value), *_columns(value)]
    if "as_of" in result and len(lines) > 1:
        lines[0] += f", as it was at step {result['as_of']}"
    return lines


def of_event(event: Row) -> str:
    """A webhook: `customer.updated cus_001`."""
    name, *values = event.values()
    return " ".join(map(str, (name, *values)))


def _columns(rows: Sequence[Row]) -> list[str]:
    """Rows as lines under a head."""
    if not rows:
        return []
    names = [name for name in rows[0] if name not in _LEFT_OUT]
    cells = [
        [_TITLES.get(name, name) for name in names],
        *([_cell(name, row[name]) for name in names] for row in rows),
    ]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if name in _NUMBERS else cell.ljust(width)
            for name, cell, width in zip(names, line, widths, strict=True)
        ).rstrip()
        for line in cells
    ]


_TITLES = {"customer_id": "customer", "amount_cents": "amount", "discount_percent": "% off"}
_NUMBERS = frozenset({"amount_cents", "discount_percent"})
_LEFT_OUT = frozenset({"currency", "issued_on"})
"""Columns that no ticket needs: a line has 80 letters."""


def _cell(name: str, value: object) -> str:
    if name == "amount_cents" and isinstance(value, int):
        return dollars(value)
    if name == "discount_percent":
        return f"{value:g}" if value else "-"
    return printable(str(value))


def _customer(row: Row) -> str:
    discount = f", {row['discount_percent']:g} % off" if row["discount_percent"] else ""
    return f"{row['id']} {row['name']}, {row['status']}{discount}"


def _invoice(row: Row) -> str:
    return f"{row['id']} {dollars(row['amount_cents'])} for {row['period']}, {row['status']}"


def _crm_user(row: Row) -> str:
    return f"{row['id']} {row['email']}, {row['status']}"


def _subscription(row: Row | None) -> str:
    return f"{row['id']} {row['email']}, {row['status']}" if row else "no subscription"


def _refund(row: Row) -> str:
    return f"{row['invoice_id']} refunded, {dollars(row['amount_cents'])}"


def _listed(noun: str, tell: Callable[[Row], str]) -> Callable[[list[Row]], str]:
    def line(rows: list[Row]) -> str:
        if len(rows) < 2:
            return ": ".join((_head(noun, rows), *map(tell, rows)))
        more = ["..."] if len(rows) > MOST_ROWS else []
        return f"{_head(noun, rows)}: {', '.join([*map(_short, rows[:MOST_ROWS]), *more])}"

    return line


def _short(row: Row) -> str:
    """A row as its id, with its amount where it has one."""
    return f"{row['id']} {dollars(row['amount_cents'])}" if "amount_cents" in row else row["id"]


def _head(noun: str, rows: Sequence[Row]) -> str:
    """How many rows there are, and what they come to: `2 invoices, $400.00 together`."""
    told = f"{len(rows) or 'no'} {noun}{'' if len(rows) == 1 else 's'}"
    if len(rows) < 2 or "amount_cents" not in rows[0]:
        return told
    return f"{told}, {dollars(sum(row['amount_cents'] for row in rows))} together"


_NOUNS = {"customers": "customer", "invoices": "invoice", "crm_users": "CRM user"}
_LINES: dict[str, Callable[[Any], str]] = {
    "customers": _listed("customer", _customer),
    "invoices": _listed("invoice", _invoice),
    "crm_users": _listed("CRM user", _crm_user),
    "customer": _customer,
    "invoice": _invoice,
    "subscription": _subscription,
    "refund": _refund,
    "submitted": lambda _: "handed in",
}
"""Key of a result -> how it is told in one line."""
