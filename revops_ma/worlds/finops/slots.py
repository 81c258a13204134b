"""Numbered arguments: what a learner of integers can ask for.

A slot of a tool is a number into the arguments that the pilot could honestly name by now: quoted
names of the ticket for a search, statuses for a list, and every id or e-mail that a read has shown
so far, in the order in which they were first shown. A slot beyond them is an invalid argument.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from revops_ma.worlds.finops.calls import Call
from revops_ma.worlds.finops.desk import Desk, Exchange
from revops_ma.worlds.finops.wording import quoted_names, stated_percent

SLOTS = 64
"""Numbered arguments per tool."""

_ROWS = {
    "customers": "customer_id",
    "customer": "customer_id",
    "invoices": "invoice_id",
    "invoice": "invoice_id",
    "subscription": "subscription_id",
    "crm_users": "email",
}
"""Key of a result -> the parameter that its rows can fill."""

_STATUSES = {
    "list_customers": ("active", "inactive", "all"),
    "list_crm_users": ("cancelled", "active", "all"),
}

_PARAMETER = {
    "get_customer": "customer_id",
    "list_invoices": "customer_id",
    "apply_discount": "customer_id",
    "get_invoice": "invoice_id",
    "create_refund": "invoice_id",
    "cancel_subscription": "subscription_id",
    "get_subscription_by_email": "email",
}


def shown(log: Sequence[Exchange], parameter: str) -> list[str]:
    """Ids or e-mails that reads have shown so far, oldest first, for one parameter."""
    found: dict[str, None] = {}
    for exchange in log:
        for key, row in _rows(exchange.response):
            if _ROWS[key] == parameter:
                found.setdefault(row["email" if parameter == "email" else "id"])
            elif parameter == "customer_id" and "customer_id" in row:
                found.setdefault(row["customer_id"])
    return list(found)


def _rows(response: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for key, value in response.get("result", {}).items():
        if key in _ROWS and value is not None:
            for row in value if isinstance(value, list) else [value]:
                yield key, row


def options(tool: str, ticket: str, log: Sequence[Exchange]) -> list[dict[str, Any]]:
    """The argument objects that the slots of a tool stand for, given what was shown so far."""
    if tool == "submit":
        return [{}]
    if tool == "search_customers":
        return [{"name": name} for name in quoted_names(ticket)]
    if tool in _STATUSES:
        return [{"status": status} for status in _STATUSES[tool]]
    parameter = _PARAMETER.get(tool)
    if parameter is None:
        return []
    more = {"percent": stated_percent(ticket)} if tool == "apply_discount" else {}
    return [{parameter: value, **more} for value in shown(log, parameter)]


def resolved(desk: Desk, call: Call) -> Call:
    """The call with its slot replaced by the arguments it stands for."""
    choices = options(call.tool, desk.ticket.text, desk.log)
    slot = -1 if call.slot is None else call.slot
    args = choices[slot] if 0 <= slot < len(choices) else {"slot": slot}
    return Call(call.tool, args, None, call.unreadable)
