"""Meta-strategies: which share of the games each trained engine of a league gets.

uniform   all that there have been, alike (fictitious self-play)
nash      the mixture that leaves the best mixture of pilots the least (double oracle, PSRO)
newest    only the responses to the newest pilot (plain self-play, which forgets)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from revops_ma.arena import nash
from revops_ma.game import Agent
from revops_ma.training.league.opponents import Scripts
from revops_ma.training.league.settings import Mixing
from revops_ma.training.pool import Pool

LEAST = 1e-3
"""Shares below this are left out: they would be less than one game of an iteration."""


def shares_of(
    mixing: Mixing, payoff: NDArray[np.float64], newest: Sequence[int]
) -> NDArray[np.float64]:
    """[engines] shares that sum to 1.

    `payoff` [pilots, engines] holds the pilots' returns, `newest` the columns of the latest round.
    """
    count = payoff.shape[1]
    if mixing == "uniform":
        return np.full(count, 1 / count)
    if mixing == "newest":
        shares = np.zeros(count)
        shares[list(newest)] = 1 / len(newest)
        return shares
    shares = nash.solve(payoff).columns
    shares = np.where(shares < LEAST, 0.0, shares)
    return shares / shares.sum()


def pool_of(
    scripts: Scripts, scripts_share: float, engines: Sequence[Agent], shares: NDArray[np.float64]
) -> Pool:
    """The opponents of a round of training: scripts, and trained engines by their shares."""
    if not len(engines):
        return Pool(list(scripts.members))
    members = [(agent, scripts_share * share) for agent, share in scripts.members]
    trained = zip(engines, ((1 - scripts_share) * shares).tolist(), strict=True)
    return Pool([*members, *((agent, share) for agent, share in trained if share > 0)])
