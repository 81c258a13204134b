"""Generalised advantage estimation over whole games."""

from __future__ import annotations

import numpy as np

from revops_ma.game import Floats, Rows
from revops_ma.jit import kernel


@kernel
def _fill(rewards, values, games, gamma, lambda_, out):  # noqa: ANN001, ANN202 - numba infers its types
    """Work backwards; the last turn of a game has nothing after it."""
    ahead = value_ahead = 0.0
    game = -1
    for i in range(len(rewards) - 1, -1, -1):
        if games[i] != game:
            game, ahead, value_ahead = games[i], 0.0, 0.0
        surprise = rewards[i] + gamma * value_ahead - values[i]
        ahead = surprise + gamma * lambda_ * ahead
        value_ahead = values[i]
        out[i] = ahead


def advantages_of(
    rewards: Floats, values: Floats, games: Rows, gamma: float, lambda_: float
) -> Floats:
    """[m] advantages of samples that stand game after game, turns in order.

    `rewards`, `values` [m] and `games` [m]; games end for good, so nothing is bootstrapped.
    """
    out = np.empty(len(rewards))
    _fill(rewards, values, games, gamma, lambda_, out)
    return out
