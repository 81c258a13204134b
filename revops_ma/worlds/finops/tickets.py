"""Tickets: what the customer wrote, the policy that decides it, and the database it is about."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from revops_ma.worlds.finops.tables import (
    CrmUser,
    Customer,
    Invoice,
    Subscription,
    Tables,
    by_id,
)


class Family(StrEnum):
    """The three kinds of ticket; each has its rule in `grading`."""

    REFUND = "refund"
    """Refund exactly one of two identical invoices of the named customer."""
    LOYALTY = "loyalty"
    """Discount every active customer whose lifetime spend is over a threshold."""
    CROSSCHECK = "crosscheck"
    """Cancel active subscriptions of users whose CRM status is cancelled."""


class Policy(NamedTuple):
    """The figures that a family's rule needs; the ticket says them in words."""

    customer: str = ""
    """Full name of the customer of a refund ticket."""
    period: str = ""
    """Month of the double charge, like 2026-03."""
    over_cents: int = 50_000
    """Lifetime spend that a loyal customer exceeds, strictly."""
    percent: int = 10
    """The loyalty discount."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """A ticket that can be dealt any number of times."""

    task_id: str
    family: Family
    text: str
    max_steps: int
    policy: Policy
    customers: tuple[Customer, ...] = ()
    invoices: tuple[Invoice, ...] = ()
    crm_users: tuple[CrmUser, ...] = ()
    subscriptions: tuple[Subscription, ...] = ()

    def tables(self) -> Tables:
        """A fresh database."""
        return Tables(
            by_id(self.customers),
            by_id(self.invoices),
            by_id(self.crm_users),
            by_id(self.subscriptions),
        )


_STATUSES: dict[type, tuple[str, ...]] = {
    Customer: ("active", "inactive"),
    Invoice: ("paid", "refunded"),
    CrmUser: ("active", "cancelled"),
    Subscription: ("active", "cancelled"),
}


class TicketData(BaseModel):
    """A ticket as data: an entry of `tasks.json`, or `[rules.own]` of a scenario card."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    family: Family
    policy: Policy = Policy()
    ticket: str = Field(min_length=10)
    max_steps: int = Field(ge=1, le=200)
    customers: list[Customer] = []
    invoices: list[Invoice] = []
    crm_users: list[CrmUser] = []
    subscriptions: list[Subscription] = []
    golden: dict[str, Any] = {}
    """The pinned answer; tests hold it against the rule, grading never reads it."""
    traps: dict[str, Any] = {}
    """What a careless pilot falls into; documentation only."""
    optimal_steps: int | None = None

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        rows = (*self.customers, *self.invoices, *self.crm_users, *self.subscriptions)
        ids = [row.id for row in rows]
        if doubled := sorted({found for found in ids if ids.count(found) > 1}):
            raise ValueError(f"ids must be unique over all tables; twice: {', '.join(doubled)}")
        for row in rows:
            known = _STATUSES[type(row)]
            if row.status not in known:
                raise ValueError(f"status of {row.id}: {row.status!r}; allowed: {', '.join(known)}")
        customers = {row.id for row in self.customers}
        for invoice in self.invoices:
            if invoice.amount_cents < 0 or invoice.customer_id not in customers:
                raise ValueError(f"{invoice.id}: a customer of the ticket pays 0 cents or more")
        return self

    def named(self, task_id: str) -> Ticket:
        """Make the ticket."""
        return Ticket(
            task_id,
            self.family,
            self.ticket,
            self.max_steps,
            self.policy,
            tuple(self.customers),
            tuple(self.invoices),
            tuple(self.crm_users),
            tuple(self.subscriptions),
        )


@cache
def fixed_tasks() -> dict[str, TicketData]:
    """The three fixed tasks by id, from `tasks.json`."""
    text = files("revops_ma.worlds.finops").joinpath("tasks.json").read_text(encoding="utf-8")
    return {name: TicketData.model_validate(data) for name, data in json.loads(text).items()}
