"""What a world claims of itself: data that `arena/audit` measures.

A world offers its claims in a module beside it, found by convention:

    revops_ma/worlds/<name>/claims.py      def claims(settings) -> Sequence[Claim]

Each claim names its players, its seeds and the bound that its figure must keep; how the figure is
measured is the audit's business. What only one world can ask is `Measured`: a function of a Lab.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from revops_ma.game import Agent, Batch, Reply, View

Player = str | Agent
"""An agent, or the name of a card."""
Score = str
"""What is averaged: `survival` (won episodes), `return` (of the first role), or a fact's name."""

_COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    "<": operator.lt,
    ">=": operator.ge,
    ">": operator.gt,
    "=": operator.eq,
}


@dataclass(frozen=True, slots=True)
class Bound:
    """What a figure must keep to: `<= 0.4`. A NaN keeps to nothing."""

    sign: Literal["<=", "<", ">=", ">", "="]
    limit: float

    def holds(self, figure: float) -> bool:
        """Whether a figure keeps to it."""
        return _COMPARE[self.sign](figure, self.limit)

    def __str__(self) -> str:
        return f"{self.sign} {self.limit:g}"


NOTHING_WRONG = Bound("=", 0)
"""Bound of a count of things that must never happen."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What measuring a claim came to."""

    figure: float
    bound: Bound
    told: str = ""
    """What this measurement found, in a sentence or two."""
    details: Sequence[Mapping[str, Any]] = ()
    """Rows of a table behind the figure: column -> text or number."""

    @property
    def holds(self) -> bool:
        """Whether the figure keeps to the bound."""
        return self.bound.holds(self.figure)


@dataclass(frozen=True, slots=True)
class Played:
    """What is kept of the games of one matchup."""

    returns: NDArray[np.float64]
    """[N] of the first role."""
    won: NDArray[np.bool_]
    kinds: tuple[NDArray[np.int64], ...]
    """Per role: how often each of its `kinds()` was played, as it took effect."""
    facts: Mapping[str, NDArray[np.float64]]

    def score(self, of: Score) -> float:
        """Share of won episodes, mean return, or mean of a fact."""
        columns = {"survival": self.won, "return": self.returns, **self.facts}
        return float(columns[of].mean())


class Lab(Protocol):
    """What a claim may use to measure: a scenario and seeds to play it on."""

    @property
    def scenario(self) -> Any:
        """The scenario under audit, with `world` and `settings`."""
        ...

    def held_out(self, count: int) -> range:
        """Seeds that nothing was tuned on; fewer than asked for in a quick audit."""
        ...

    def seat(self, pilot: Player, crisis: Player) -> dict[str, Agent]:
        """Make the agents of a matchup, by role name."""
        ...

    def play(self, pilot: Player, crisis: Player, count: int) -> Played:
        """Play two agents on held-out seeds; the same matchup is played once."""
        ...


@dataclass(frozen=True)
class Scripted:
    """An agent that is a function `view -> batch`, for players that need no card."""

    name: str
    """Tells two players apart: everything the function is given must show in it."""
    decide: Callable[[View], Batch]

    @property
    def identity(self) -> str:
        """The name."""
        return self.name

    def act(self, view: View) -> Reply:
        """Answer with what the function says."""
        return Reply(self.decide(view))

    def seated(self, scenario: Any, players: Mapping[str, Agent]) -> Agent:
        """Needs to know nobody."""
        return self


Matchups = Sequence[tuple[Player, Player]]
"""Pairs of first and second role."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A sentence about a world that can turn out false."""

    name: str
    why: str
    """What is claimed, how it is measured, and why the bound is where it is."""
    seeds: int = 200
    """Episodes per matchup."""


@dataclass(frozen=True, kw_only=True)
class RewardsStayInRange(Claim):
    """No step pays the first role less than `low` or more than `high`."""

    low: float
    high: float
    matchups: Matchups = ()
    """Played besides reckless moves of both sides."""


@dataclass(frozen=True, kw_only=True)
class SignalsAddUp(Claim):
    """The signals of every step sum left to right to its reward, bit for bit."""

    matchups: Matchups = ()


@dataclass(frozen=True, kw_only=True)
class ZeroSum(Claim):
    """What one role gets the other loses: every step and every episode, to the last bit."""

    matchups: Matchups = ()


@dataclass(frozen=True, kw_only=True)
class BatchIsScalar(Claim):
    """A game is the same alone and among many, in any split."""

    matchups: Matchups = ()


@dataclass(frozen=True, kw_only=True)
class ReplayIsLive(Claim):
    """Recorded moves, through JSON and back, give the same game."""

    matchups: Matchups = ()


@dataclass(frozen=True, kw_only=True)
class ContractHolds(Claim):
    """The world keeps all that `revops_ma.game` promises (`revops_ma.testing.check_world`)."""


@dataclass(frozen=True, kw_only=True)
class Ceiling(Claim):
    """None of these pilots scores above the limit."""

    pilots: Sequence[Player]
    crisis: Player
    of: Score
    limit: float


@dataclass(frozen=True, kw_only=True)
class OpenLoopCeiling(Claim):
    """No fixed sequence of moves, searched on training seeds, scores above the limit held out."""

    crisis: Player
    of: Score
    limit: float


@dataclass(frozen=True, kw_only=True)
class Outearns(Claim):
    """A pilot earns more than each rival, by the margin at least, on the same seeds."""

    pilot: Player
    rivals: Sequence[Player]
    crisis: Player
    margin: float


@dataclass(frozen=True, kw_only=True)
class Ladder(Claim):
    """Some crisis engines are harder than another one, for every pilot; and the whole order."""

    pilots: Sequence[Player]
    rungs: Sequence[Player]
    harder: Sequence[str]
    """Names of rungs that must leave every pilot less than `than` does."""
    than: str
    slow_rungs: Sequence[Player] = ()
    """Engines that are played on fewer seeds, for the order only."""
    slow_seeds: int = 20


@dataclass(frozen=True, kw_only=True)
class AllKindsUsed(Claim):
    """Every kind of move of a role makes up at least this share of what good players play."""

    role: int
    matchups: Matchups
    share: float
    beside: Matchups = ()
    """Shown next to them, under no bound."""


@dataclass(frozen=True, kw_only=True)
class Winnable(Claim):
    """A pilot wins at least this share of the seeds."""

    pilot: Player
    crisis: Player
    share: float
    changes: Mapping[str, Any] = field(default_factory=dict)
    """Settings other than the scenario's, by name."""


@dataclass(frozen=True, kw_only=True)
class Measured(Claim):
    """What only this world can ask."""

    measure: Callable[[Lab], Finding]
