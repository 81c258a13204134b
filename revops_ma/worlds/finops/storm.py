"""The crisis side's turn: a disturbance takes effect whole, or is a recorded no-op.

It is tried on a copy first. It counts only if the severity budget pays for it, it is not the kind
of the last one, and the four invariants hold afterwards: an oracle still reaches raw score 1.0 in
the steps that remain, no right write became wrong, everything that changed can be seen, and luck
is keyed (whatever is left open is picked by the game's own luck).
"""

from __future__ import annotations

from enum import StrEnum

from revops_ma.worlds.finops import grading
from revops_ma.worlds.finops.calls import NOTHING, PASS, Disturbance
from revops_ma.worlds.finops.desk import WORLD_SALT, Desk, Exchange, Strike
from revops_ma.worlds.finops.disturbances import (
    DEFAULT_AMOUNTS,
    KINDS,
    MAX_AMOUNT,
    Event,
    Kind,
    finished_rows,
    right_writes,
)
from revops_ma.worlds.finops.oracle import solves

_TARGET_LANE, _AMOUNT_LANE = 0, 1


class NoEffect(StrEnum):
    """Why a disturbance came to nothing."""

    UNKNOWN = "unknown_kind"
    """There is no such disturbance."""
    OVER_BUDGET = "over_budget"
    """The severity budget does not pay for it."""
    REPEATED = "repeated"
    """It is the kind of the last disturbance."""
    NO_TARGET = "no_target"
    """There is nothing of that name that it may hit, or the amount is out of range."""
    UNSOLVABLE = "unsolvable"
    """No oracle could reach raw score 1.0 any more."""
    SPOILS_WORK = "spoils_work"
    """A write that was right would become wrong, or finished work would be hit."""
    HIDDEN = "hidden"
    """Something would change that no tool and no event shows."""
    OFF_RULE = "off_rule"
    """The golden set would change by a kind that must leave it alone."""


def strike(desk: Desk, move: Disturbance) -> Strike:
    """Play one crisis turn on the desk and record it; it pays nothing by itself."""
    found = desk.tables.copy() if desk.rules.severity_budget else desk.snapshot
    result = attempt(desk, move)
    if isinstance(result, NoEffect):
        turn = Strike(desk.steps, move, NOTHING, result.value)
    else:
        changed, played = result
        for name in Desk.__slots__:
            setattr(desk, name, getattr(changed, name))
        turn = Strike(desk.steps, move, played)
    desk.strikes = [*desk.strikes, turn]
    desk.snapshot, desk.snapshot_step = found, desk.steps
    desk.crisis_due = False
    return turn


def attempt(desk: Desk, move: Disturbance) -> tuple[Desk, Disturbance] | NoEffect:
    """Try a move on a copy: the changed desk and the move with all open points filled in."""
    if move.kind == PASS:
        return desk, NOTHING
    kind = KINDS.get(move.kind)
    if kind is None:
        return NoEffect.UNKNOWN
    if kind.severity > desk.severity_left:
        return NoEffect.OVER_BUDGET
    if kind.name == desk.last_kind:
        return NoEffect.REPEATED
    filled = _filled(desk, kind, move)
    if filled is None:
        return NoEffect.NO_TARGET
    return _tried(desk, kind, filled)


def allows(desk: Desk, kind: Kind) -> bool:
    """Whether a kind may be tried now: paid for, not repeated, with something to hit."""
    unpaid = kind.severity > desk.severity_left
    return not unpaid and kind.name != desk.last_kind and bool(kind.targets(desk))


def _filled(desk: Desk, kind: Kind, move: Disturbance) -> Disturbance | None:
    targets, target = kind.targets(desk), move.target
    if not targets:
        return None
    if target == "":
        slot = move.slot
        if slot is None:
            slot = int(len(targets) * desk.uniform(WORLD_SALT, _TARGET_LANE))
        target = targets[slot % len(targets)]
    elif target not in targets:
        return None
    if kind.name != "late_invoice":
        return Disturbance(kind.name, target)
    amount = move.amount_cents
    if amount == 0:
        pick = int(len(DEFAULT_AMOUNTS) * desk.uniform(WORLD_SALT, _AMOUNT_LANE))
        amount = DEFAULT_AMOUNTS[pick]
    return Disturbance(kind.name, target, amount) if 0 < amount <= MAX_AMOUNT else None


def _tried(desk: Desk, kind: Kind, move: Disturbance) -> tuple[Desk, Disturbance] | NoEffect:
    after = desk.copy()
    events = kind.strike(after, move)
    after.severity_left -= kind.severity
    after.max_steps += kind.recovery
    _tell(after, events)
    grading.refresh(after)
    broken = _broken(desk, after, kind, move, events)
    return broken if broken is not None else (after, move)


def _broken(
    desk: Desk, after: Desk, kind: Kind, move: Disturbance, events: list[Event]
) -> NoEffect | None:
    """The first invariant that a disturbance breaks, if any."""
    if not kind.moves_golden and after.golden != desk.golden:
        return NoEffect.OFF_RULE
    hits_finished = kind.name == "status_change" and move.target in finished_rows(desk)
    if hits_finished or not right_writes(desk) <= right_writes(after):
        return NoEffect.SPOILS_WORK
    if changed_rows(desk, after) - _named(events):
        return NoEffect.HIDDEN
    return None if solves(after) else NoEffect.UNSOLVABLE


def changed_rows(before: Desk, after: Desk) -> set[str]:
    """Ids of rows that differ between two states of a desk."""
    old, new = before.tables.all_rows(), after.tables.all_rows()
    return {found for found in old.keys() | new.keys() if old.get(found) != new.get(found)}


def _named(events: list[Event]) -> set[str]:
    return {value for event in events for value in event.values() if isinstance(value, str)}


def _tell(desk: Desk, events: list[Event]) -> None:
    """Add events to the last answer; a new answer takes its place, answers never change."""
    if not events:
        return
    call, response = desk.log[-1]
    told = [*response.get("events", []), *events]
    desk.log[-1] = Exchange(call, {**response, "events": told})
