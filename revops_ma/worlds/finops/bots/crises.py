"""Crisis sides: from none to one that tries everything it can afford."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from revops_ma.game import View
from revops_ma.worlds.finops.bots.reference import optimal_call
from revops_ma.worlds.finops.calls import NOTHING, Disturbance
from revops_ma.worlds.finops.desk import Desk
from revops_ma.worlds.finops.disturbances import KIND_NAMES, KINDS, MAX_AMOUNT, Kind
from revops_ma.worlds.finops.engine import serve
from revops_ma.worlds.finops.seen import seen
from revops_ma.worlds.finops.storm import NoEffect, allows, attempt


def no_crisis(view: View) -> list[Disturbance]:
    """Pass every turn."""
    return [NOTHING] * len(view)


def random_crisis(view: View) -> list[Disturbance]:
    """One of the kinds that are allowed now, uniformly, at whatever target luck picks."""
    return [
        _one_of(np.flatnonzero(mask), luck)
        for mask, luck in zip(view.mask, view.luck(0), strict=True)
    ]


def _one_of(kinds: np.ndarray, luck: float) -> Disturbance:
    if len(kinds) == 0:
        return NOTHING
    return Disturbance(KIND_NAMES[kinds[int(len(kinds) * luck)]])


def late_invoice(view: View) -> list[Disturbance]:
    """Push a customer that the pilot has already looked at over the threshold, by one cent."""
    games, rows = view.secrets()
    return [_late_invoice(games[row]) for row in rows]


def _late_invoice(desk: Desk) -> Disturbance:
    asked = [each.call.args for each in desk.log if each.call.tool == "list_invoices"]
    looked_at = {str(args.get("customer_id")) for args in asked if isinstance(args, dict)}
    over = desk.ticket.policy.over_cents
    best = NOTHING
    for row in desk.tables.customers.values():
        spend = sum(each.amount_cents for each in desk.tables.invoices_of(row.id))
        short = over - spend + 1
        if row.status == "active" and row.id in looked_at and 0 < short <= MAX_AMOUNT:
            best = Disturbance("late_invoice", row.id, short)
    return best


def worst(view: View) -> list[Disturbance]:
    """Try every affordable disturbance and strike with the one that costs the pilot most.

    Its model of the pilot is `optimal`, which plays the changed case to its end; where nothing
    lowers that return, it saves its budget.
    """
    games, rows = view.secrets()
    return [worst_move(games[row]) for row in rows]


def worst_move(desk: Desk) -> Disturbance:
    """The most harmful move on one desk; the first in the order of the rulebook among equals."""
    best, lowest = NOTHING, return_of_optimal(desk) - 1e-9
    for move in _affordable(desk):
        tried = attempt(desk, move)
        if not isinstance(tried, NoEffect):
            value = return_of_optimal(tried[0])
            if value < lowest:
                best, lowest = tried[1], value
    return best


def _affordable(desk: Desk) -> Iterator[Disturbance]:
    for kind in KINDS.values():
        if allows(desk, kind):
            for target in _worth_trying(desk, kind):
                amount = desk.ticket.policy.over_cents if kind.name == "late_invoice" else 0
                yield Disturbance(kind.name, target, amount)


def _worth_trying(desk: Desk, kind: Kind) -> list[str]:
    targets = list(kind.targets(desk))
    # A text carries the same words wherever it stands.
    return targets[:1] if kind.name == "injection" else targets


def return_of_optimal(desk: Desk) -> float:
    """Return of the pilot if `optimal` plays on and nothing more happens."""
    future = desk.copy()
    while future.ending is None:
        serve(future, optimal_call(seen(future)))
    return future.total
