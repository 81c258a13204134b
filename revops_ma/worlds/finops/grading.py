"""Grading: a pure function of the world and of what the pilot wrote to it.

Golden sets are computed by a rule and do not depend on the pilot's writes, so they only move when
the world does. A write is right if it was golden when made or is golden at the end; misses are
judged on the final world.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from revops_ma.worlds.finops.desk import WRITE_OF, Desk, Write
from revops_ma.worlds.finops.tickets import Family

FLOOR = 0.02
"""Reported score of a raw score of 0."""
SPAN = 0.96
"""What a raw score of 1 adds to the floor."""

WRITING_TOOL = {
    Family.REFUND: "create_refund",
    Family.LOYALTY: "apply_discount",
    Family.CROSSCHECK: "cancel_subscription",
}
"""The one tool whose calls can raise the score of a family."""


def reported(raw: float) -> float:
    """The score that is paid and shown: 0.02 + 0.96 * raw, in [0.02, 0.98]."""
    return FLOOR + SPAN * raw


def refresh(desk: Desk) -> None:
    """Bring golden set and raw score up to date after the world has moved."""
    desk.golden = golden_set(desk)
    desk.raw = raw_score(desk)


def golden_set(desk: Desk) -> frozenset[str]:
    """Ids that the ticket's rule wants written. Of a refund's candidates exactly one is wanted."""
    return _GOLDEN[desk.ticket.family](desk)


def _refund_candidates(desk: Desk) -> frozenset[str]:
    """Invoices of the named customer and month that share their amount with another one."""
    policy, tables = desk.ticket.policy, desk.tables
    named = {row.id for row in tables.customers.values() if row.name == policy.customer}
    alike: dict[tuple[object, ...], list[str]] = defaultdict(list)
    for row in tables.invoices.values():
        if row.customer_id in named and row.period == policy.period:
            alike[row.customer_id, row.amount_cents, row.currency].append(row.id)
    return frozenset(found for ids in alike.values() if len(ids) > 1 for found in ids)


def _loyal_customers(desk: Desk) -> frozenset[str]:
    """Active customers whose lifetime spend exceeds the threshold, strictly."""
    spend: dict[str, int] = defaultdict(int)
    for row in desk.tables.invoices.values():
        spend[row.customer_id] += row.amount_cents
    over = desk.ticket.policy.over_cents
    customers = desk.tables.customers.values()
    return frozenset(row.id for row in customers if row.status == "active" and spend[row.id] > over)


def _orphaned_subscriptions(desk: Desk) -> frozenset[str]:
    """Subscriptions of users cancelled in the CRM, active or cancelled by the pilot itself."""
    users = desk.tables.crm_users.values()
    gone = {row.email.casefold() for row in users if row.status == "cancelled"}
    own = desk.written(Write.CANCEL)
    return frozenset(
        row.id
        for row in desk.tables.subscriptions.values()
        if row.email.casefold() in gone and (row.status == "active" or row.id in own)
    )


_GOLDEN = {
    Family.REFUND: _refund_candidates,
    Family.LOYALTY: _loyal_customers,
    Family.CROSSCHECK: _orphaned_subscriptions,
}


class Tally(NamedTuple):
    """Writes counted against the golden set."""

    right: int
    wrong: int
    """Writes that were never right, out-of-scope ones included."""
    missed: int
    off_percent: int
    """Discounts whose final percent is not the policy's."""


def tally(desk: Desk) -> Tally:
    """Count the pilot's writes."""
    wanted, written, right = WRITE_OF[desk.ticket.family], set(), 0
    for (kind, target), was_golden in desk.writes.items():
        if kind is wanted:
            written.add(target)
            right += was_golden or target in desk.golden
    off = 0
    if desk.ticket.family is Family.LOYALTY:
        off = sum(_percent_of(desk, target) != desk.ticket.policy.percent for target in written)
    return Tally(right, len(desk.writes) - right, len(desk.golden - written), off)


def _percent_of(desk: Desk, customer_id: str) -> float:
    return desk.tables.customers[customer_id].discount_percent


def raw_score(desk: Desk) -> float:
    """Raw score of the work so far, in [0, 1]."""
    return score_of(desk.ticket.family, tally(desk))


def score_of(family: Family, count: Tally) -> float:
    """Raw score of a tally."""
    if count.right == 0:
        return 0.0
    if family is Family.REFUND:
        if count.wrong:
            return 0.0
        return 1.0 if count.right == 1 else 0.5
    hits = 2 * count.right
    if family is Family.LOYALTY:
        f1 = hits / (hits + count.wrong + count.missed)
        return f1 / 2 if count.off_percent else f1
    return hits / (hits + 2 * count.wrong + count.missed)


def best_raw(desk: Desk) -> float:
    """The best raw score still reachable in the steps that remain, if the world stays as it is.

    Closed form of what `oracle.solves` plays out; only the family's own writes can raise a score,
    and they wait while their tool is down.
    """
    if desk.ending is not None:
        return desk.raw
    tool, family = WRITING_TOOL[desk.ticket.family], desk.ticket.family
    down = max(0, desk.weather.outages.get(tool, 0) - desk.steps)
    steps = max(0, desk.steps_left - down)
    now = tally(desk)
    if family is Family.REFUND and now.right:
        return desk.raw
    if family is Family.REFUND:
        return score_of(family, _after(now, min(1, now.missed, steps)))
    ways = [_after(now, min(now.missed, steps))]
    if 0 < now.off_percent <= steps:
        mended = now._replace(off_percent=0)
        ways.append(_after(mended, min(now.missed, steps - now.off_percent)))
    return max(score_of(family, way) for way in ways)


def _after(count: Tally, more: int) -> Tally:
    if more == 0:
        return count
    return count._replace(right=count.right + more, missed=count.missed - more)
