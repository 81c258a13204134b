"""Dice for dealing tickets: numbers that are a pure function of (seed, attempt, how-manieth)."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import TypeVar

import numpy as np

from revops_ma import luck

Item = TypeVar("Item")

_CHUNK = 256
"""Numbers that are drawn at once."""
_LANE = 7
_SALT = 0xD1CE


class Dice:
    """Keyed luck in the order of asking; two dice of the same key throw the same."""

    def __init__(self, seed: int, attempt: int) -> None:
        """Take the luck of one attempt to deal a seed."""
        self._key = np.uint64(luck.key_of(np.uint64(seed)))
        self._salt = np.uint64(luck.mix(np.uint64(_SALT + attempt)))
        self._thrown = 0
        self._ready: list[float] = []

    def unit(self) -> float:
        """A number in [0, 1)."""
        at = self._thrown % _CHUNK
        if at == 0:
            self._ready = self._chunk()
        self._thrown += 1
        return self._ready[at]

    def number(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + int((high - low + 1) * self.unit())

    def pick(self, items: Sequence[Item]) -> Item:
        """One of the items."""
        return items[int(len(items) * self.unit())]

    def shuffle(self, items: MutableSequence[Item]) -> None:
        """Bring the items into a random order, in place."""
        for last in range(len(items) - 1, 0, -1):
            other = self.number(0, last)
            items[last], items[other] = items[other], items[last]

    def _chunk(self) -> list[float]:
        out = np.empty(_CHUNK)
        steps = np.arange(self._thrown, self._thrown + _CHUNK)
        luck.fill_uniform(np.full(_CHUNK, self._key), self._salt, steps, _LANE, out)
        return out.tolist()
