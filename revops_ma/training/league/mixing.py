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
from revops_ma.training.league.settings import Mixing, Settings
from revops_ma.training.pool import Pool

LEAST = 1e-3
"""Shares below this are left out: they would be less than one game of an iteration."""
NEWEST_SHARE = 0.8
"""Share of a sparring partner's games against the newest pilot."""
REMEMBERED = 4
"""Pilots of earlier rounds that a sparring partner still meets."""


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
    settings: Settings,
    scripts: Scripts,
    engines: Sequence[Agent],
    shares: NDArray[np.float64],
    partners: Sequence[Agent] = (),
) -> Pool:
    """The opponents of the pilot: scripts, sparring partners, and trained engines by `shares`."""
    if not len(engines):
        return Pool(list(scripts.members))
    sparring = settings.sparring_share if partners else 0.0
    left = 1 - settings.scripts_share - sparring
    members = [(agent, settings.scripts_share * share) for agent, share in scripts.members]
    members += [(agent, sparring / len(partners)) for agent in partners]
    trained = zip(engines, (left * shares).tolist(), strict=True)
    return Pool([*members, *((agent, share) for agent, share in trained if share > 0)])


def sparring_pool(pilots: Sequence[Agent], newest: Agent) -> Pool:
    """The opponents of a sparring partner: mostly the newest pilot, and a few before it.

    Whoever chases the newest only forgets what the older ones were weak against.
    """
    older = pilots[-REMEMBERED:]
    members = [(agent, (1 - NEWEST_SHARE) / len(older)) for agent in older]
    return Pool([(newest, NEWEST_SHARE if older else 1.0), *members])
