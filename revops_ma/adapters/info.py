"""What an environment tells beside the observation: an ordinary dict that is filled when read.

Most loops never look at `info`, and working it out takes longer than a turn. A LazyInfo keeps the
state as it was and fills itself at the first read; from then on it is like any other dict.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from revops_ma.game import Games, Outcome, World

_ONE = np.zeros(1, np.int64)


class Moment:
    """One game as it stood after a turn, with the last step of it that was scored."""

    __slots__ = ("games", "scored", "world")

    def __init__(self, world: World, games: Games, row: int, scored: Outcome | None) -> None:
        """Copy row `row` of the games; `scored` is an outcome of that game alone."""
        self.world = world
        self.games = world.fork(games, _ONE if row == 0 else np.array([row]))
        self.scored = scored

    def figures(self) -> dict[str, Any]:
        """All that is known, as plain Python values.

        `reward_breakdown` has the weighted parts of the first role's reward of the last scored step
        (empty before the first); then come the world's trace and its own info. A game that is over
        adds `ending`, `won` and the world's facts.
        """
        world, games = self.world, self.games
        figures: dict[str, Any] = {"reward_breakdown": breakdown(world, self.scored)}
        figures |= _first(world.trace(games, _ONE))
        figures |= world.info(games, 0)
        if world.to_move(games)[0] < 0:
            figures["ending"] = world.endings(games, _ONE)[0]
            figures["won"] = bool(world.won(games, _ONE)[0])
            figures |= _first(world.facts(games, _ONE))
        return figures


def breakdown(world: World, scored: Outcome | None, position: int = 0) -> dict[str, float]:
    """Weighted parts of the first role's reward by name; they sum to it, left to right."""
    if scored is None:
        return {}
    return dict(zip(world.signals, scored.signals[position].tolist(), strict=True))


def _first(columns: dict[str, Any]) -> dict[str, float]:
    return {name: float(column[0]) for name, column in columns.items()}


class LazyInfo(dict[str, Any]):
    """A dict that gets the figures of a moment at its first read. Pickles and copies as a dict."""

    __slots__ = ("_moment",)
    _moment: Moment | None

    @classmethod
    def of(cls, moment: Moment, seed: int, refused: str | None) -> LazyInfo:
        """Start with what is known at once: the game's seed, why the last move was refused.

        There must be some: the C code of json takes a dict without entries for empty before it asks
        for its items.
        """
        info = cls({"seed": seed, "refused": refused})
        info._moment = moment
        return info

    def filled(self) -> dict[str, Any]:
        """A plain dict of everything."""
        return dict(self.items())

    def __eq__(self, other: object) -> bool:
        """Compare by content, both sides filled."""
        return self.filled() == (other.filled() if isinstance(other, LazyInfo) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def __or__(self, other: Any) -> dict[str, Any]:
        return self.filled() | dict(other)

    def __ror__(self, other: Any) -> dict[str, Any]:
        return dict(other) | self.filled()

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        return dict, (self.filled(),)


def _reading(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def read(self: LazyInfo, *args: Any, **kwargs: Any) -> Any:
        if self._moment is not None:
            moment, self._moment = self._moment, None
            dict.update(self, moment.figures())
        return method(self, *args, **kwargs)

    return read


for _name in (
    *("__contains__", "__getitem__", "__iter__", "__len__", "__repr__", "__reversed__"),
    *("__delitem__", "__setitem__", "__ior__", "copy", "get", "items", "keys", "values"),
    *("clear", "pop", "popitem", "setdefault", "update"),
):
    setattr(LazyInfo, _name, _reading(getattr(dict, _name)))
