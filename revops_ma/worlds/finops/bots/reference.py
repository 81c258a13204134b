"""The reference players: they solve every ticket of the three families from tool results alone.

`optimal` takes the fewest steps while nothing disturbs the desk: it reads all, then writes all, and
never looks back. `careful` writes to a record right after it has read it, reads again what an event
says has changed, distrusts answers from the past and works around tools that are down; in calm
weather it takes no more steps.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from revops_ma.game import View
from revops_ma.worlds.finops.bots.memory import Memory, Row
from revops_ma.worlds.finops.calls import Call
from revops_ma.worlds.finops.seen import Seen
from revops_ma.worlds.finops.tickets import Family
from revops_ma.worlds.finops.wording import (
    family_of,
    named_month,
    quoted_names,
    stated_cents,
    stated_percent,
)

SUBMIT = Call("submit")


def optimal(view: View) -> list[Call]:
    """The shortest solution of each case."""
    return [optimal_call(view.public(position)) for position in range(len(view))]


def careful(view: View) -> list[Call]:
    """A solution that survives a desk that changes under its hands."""
    return [careful_call(view.public(position)) for position in range(len(view))]


def optimal_call(seen: Seen) -> Call:
    """The next call of `optimal`: the first thing that is still to be done."""
    memory = Memory(seen.log, careful=False)
    return next(_to_do(seen.ticket, memory, interleave=False), SUBMIT)


def careful_call(seen: Seen) -> Call:
    """The next call of `careful`: the first thing to be done that nothing stands in the way of."""
    memory = Memory(seen.log, careful=True)
    calls = list(_to_do(seen.ticket, memory, interleave=True))
    return next(filter(memory.can_try, calls), calls[0] if calls else SUBMIT)


def _to_do(ticket: str, memory: Memory, interleave: bool) -> Iterator[Call]:
    """Calls that are still to be made, as far as they are known, most pressing first."""
    family = family_of(ticket)
    if family is Family.REFUND:
        yield from _refund(ticket, memory)
    elif family is Family.LOYALTY:
        yield from _loyalty(ticket, memory, interleave)
    elif family is Family.CROSSCHECK:
        yield from _crosscheck(memory, interleave)


def _refund(ticket: str, memory: Memory) -> Iterator[Call]:
    names = quoted_names(ticket)
    if not names:
        return
    if names[0] not in memory.searched:
        yield Call("search_customers", {"name": names[0]})
        return
    for row in memory.searched[names[0]]:
        if row["name"] != names[0]:
            continue
        if row["id"] not in memory.invoices:
            yield Call("list_invoices", {"customer_id": row["id"]})
            return
        pair = _duplicates(memory.invoices[row["id"]], named_month(ticket))
        done = any(each["status"] == "refunded" or each["id"] in memory.written for each in pair)
        if pair and not done:
            yield Call("create_refund", {"invoice_id": pair[-1]["id"]})
            return


def _duplicates(invoices: list[Row], month: str) -> list[Row]:
    """The first group of invoices of a month that are alike."""
    alike: dict[tuple[str, int, str], list[Row]] = defaultdict(list)
    for row in invoices:
        if row["period"].endswith(f"-{month}"):
            alike[row["period"], row["amount_cents"], row["currency"]].append(row)
    return next((rows for rows in alike.values() if len(rows) > 1), [])


def _loyalty(ticket: str, memory: Memory, interleave: bool) -> Iterator[Call]:
    if memory.customers is None:
        yield Call("list_customers", {"status": "active"})
        return
    for customer_id in memory.in_doubt:
        if customer_id not in memory.written:
            yield Call("get_customer", {"customer_id": customer_id})
    writes: list[Call] = []
    for customer_id in _open_customers(memory.customers, memory):
        if customer_id not in memory.invoices:
            yield Call("list_invoices", {"customer_id": customer_id})
        elif _spend(memory.invoices[customer_id]) > stated_cents(ticket):
            args = {"customer_id": customer_id, "percent": stated_percent(ticket)}
            writes.append(Call("apply_discount", args))
            if interleave:
                yield writes.pop()
    yield from writes


def _open_customers(customers: dict[str, Row], memory: Memory) -> list[str]:
    settled = memory.written | memory.in_doubt.keys()
    return [
        found
        for found, row in customers.items()
        if row["status"] == "active" and found not in settled
    ]


def _spend(invoices: list[Row]) -> int:
    return sum(row["amount_cents"] for row in invoices)


def _crosscheck(memory: Memory, interleave: bool) -> Iterator[Call]:
    if memory.crm_users is None:
        yield Call("list_crm_users", {"status": "cancelled"})
        return
    writes: list[Call] = []
    emails = [user["email"] for user in memory.crm_users if user["status"] == "cancelled"]
    for email in emails:
        if email not in memory.subscriptions:
            yield Call("get_subscription_by_email", {"email": email})
            continue
        found = memory.subscriptions[email]
        if found and found["status"] == "active" and found["id"] not in memory.written:
            writes.append(Call("cancel_subscription", {"subscription_id": found["id"]}))
            if interleave:
                yield writes.pop()
    yield from writes
