"""Work that can be done in parts, anywhere and in any order: how it is cut, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

LONG_SECONDS, SHORT_SECONDS = 1.0, 0.25
"""Items that take longer are followed by smaller ones, those that take less by larger ones: a death
costs the item in work, and that shall be about a second's."""


@dataclass(frozen=True)
class Work:
    """One immutable payload and the parts that a function works off with it.

    A part's id is its place in the whole plan, from 0; results are keyed by it.
    """

    task: Callable[[Any, Sequence[Any]], list[Any]]
    """`(payload, parts) -> results`. Pure and importable by name: it runs wherever there is room,
    and again where a worker died. How the parts are cut must not show in the results."""
    lost: Callable[[Any, Sequence[Any], str], list[Any]]
    """`(payload, parts, reason) -> results` in place of parts that could not be done."""
    payload: Any
    """What all parts need: scenario, agents and their weights. Sent once to every worker."""
    parts: Sequence[Any]


@dataclass(frozen=True)
class Item:
    """Neighbouring parts of one work that are done in one go."""

    work: Work
    first: int
    """Id of the first part."""
    parts: Sequence[Any]
    deaths: int = 0
    """Workers that died over it."""

    @property
    def after(self) -> int:
        """Id of the part that comes after the last."""
        return self.first + len(self.parts)

    def halves(self, deaths: int) -> list[Item]:
        """Cut in two, each with so many deaths on its account."""
        middle = len(self.parts) // 2
        return [
            Item(self.work, self.first, self.parts[:middle], deaths),
            Item(self.work, self.first + middle, self.parts[middle:], deaths),
        ]


@dataclass(frozen=True)
class Done:
    """What came of an item."""

    first: int
    """Id of its first part."""
    size: int
    """Number of its parts."""
    results: list[Any]

    @property
    def after(self) -> int:
        """Id of the part that comes after the last."""
        return self.first + self.size


@dataclass
class WorkerTime:
    """What one worker has done so far."""

    worker: int
    """Its number, from 0."""
    items: int = 0
    """Calls answered: items of work, and turns of sessions."""
    games: int = 0
    """Games finished: played, replayed, or led to their end as sessions."""
    busy_seconds: float = 0.0
    """Time inside the worker, without what it costs to send and to wait."""
    deaths: int = 0
    """How often it died and was started again."""

    def note(self, seconds: float, games: int) -> None:
        """Count one answered call."""
        self.items += 1
        self.games += games
        self.busy_seconds += seconds


class Plan:
    """Cuts works into items, in order, only when one is asked for."""

    def __init__(self, works: Sequence[Work]) -> None:
        """Plan to do all parts of all works."""
        self._works = [work for work in works if len(work.parts)]
        self.total = sum(len(work.parts) for work in self._works)
        self.next_id = 0
        """Id of the first part that no item holds yet."""
        self._at, self._start = 0, 0

    def cut(self, size: int) -> Item | None:
        """The next item, of `size` parts or what is left of a work; None after the last."""
        if self._at == len(self._works):
            return None
        work = self._works[self._at]
        item = Item(work, self.next_id, work.parts[self._start : self._start + size])
        self._start += len(item.parts)
        self.next_id = item.after
        if self._start == len(work.parts):
            self._at, self._start = self._at + 1, 0
        return item


@dataclass(frozen=True)
class Pace:
    """How many parts an item has: the first one, the fewest, the most."""

    first: int
    least: int
    most: int

    @classmethod
    def steady(cls, size: int) -> Pace:
        """Items of one size."""
        return cls(size, size, size)


class Sizing:
    """Finds the size of items that take about a second. It changes only how work is cut."""

    def __init__(self, pace: Pace) -> None:
        """Start with the first size."""
        self.size = pace.first
        self._pace = pace

    def learn(self, seconds: float) -> None:
        """Take note of how long an item took."""
        if seconds < SHORT_SECONDS:
            self.size = min(self.size * 2, self._pace.most)
        elif seconds > LONG_SECONDS:
            self.size = max(self.size // 2, self._pace.least)


def in_plan_order(done: Iterator[Done]) -> Iterator[Done]:
    """Pass on what is done in the order of the plan; what comes too early waits here."""
    early: dict[int, Done] = {}
    expected = 0
    for each in done:
        early[each.first] = each
        while expected in early:
            following = early.pop(expected)
            expected = following.after
            yield following
