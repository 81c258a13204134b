"""Games that are searched side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from revops_ma.game import Games, Rows, World

_MARKS = [("returns", "f8"), ("floor", "f8"), ("left", "i8"), ("root", "i8"), ("turn", "i8")]


@dataclass(slots=True)
class Block:
    """Games that are searched side by side, and a record of marks for each."""

    games: Games
    marks: Any
    """`returns` so far, `floor` under the final return, strikes `left`, `root`, `turn`, `path`."""

    @classmethod
    def rooted(cls, games: Games, world: World, turns: int, strikes: int) -> Block:
        """Copies of root games, before the second role's first turn."""
        every = np.arange(len(games))
        marks: Any = np.zeros(len(games), [*_MARKS, ("path", "i1", (max(turns, 1),))])
        marks["left"], marks["root"] = strikes, every
        return cls(world.fork(games, every), marks)

    def __len__(self) -> int:
        return len(self.marks)

    def picked(self, rows: Rows, world: World) -> Block:
        """Copies of some of the games."""
        lumps = np.ndarray(len(self), f"V{self.marks.itemsize}", self.marks)[rows]
        marks = np.ndarray(len(rows), self.marks.dtype, lumps)
        return Block(world.fork(self.games, rows), marks)

    def narrowed(self, rows: Rows, width: int) -> Rows:
        """The `width` rows of each root with the lowest floor."""
        marks = self.marks[rows]
        order = np.lexsort((marks["floor"], marks["root"]))
        roots = marks["root"][order]
        rank = np.arange(len(order)) - np.searchsorted(roots, roots)
        return np.sort(rows[order[rank < width]])
