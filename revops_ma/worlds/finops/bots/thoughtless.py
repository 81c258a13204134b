"""Players that do not think. A benchmark that they do well on measures nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from revops_ma.game import View
from revops_ma.worlds.finops.bots.memory import Memory
from revops_ma.worlds.finops.calls import Call, unreadable
from revops_ma.worlds.finops.seen import Seen
from revops_ma.worlds.finops.slots import options
from revops_ma.worlds.finops.tickets import Family
from revops_ma.worlds.finops.tools import TOOL_NAMES
from revops_ma.worlds.finops.wording import family_of, quoted_names, stated_percent

Luck = Callable[[int], float]
"""Lane -> a number in [0, 1) of the player's own luck at this step."""

TOOL_LANE, ARGUMENT_LANE = 0, 1


def do_nothing(view: View) -> list[Call]:
    """No call at all: every step is an answer that could not be read."""
    return [do_nothing_call(view.public(i), float) for i in range(len(view))]


def submit_at_once(view: View) -> list[Call]:
    """Hand in untouched work."""
    return [submit_call(view.public(i), float) for i in range(len(view))]


def shotgun(view: View) -> list[Call]:
    """List what the ticket is about and write to all of it without looking at the details."""
    return [shotgun_call(view.public(i), float) for i in range(len(view))]


def random_pilot(view: View) -> list[Call]:
    """Any tool with any argument that was shown so far."""
    tools, arguments = view.luck(TOOL_LANE), view.luck(ARGUMENT_LANE)
    lucks = zip(tools, arguments, strict=True)
    return [random_call(view.public(i), pair.__getitem__) for i, pair in enumerate(lucks)]


def do_nothing_call(seen: Seen, luck: Luck) -> Call:
    """The next call of `do_nothing`."""
    return unreadable("idle")


def submit_call(seen: Seen, luck: Luck) -> Call:
    """The next call of `submit_at_once`."""
    return Call("submit")


def random_call(seen: Seen, luck: Luck) -> Call:
    """The next call of `random_pilot`."""
    tool = TOOL_NAMES[int(len(TOOL_NAMES) * luck(TOOL_LANE))]
    choices = options(tool, seen.ticket, seen.log)
    args = choices[int(len(choices) * luck(ARGUMENT_LANE))] if choices else {}
    return Call(tool, args)


def shotgun_call(seen: Seen, luck: Luck) -> Call:
    """The next call of `shotgun`."""
    memory = Memory(seen.log, careful=False)
    return next(_shots(seen.ticket, memory), Call("submit"))


def _shots(ticket: str, memory: Memory) -> Iterator[Call]:
    family = family_of(ticket)
    if family is Family.REFUND:
        yield from _refund_all(ticket, memory)
    elif family is Family.LOYALTY:
        yield from _discount_all(ticket, memory)
    elif family is Family.CROSSCHECK:
        yield from _cancel_all(memory)


def _refund_all(ticket: str, memory: Memory) -> Iterator[Call]:
    name = quoted_names(ticket)[0]
    if name not in memory.searched:
        yield Call("search_customers", {"name": name})
        return
    for row in memory.searched[name]:
        if row["id"] not in memory.invoices:
            yield Call("list_invoices", {"customer_id": row["id"]})
    for rows in memory.invoices.values():
        for row in rows:
            if row["id"] not in memory.written:
                yield Call("create_refund", {"invoice_id": row["id"]})


def _discount_all(ticket: str, memory: Memory) -> Iterator[Call]:
    if memory.customers is None:
        yield Call("list_customers", {})
        return
    percent = stated_percent(ticket)
    for customer_id in memory.customers:
        if customer_id not in memory.written:
            yield Call("apply_discount", {"customer_id": customer_id, "percent": percent})


def _cancel_all(memory: Memory) -> Iterator[Call]:
    if memory.crm_users is None:
        yield Call("list_crm_users", {"status": "cancelled"})
        return
    for user in memory.crm_users:
        if user["email"] not in memory.subscriptions:
            yield Call("get_subscription_by_email", {"email": user["email"]})
    for found in memory.subscriptions.values():
        if found and found["id"] not in memory.written:
            yield Call("cancel_subscription", {"subscription_id": found["id"]})


THOUGHTLESS = {
    "do_nothing": do_nothing_call,
    "submit_at_once": submit_call,
    "shotgun": shotgun_call,
    "random": random_call,
}
"""The four players that an accepted ticket must keep below its ceiling."""
