"""The database of the desk: four tables of immutable rows, money in integer cents.

Rows never change in place: a write puts a new row under the same id. So a copy of the tables is
four shallow copies, and a snapshot costs nothing but that.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar


class Customer(NamedTuple):
    """A customer of the billing system; `status` is active or inactive."""

    id: str
    name: str
    email: str
    status: str
    discount_percent: float = 0


class Invoice(NamedTuple):
    """A charge; `period` is the month it is for, `status` is paid or refunded."""

    id: str
    customer_id: str
    period: str
    issued_on: str
    amount_cents: int
    currency: str = "USD"
    description: str = "Monthly subscription"
    status: str = "paid"


class CrmUser(NamedTuple):
    """A user as the CRM knows it; `status` is active or cancelled."""

    id: str
    name: str
    email: str
    status: str


class Subscription(NamedTuple):
    """A billing subscription, tied to a CRM user by e-mail; `status` is active or cancelled."""

    id: str
    email: str
    plan: str
    status: str


Row = TypeVar("Row", Customer, Invoice, CrmUser, Subscription)


def by_id(rows: Iterable[Row]) -> dict[str, Row]:
    """Make a table: rows under their ids, in the order of the ids."""
    return {row.id: row for row in sorted(rows)}


@dataclass(slots=True)
class Tables:
    """All that the tools can read, each table sorted by id."""

    customers: dict[str, Customer]
    invoices: dict[str, Invoice]
    crm_users: dict[str, CrmUser]
    subscriptions: dict[str, Subscription]

    def copy(self) -> Tables:
        """Copy the tables; the rows are shared because they never change."""
        return Tables(
            self.customers.copy(),
            self.invoices.copy(),
            self.crm_users.copy(),
            self.subscriptions.copy(),
        )

    def all_rows(self) -> dict[str, tuple[object, ...]]:
        """Every row of every table under its id; ids are unique over all tables."""
        return {**self.customers, **self.invoices, **self.crm_users, **self.subscriptions}

    def invoices_of(self, customer_id: str) -> list[Invoice]:
        """The invoices of one customer, by id."""
        return [row for row in self.invoices.values() if row.customer_id == customer_id]

    def subscription_of(self, email: str) -> Subscription | None:
        """The subscription of an e-mail address, upper and lower case alike."""
        folded = email.casefold()
        for row in self.subscriptions.values():
            if row.email.casefold() == folded:
                return row
        return None
