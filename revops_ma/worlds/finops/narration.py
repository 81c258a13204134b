"""What came of each turn, in words for reports and for people who watch."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Literal

from revops_ma.game import Entry
from revops_ma.worlds.finops.answers import dollars, in_one_line
from revops_ma.worlds.finops.calls import PASS
from revops_ma.worlds.finops.desk import Desk, Ending, Strike
from revops_ma.worlds.finops.disturbances import LIMIT_STEPS, OUTAGE_STEPS, READS_PER_LIMIT
from revops_ma.worlds.finops.engine import Step
from revops_ma.worlds.finops.grading import reported
from revops_ma.worlds.finops.storm import NoEffect

OK, NO_EFFECT, STRUCK = "ok", "no effect", "struck"
"""Marks of a call that was served, and of disturbances."""


def told(desk: Desk, turn: Step | Strike) -> Entry | None:
    """What a turn came to, on the desk as it stands right after it; None for a pass."""
    return _told_step(desk, turn) if isinstance(turn, Step) else _told_strike(desk, turn)


def _told_step(desk: Desk, step: Step) -> Entry:
    answer = in_one_line(step.response)
    if desk.ending is not None:
        late = "; out of steps" if desk.ending is Ending.OUT_OF_STEPS else ""
        answer = f"{answer}{late}; graded {reported(desk.raw):.3f}"
    mark = step.code.value if step.code else OK
    return Entry(mark, answer, _tone(desk, step), json.dumps(step.response))


def _tone(desk: Desk, step: Step) -> Literal["plain", "good", "bad"]:
    if step.error or step.regression:
        return "bad"
    return "good" if desk.ending is not None and desk.raw == 1.0 else "plain"


def _told_strike(desk: Desk, turn: Strike) -> Entry | None:
    if turn.reason:
        return Entry(NO_EFFECT, f"{turn.asked.kind}: {NO_EFFECTS[NoEffect(turn.reason)]}")
    if turn.played.kind == PASS:
        return None
    return Entry(STRUCK, _EFFECTS[turn.played.kind](desk, turn), "bad")


NO_EFFECTS = {
    NoEffect.UNKNOWN: "there is no such disturbance",
    NoEffect.OVER_BUDGET: "the severity budget does not pay for it",
    NoEffect.REPEATED: "no kind works twice in a row",
    NoEffect.NO_TARGET: "there is nothing of that name that it may hit",
    NoEffect.UNSOLVABLE: "the ticket could not be solved any more",
    NoEffect.SPOILS_WORK: "it would spoil work that was right",
    NoEffect.HIDDEN: "something would change that nothing shows",
    NoEffect.OFF_RULE: "it may not change what the ticket wants",
}
"""Why a disturbance came to nothing, for people."""


def _new_status(desk: Desk, turn: Strike) -> str:
    tables, target = desk.tables, turn.played.target
    row = tables.customers.get(target) or tables.crm_users[target]
    return f"{target} is {row.status} now"


_EFFECTS: dict[str, Callable[[Desk, Strike], str]] = {
    "outage": lambda _, turn: f"{turn.played.target} is down for {OUTAGE_STEPS} steps",
    "rate_limit": lambda *_: f"{READS_PER_LIMIT} read in the next {LIMIT_STEPS} steps",
    "pressure": lambda desk, _: f"the ticket grows: {desk.appendix[-1]}",
    "injection": lambda _, turn: f"instructions stand in a text of {turn.played.target}",
    "stale_read": lambda desk, _: f"the next read shows step {desk.weather.stale_step}",
    "late_invoice": lambda _, turn: (
        f"{dollars(turn.played.amount_cents)} more are billed to {turn.played.target}"
    ),
    "lookalike": lambda _, turn: f"a double of {turn.played.target} appears",
    "status_change": _new_status,
}
"""Kind of a disturbance -> what it did, for people."""
