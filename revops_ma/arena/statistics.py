"""Intervals: Wilson for shares, percentile bootstrap for means, paired wherever seeds are shared.

All intervals are 95 %. The bootstrap draws its resamples from a fixed key, and all means over the
same number of episodes share them: so results are reproducible, and differences on the same seeds
are paired by construction.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Z95 = 1.959963984540054
"""Standard normal quantile of 97.5 %."""
RESAMPLES = 2_000
_BOOTSTRAP_KEY = 20_250_101
_LOW, _HIGH = 2.5, 97.5


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95 % interval. NaN-free: without data all three are None.

    A mean of one value is known, its interval is not: `low` and `high` are None then.
    """

    mean: float | None
    low: float | None
    high: float | None

    def to_json(self) -> dict[str, float | None]:
        """Give {mean, low, high}."""
        return {"mean": self.mean, "low": self.low, "high": self.high}


NOTHING = Estimate(None, None, None)
"""The estimate of no episodes at all."""


def share(successes: int, trials: int) -> Estimate:
    """Proportion with its Wilson score interval (Wilson 1927)."""
    if trials == 0:
        return NOTHING
    p, z2 = successes / trials, Z95 * Z95
    centre = (p + z2 / (2 * trials)) / (1 + z2 / trials)
    half = Z95 / (1 + z2 / trials) * math.sqrt(p * (1 - p) / trials + z2 / (4 * trials * trials))
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == trials else centre + half
    return Estimate(p, low, high)


def mean(values: Sequence[float] | NDArray[np.float64]) -> Estimate:
    """Mean with its percentile bootstrap interval; one value tells nothing about its own spread."""
    return means({"": values})[""]


def means(columns: Mapping[str, Sequence[float] | NDArray[np.float64]]) -> dict[str, Estimate]:
    """Means of several columns of one length, all drawn by the same resamples."""
    table = np.array(list(columns.values()), np.float64)
    if table.size == 0:
        return dict.fromkeys(columns, NOTHING)
    if table.shape[1] == 1:
        return {
            name: Estimate(float(value), None, None)
            for name, value in zip(columns, table[:, 0], strict=True)
        }
    lows, highs = np.percentile(bootstrap_means(table), (_LOW, _HIGH), axis=0)
    return {
        name: Estimate(float(mean), float(low), float(high))
        for name, mean, low, high in zip(columns, table.mean(1), lows, highs, strict=True)
    }


def difference(
    ours: Sequence[float] | NDArray[np.float64], theirs: Sequence[float] | NDArray[np.float64]
) -> Estimate:
    """Mean of `ours - theirs` on the same seeds, with the bootstrap interval of the pairs."""
    return mean(np.asarray(ours, np.float64) - np.asarray(theirs, np.float64))


def bootstrap_means(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """[RESAMPLES, columns] means of a [columns, n] table drawn with replacement.

    Summed by NumPy, not by a matrix product: the bits must not depend on the threads of a BLAS.
    """
    random = np.random.default_rng(_BOOTSTRAP_KEY)
    size = table.shape[1]
    return np.array([table[:, random.integers(0, size, size)].mean(1) for _ in range(RESAMPLES)])
