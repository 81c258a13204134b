"""The case as text: what a person or a language model reads before it moves."""

from __future__ import annotations

import json

from revops_ma.worlds.finops.desk import Desk, Exchange
from revops_ma.worlds.finops.disturbances import KINDS
from revops_ma.worlds.finops.tools import TOOLS

CALL_FORM = '{"tool": "<name>", "args": {<arguments>}}'
DISTURBANCE_FORM = '{"disturbance": "<name or pass>", "target": "<tool or id, may be left out>"}'


def pilot_text(desk: Desk) -> str:
    """Ticket, manual, the whole call log and the form of the answer."""
    lines = [
        f"=== Support desk, case {desk.ticket.task_id}:"
        f" step {desk.steps + 1} of {desk.max_steps} ===",
        "Ticket:",
        desk.ticket_text,
        "",
        "Tools (those marked * change the database for good):",
        *tool_lines(),
        "",
        "Calls so far:",
        *(log_line(number, each) for number, each in enumerate(desk.log, start=1)),
        *([] if desk.log else ["none"]),
        "",
        f"Answer with one JSON object: {CALL_FORM}",
    ]
    return "\n".join(lines)


def tool_lines() -> list[str]:
    """The manual, a line for each tool."""
    return [
        f"  {made.signature}{'*' if made.mutates else ''}: {made.about}" for made in TOOLS.values()
    ]


def log_line(number: int, exchange: Exchange) -> str:
    """One call and its answer."""
    return f"  {number}. {call_caption(exchange)} -> {_compact(exchange.response)}"


def call_caption(exchange: Exchange) -> str:
    """Name a logged call in a few words."""
    call = exchange.call
    if call.unreadable:
        return f"(no call: {call.unreadable})"
    tool = call.tool if call.tool in TOOLS else _compact(call.tool[:40])
    return f"{tool} {_compact(call.args)[:200]}"


def crisis_text(desk: Desk) -> str:
    """The ticket, the database, the pilot's last calls, the disturbances and their price."""
    lines = [
        f"=== Crisis side, case {desk.ticket.task_id}: after step {desk.steps} of"
        f" {desk.max_steps} ===",
        f"Ticket: {desk.ticket_text}",
        f"Severity budget left: {desk.severity_left}",
        f"Last disturbance: {desk.last_kind or 'none'} (no kind works twice in a row)",
        "Customers: " + ", ".join(_customer_lines(desk)),
        "CRM users: " + ", ".join(_crm_lines(desk)),
        "The pilot's last calls:",
        *(f"  {call_caption(exchange)}" for exchange in desk.log[-3:]),
        "",
        "Disturbances:",
        *(
            f"  {kind.name}: severity {kind.severity}, gives the pilot {kind.recovery} more steps"
            for kind in KINDS.values()
        ),
        "",
        f'Answer with one JSON object: {DISTURBANCE_FORM}; late_invoice also takes "amount_cents"',
    ]
    return "\n".join(lines)


def _customer_lines(desk: Desk) -> list[str]:
    return [
        f"{row.id} {row.name!r} {row.status}"
        f" ${sum(i.amount_cents for i in desk.tables.invoices_of(row.id)) / 100:,.2f}"
        for row in desk.tables.customers.values()
    ]


def _crm_lines(desk: Desk) -> list[str]:
    lines = []
    for row in desk.tables.crm_users.values():
        found = desk.tables.subscription_of(row.email)
        lines.append(f"{row.id} {row.status} (billing: {found.status if found else 'none'})")
    return lines


def _compact(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # Half a surrogate pair can stand in JSON but not in UTF-8.
    return text.encode("utf-8", "replace").decode()
