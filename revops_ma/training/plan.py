"""What an iteration plays and in what order it learns: functions of (training seed, iteration).

Nothing is carried from one iteration to the next but the weights, so a run that is interrupted and
resumed, or spread over several processes, is the same run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from revops_ma.game import Rows
from revops_ma.luck import key_of, uniform
from revops_ma.training.pool import Pool
from revops_ma.training.recipe import FIRST_TRAINING_SEED, SEEDS_PER_RUN, Recipe

_POOL_LANE = 0


@dataclass(frozen=True)
class Plan:
    """The games of one iteration."""

    iteration: int
    seeds: range
    opponents: Rows
    """[games] index in the pool."""
    progress: float
    """Share of the training that is done, 0 to 1: it sets the learning rate."""

    def parts(self, count: int) -> Iterator[tuple[range, Rows]]:
        """Seeds and opponents of `count` nearly equal parts, in order."""
        edges = [len(self.seeds) * part // count for part in range(count + 1)]
        for start, end in pairwise(edges):
            yield self.seeds[start:end], self.opponents[start:end]


def plan_of(seed: int, iteration: int, progress: float, recipe: Recipe, pool: Pool) -> Plan:
    """What iteration 0, 1, ... of a training seed plays. No two of them share a game."""
    first = FIRST_TRAINING_SEED + seed * SEEDS_PER_RUN + iteration * recipe.games
    # A compiled function gives a Python int, which another may take for a signed one.
    luck = uniform(np.uint64(key_of(np.uint64(seed))), iteration, _POOL_LANE)
    opponents = pool.draw(recipe.games, luck)
    return Plan(iteration, range(first, first + recipe.games), opponents, progress)


def order_of(seed: int, iteration: int, samples: int, epochs: int) -> NDArray[np.int64]:
    """[epochs * samples] the samples as they are learnt from: each epoch in an order of its own."""
    random = np.random.default_rng((seed, iteration))
    return np.concatenate([random.permutation(samples) for _ in range(epochs)])
