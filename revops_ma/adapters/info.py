"""What an environment tells beside the observation: an ordinary dict that is filled when read.

Most loops never look at `info`, and working it out takes longer than a turn. A LazyInfo remembers
which turn it belongs to and fills itself at the first read, from a replay of the game if that has
gone on by then; from there on it is like any other dict.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from revops_ma.game import OVER
from revops_ma.table import Table

_ROW = np.zeros(1, np.int64)
"""The only game of the table."""


def figures(table: Table, turns: int) -> dict[str, Any]:
    """All that was known of a table's only game after some turns, as plain Python values.

    `reward_breakdown` has the weighted parts of the first role's reward of the last scored step
    (empty before the first); then come the world's trace and its own info. A game that is over adds
    `ending`, `won` and the world's facts.
    """
    world, games = table.world, table.games_after(turns)
    told: dict[str, Any] = {"reward_breakdown": _breakdown(table, turns)}
    told |= _first(world.trace(games, _ROW))
    told |= world.info(games, 0)
    if world.to_move(games)[0] == OVER:
        told["ending"] = world.endings(games, _ROW)[0]
        told["won"] = bool(world.won(games, _ROW)[0])
        told |= _first(world.facts(games, _ROW))
    return told


def _breakdown(table: Table, turns: int) -> dict[str, float]:
    """Weighted parts of the first role's latest reward by name; they sum to it, left to right."""
    for turn in reversed(table.log[:turns]):
        if turn.outcome.scored[0]:
            return dict(zip(table.world.signals, turn.outcome.signals[0].tolist(), strict=True))
    return {}


def _first(columns: dict[str, Any]) -> dict[str, float]:
    return {name: float(column[0]) for name, column in columns.items()}


class LazyInfo(dict[str, Any]):
    """A dict that gets the figures of its turn at its first read. Pickles and copies as a dict."""

    __slots__ = ("_table", "_turns")
    _table: Table | None
    """None once it is filled."""
    _turns: int

    @classmethod
    def of(cls, table: Table, refused: str | None) -> LazyInfo:
        """Start with what is known at once: the game's seed, why the last move was refused.

        There must be some: the C code of json takes a dict without entries for empty before it asks
        for its items.
        """
        info = cls(seed=table.seeds[0], refused=refused)
        info._table = table
        info._turns = len(table.log)
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
        if self._table is not None:
            table, self._table = self._table, None
            dict.update(self, figures(table, self._turns))
        return method(self, *args, **kwargs)

    return read


for _name in (
    *("__contains__", "__getitem__", "__iter__", "__len__", "__repr__", "__reversed__"),
    *("__delitem__", "__setitem__", "__ior__", "copy", "get", "items", "keys", "values"),
    *("clear", "pop", "popitem", "setdefault", "update"),
):
    setattr(LazyInfo, _name, _reading(getattr(dict, _name)))
