"""From values to pixels, and where the ticks stand."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Scale:
    """A straight line from the domain [low, high] to the pixels [start, end]."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Give the pixel of a value; the middle where the domain is a point."""
        if self.high == self.low:
            return (self.start + self.end) / 2
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def ticks(low: float, high: float, about: int = 4, *, whole: bool = False) -> list[float]:
    """Round numbers from low to high: 1, 2, 2.5 or 5 times a power of ten apart.

    With `whole` they are whole numbers. Equal ends give that one value.
    """
    if not high > low:
        return [low]
    step = _step((high - low) / max(about, 1))
    if whole:
        step = max(1.0, float(math.ceil(step)))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(index * step, 12) + 0.0 for index in range(first, last + 1)]


def domain(values: Iterable[float], about: int = 4, *, zero: bool = False) -> tuple[float, float]:
    """Widen the range of finite values to round numbers; equal values get room on both sides.

    With `zero` the domain holds 0.
    """
    finite = [value for value in values if math.isfinite(value)]
    finite += [0.0] if zero or not finite else []
    low, high = min(finite), max(finite)
    if low == high:
        low, high = (0.0, 1.0) if low == 0 else (low - abs(low) * 0.1, high + abs(high) * 0.1)
    step = _step((high - low) / about)
    return math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step


def _step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next(size * power for size in _STEPS if size * power >= rough * (1 - 1e-9))
