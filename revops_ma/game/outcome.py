"""What moves came to: rewards, ends, and how they are shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from revops_ma.game.values import Batch, Flags, Floats, Games, Rows


class Outcome(Protocol):
    """What one application of moves did to the rows, position by position.

    A world that counts in records of its own makes the columns when they are read: many never are.
    One that has them anyway returns a `PlainOutcome`.
    """

    @property
    def rows(self) -> Rows:
        """[n] of the games."""
        ...

    @property
    def detail(self) -> Any:
        """The world's own record of the turn."""
        ...

    @property
    def rewards(self) -> Floats:
        """[n, roles]; zero where nothing was scored yet."""
        ...

    @property
    def scored(self) -> Flags:
        """[n]; whether a step of the episode was completed and paid."""
        ...

    @property
    def ended(self) -> Flags:
        """[n]; whether the game is over now."""
        ...

    @property
    def played(self) -> Batch:
        """The moves as they took effect: fallbacks resolved, severities cut to the budget."""
        ...

    @property
    def signals(self) -> Floats:
        """[n, signals]; weighted parts of the first role's reward, summing to it left to right."""
        ...

    def paid(self, position: int) -> list[float]:
        """Rewards of every role in one game, as Python floats."""
        ...


@dataclass(slots=True)
class PlainOutcome:
    """An outcome whose columns are known at once, but for the signals."""

    rows: Rows
    rewards: Floats
    scored: Flags
    ended: Flags
    detail: Any
    played: Batch
    weigh: Callable[[Any], Floats]
    """Computes `signals` from `detail`."""

    @property
    def signals(self) -> Floats:
        """[n, signals], worked out anew at every read."""
        return self.weigh(self.detail)

    def paid(self, position: int) -> list[float]:
        """Rewards of every role in one game."""
        return self.rewards[position].tolist()


@dataclass(frozen=True, slots=True)
class Figure:
    """How a figure of `facts` or `trace` is shown; one without this is a plain number."""

    title: str
    unit: str = ""
    """`$` before the number, `%` for a share of 1, any other word after the number."""
    limits: tuple[float, ...] = ()
    """Levels at which the game is lost: drawn as lines."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What came of one move, for people who read along; the move itself is its role's caption."""

    mark: str
    """One word: `ok`, the code of an error, `no effect`."""
    answer: str = ""
    """What came back or changed, in one line."""
    tone: Literal["plain", "good", "bad"] = "plain"
    full: str = ""
    """All that came back, for who wants to look."""


@dataclass(slots=True)
class Cycle:
    """What happened in N games from one move of a seat to its next one."""

    rewards: Floats
    """[N] of the seat."""
    ended: Flags
    """[N]; whether the game ended. Its place is taken by a new one."""
    finals: Games
    """The ended games, in order, as they stood at their end."""
    signals: Floats
    """[ended, signals]; parts of the first role's reward of their last step."""
