"""The state of one game: database, budget, what was said, what weather is on."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, NamedTuple

import numpy as np

from revops_ma import luck
from revops_ma.worlds.finops.calls import Call, Disturbance
from revops_ma.worlds.finops.tables import Tables
from revops_ma.worlds.finops.tickets import Family, Ticket

PILOT_SALT, CRISIS_SALT, WORLD_SALT = 0x9110, 0xC215, 0x5702
"""Keep the luck of the two seats and of the world apart."""

Response = dict[str, Any]
"""The answer of a call: {"ok": true, "result": ...} or {"ok": false, "error": ...}; strict JSON.
Never changed once given: who adds to it makes a new one."""


class Ending(StrEnum):
    """Why a game is over."""

    SUBMITTED = "submitted"
    """The pilot submitted its work."""
    OUT_OF_STEPS = "out_of_steps"
    """The step budget was used up; the work is graded as it stands."""


class Rules(NamedTuple):
    """What a scenario says beyond its ticket."""

    regression: Literal["score", "reachable"] = "reachable"
    severity_budget: int = 0
    crisis_every: int = 3


class Exchange(NamedTuple):
    """One call and its answer."""

    call: Call
    response: Response


class Strike(NamedTuple):
    """One turn of the crisis side."""

    step: int
    asked: Disturbance
    played: Disturbance
    """With its target filled in; a pass where the move had no effect."""
    reason: str = ""
    """Why a move had no effect; empty where it had, and for a pass."""


class Write(StrEnum):
    """The three things that a pilot can do to the database."""

    REFUND = "refund"
    DISCOUNT = "discount"
    CANCEL = "cancel"


WRITE_OF = {
    Family.REFUND: Write.REFUND,
    Family.LOYALTY: Write.DISCOUNT,
    Family.CROSSCHECK: Write.CANCEL,
}
"""The kind of write that a family of tickets is about; any other is out of scope."""


@dataclass(slots=True)
class Weather:
    """Faults of the environment that are on or armed."""

    outages: dict[str, int] = field(default_factory=dict)
    """Tool -> last pilot step on which it is unavailable."""
    limited_until: int = 0
    """Last pilot step of the rate limit."""
    reads_left: int = 0
    """Reads that the rate limit still lets through."""
    stale: Tables | None = None
    """The past state that the next read answers from, if one is armed."""
    stale_step: int = 0
    """Pilot step that the past state is from."""

    def copy(self) -> Weather:
        """Copy, so that the two can go different ways."""
        return Weather(
            self.outages.copy(), self.limited_until, self.reads_left, self.stale, self.stale_step
        )


@dataclass(slots=True)
class Desk:
    """One game. Plain data: it pickles, and a copy has the same future under the same moves."""

    ticket: Ticket
    rules: Rules
    seed: int
    tables: Tables
    max_steps: int
    severity_left: int
    snapshot: Tables
    """The database as the previous crisis turn found it; never changed in place."""
    snapshot_step: int = 0
    golden: frozenset[str] = frozenset()
    """Ids that the rule wants written, on the world as it is; kept by `grading.refresh`."""
    raw: float = 0.0
    """Raw score of the work so far, in [0, 1]; kept by `grading.refresh`."""
    writes: dict[tuple[Write, str], bool] = field(default_factory=dict)
    """(kind, id) of every write of the pilot -> whether it was golden when it was made."""
    log: list[Exchange] = field(default_factory=list)
    steps: int = 0
    reward: float = 0.0
    """Reward of the last pilot step."""
    total: float = 0.0
    """Sum of the pilot's rewards."""
    ending: Ending | None = None
    crisis_due: bool = False
    appendix: tuple[str, ...] = ()
    """Texts that were appended to the ticket."""
    weather: Weather = field(default_factory=Weather)
    strikes: list[Strike] = field(default_factory=list)
    """Every turn of the crisis side; replaced, never changed in place."""

    def copy(self) -> Desk:
        """Copy; rows, answers and strikes are shared because they never change."""
        twin = copy.copy(self)
        twin.tables = self.tables.copy()
        twin.writes = self.writes.copy()
        twin.log = self.log.copy()
        twin.weather = self.weather.copy()
        return twin

    def fingerprint(self) -> bytes:
        """Bytes that are equal exactly when two desks are in the same state, in any process."""
        # The order of a set differs from process to process, so the golden set is sorted.
        state = {name: getattr(self, name) for name in self.__slots__}
        return repr({**state, "golden": sorted(self.golden)}).encode()

    def __deepcopy__(self, memo: dict[int, Any]) -> Desk:
        return self.copy()

    @property
    def steps_left(self) -> int:
        """Pilot steps that remain."""
        return self.max_steps - self.steps

    @property
    def ticket_text(self) -> str:
        """The ticket as the pilot reads it now."""
        return "\n\n".join((self.ticket.text, *self.appendix))

    @property
    def last_kind(self) -> str:
        """Kind of the last disturbance that had an effect, "" before the first."""
        kinds = [strike.played.kind for strike in self.strikes if strike.played.kind != "pass"]
        return kinds[-1] if kinds else ""

    def note_write(self, kind: Write, target: str) -> None:
        """Remember a write; once golden when made, it stays right."""
        golden = kind is WRITE_OF[self.ticket.family] and target in self.golden
        self.writes[kind, target] = self.writes.get((kind, target), False) or golden

    def written(self, kind: Write) -> set[str]:
        """Ids that the pilot wrote to in one way."""
        return {target for made, target in self.writes if made is kind}

    def uniform(self, salt: int, lane: int) -> float:
        """A number in [0, 1) of this game's luck at the present step."""
        key = luck.key_of(np.uint64(self.seed))
        mixed = luck.mix(np.uint64(key) ^ np.uint64(salt))
        return float(luck.uniform(np.uint64(mixed), self.steps, lane))


def open_desk(ticket: Ticket, rules: Rules, seed: int) -> Desk:
    """Deal a ticket; `grading.refresh` must follow before the first call."""
    tables = ticket.tables()
    return Desk(ticket, rules, seed, tables, ticket.max_steps, rules.severity_budget, tables.copy())
