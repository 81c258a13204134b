"""What a player knows, rebuilt from the public call log before every move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from revops_ma.worlds.finops.calls import Call
from revops_ma.worlds.finops.desk import Exchange
from revops_ma.worlds.finops.tools import TOOLS

Row = dict[str, Any]

_WRITES = {
    "create_refund": "invoice_id",
    "apply_discount": "customer_id",
    "cancel_subscription": "subscription_id",
}


class Memory:
    """Facts out of a call log.

    A careless player takes every answer at its word. A careful one drops answers from the past
    (`as_of`), forgets what an event says has changed, and notes which tools are down.
    """

    def __init__(self, log: Sequence[Exchange], careful: bool) -> None:
        self.searched: dict[str, list[Row]] = {}
        """Text searched for -> customers found."""
        self.customers: dict[str, Row] | None = None
        """Customers by id as last shown, None before a list was read."""
        self.in_doubt: dict[str, None] = {}
        """Customers that have changed since they were shown, in order."""
        self.invoices: dict[str, list[Row]] = {}
        """Customer id -> invoices as last listed."""
        self.crm_users: list[Row] | None = None
        """CRM users as last listed."""
        self.subscriptions: dict[str, Row | None] = {}
        """E-mail -> subscription as last shown."""
        self.written: set[str] = set()
        """Ids that were written to, by us or before."""
        self.blocked: set[str] = set()
        """Tools that are known to be down at the next step; "reads" for a rate limit."""
        self._careful = careful
        self._steps = len(log)
        for step, exchange in enumerate(log, start=1):
            self._learn(exchange)
            if careful:
                self._hear(exchange.response.get("events", ()), step)

    def _learn(self, exchange: Exchange) -> None:
        call, response = exchange
        tool = TOOLS.get(call.tool)
        args = tool.check(call.args) if tool else None
        if not isinstance(args, dict):
            return
        if response["ok"]:
            result = response["result"]
            if not (self._careful and "as_of" in result):
                self._file(call.tool, args, result)
        elif response["error"].get("reason") and call.tool in _WRITES:
            self.written.add(args[_WRITES[call.tool]])

    def _file(self, tool: str, args: Row, result: Row) -> None:
        if tool == "search_customers":
            self.searched[args["name"]] = result["customers"]
        elif tool == "list_customers" and args.get("status") != "inactive":
            self.customers = {row["id"]: row for row in result["customers"]}
            self.in_doubt.clear()
        elif tool == "get_customer":
            row = result["customer"]
            if self.customers is not None:  # one customer is no list of them
                self.customers[row["id"]] = row
            self.in_doubt.pop(row["id"], None)
        elif tool == "list_invoices":
            self.invoices[args["customer_id"]] = result["invoices"]
        else:
            self._file_more(tool, args, result)

    def _file_more(self, tool: str, args: Row, result: Row) -> None:
        if tool == "list_crm_users" and args["status"] != "active":
            self.crm_users = result["crm_users"]
        elif tool == "get_subscription_by_email":
            self.subscriptions[args["email"]] = result["subscription"]
        elif tool in _WRITES:
            self.written.add(args[_WRITES[tool]])

    def _hear(self, events: Sequence[Row], step: int) -> None:
        for event in events:
            what = event["event"]
            if what in ("customer.created", "customer.updated"):
                self.in_doubt[event["customer_id"]] = None
            elif what.startswith("invoice."):
                self.invoices.pop(event["customer_id"], None)
            elif what.startswith("crm_user."):
                self.crm_users = None
            elif "steps" in event and step + event["steps"] > self._steps:
                self.blocked.add(event.get("tool", "reads"))

    def can_try(self, call: Call) -> bool:
        """Whether nothing is known to stand in the way of a call."""
        is_read = call.tool not in _WRITES and call.tool != "submit"
        return call.tool not in self.blocked and not (is_read and "reads" in self.blocked)
