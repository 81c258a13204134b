"""Numbers that each seat may see. The score so far is in none of them."""

from __future__ import annotations

from typing import NamedTuple

from revops_ma.worlds.finops.desk import Desk, Response, Write
from revops_ma.worlds.finops.disturbances import KIND_NAMES
from revops_ma.worlds.finops.slots import shown
from revops_ma.worlds.finops.tickets import Family
from revops_ma.worlds.finops.toolkit import Code
from revops_ma.worlds.finops.tools import TOOL_NAMES

_FAMILIES = tuple(Family)
_CODES = tuple(code.value for code in Code)
_PARAMETERS = ("customer_id", "invoice_id", "email", "subscription_id")


class Field(NamedTuple):
    """One number of an observation, in [0, high]."""

    name: str
    high: float


PILOT_FIELDS = (
    *(Field(f"ticket_{family}", 1) for family in _FAMILIES),
    Field("steps_taken", 400),
    Field("steps_left", 400),
    Field("calls_ok", 400),
    Field("calls_failed", 400),
    Field("writes", 400),
    *(Field(f"last_tool_{name}", 1) for name in TOOL_NAMES),
    Field("last_ok", 1),
    *(Field(f"last_error_{code}", 1) for code in _CODES),
    Field("last_rows", 1000),
    Field("last_rows_active", 1000),
    Field("last_dollars", 1e7),
    Field("last_events", 100),
    *(Field(f"known_{parameter}", 1000) for parameter in _PARAMETERS),
)
"""Everything here can be read off the pilot's own ticket, budget and call log."""

CRISIS_FIELDS = (
    *(Field(f"ticket_{family}", 1) for family in _FAMILIES),
    Field("steps_taken", 400),
    Field("steps_left", 400),
    Field("severity_left", 100),
    *(Field(f"last_{kind}", 1) for kind in KIND_NAMES),
    Field("reads", 400),
    Field("refunds", 400),
    Field("discounts", 400),
    Field("cancellations", 400),
    Field("owed", 1000),
    Field("customers", 1000),
    Field("invoices", 1000),
    Field("crm_users", 1000),
    Field("subscriptions", 1000),
)
"""The crisis side knows the database: `owed` counts golden ids that the pilot has not written."""


def pilot_numbers(desk: Desk) -> list[float]:
    """Numbers of the pilot in the order of PILOT_FIELDS, each cut to its bound."""
    log = desk.log
    good = [exchange for exchange in log if exchange.response["ok"]]
    last_tool = log[-1].call.tool if log else ""
    return _bounded(
        PILOT_FIELDS,
        [
            *_one_hot(desk.ticket.family, _FAMILIES),
            desk.steps,
            max(0, desk.steps_left),
            len(good),
            len(log) - len(good),
            len(desk.writes),
            *_one_hot(last_tool, TOOL_NAMES),
            *_last_numbers(log[-1].response if log else {"ok": False}),
            *(len(shown(log, parameter)) for parameter in _PARAMETERS),
        ],
    )


def _last_numbers(response: Response) -> list[float]:
    rows = [
        row
        for value in response.get("result", {}).values()
        for row in (value if isinstance(value, list) else [value])
        if isinstance(row, dict)
    ]
    return [
        response["ok"],
        *_one_hot(response.get("error", {}).get("code", ""), _CODES),
        len(rows),
        sum(row.get("status") == "active" for row in rows),
        sum(row.get("amount_cents", 0) for row in rows) / 100,
        len(response.get("events", ())),
    ]


def crisis_numbers(desk: Desk) -> list[float]:
    """Numbers of the crisis side in the order of CRISIS_FIELDS, each cut to its bound."""
    tables = desk.tables
    kinds = [len(desk.written(kind)) for kind in Write]
    return _bounded(
        CRISIS_FIELDS,
        [
            *_one_hot(desk.ticket.family, _FAMILIES),
            desk.steps,
            max(0, desk.steps_left),
            desk.severity_left,
            *_one_hot(desk.last_kind, KIND_NAMES),
            len(desk.log) - len(desk.writes),
            *kinds,
            owed(desk),
            len(tables.customers),
            len(tables.invoices),
            len(tables.crm_users),
            len(tables.subscriptions),
        ],
    )


def owed(desk: Desk) -> int:
    """Golden ids that the pilot has not written; of a refund's candidates one is owed."""
    written = {target for _, target in desk.writes}
    if desk.ticket.family is Family.REFUND:
        return 0 if desk.golden & written else 1
    return len(desk.golden - written)


def _one_hot(value: str, words: tuple[str, ...]) -> list[float]:
    return [float(value == word) for word in words]


def _bounded(fields: tuple[Field, ...], numbers: list[float]) -> list[float]:
    return [min(float(n), field.high) for n, field in zip(numbers, fields, strict=True)]
