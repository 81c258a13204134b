"""Crisis engines that read the company: the source's rule, and one month of look-ahead."""

from __future__ import annotations

from typing import Any

import numpy as np

from revops_ma.game import View
from revops_ma.jit import kernel
from revops_ma.worlds.revops.crises import CRISES, strike
from revops_ma.worlds.revops.games import company_of
from revops_ma.worlds.revops.kernel import CRISIS_MOVE, rule_based_moves
from revops_ma.worlds.revops.rewards import score_month

_CRISIS_COUNT = len(CRISES)


def rule_based(view: View) -> Any:
    """Strike where the company is weakest, with what hurts most there, at severity 1."""
    moves = np.zeros(len(view), CRISIS_MOVE)
    rule_based_moves(*view.secrets(), moves)
    return moves


def lookahead(view: View) -> Any:
    """Strike with what leaves the pilot the lowest reward this month, at severity 1."""
    moves = np.zeros(len(view), CRISIS_MOVE)
    _lookahead_moves(*view.secrets(), moves)
    return moves


@kernel
def _lookahead_moves(games, rows, moves):
    for j in range(len(rows)):
        g = games[rows[j]]
        c = company_of(g)
        lowest, choice = 1e300, 0
        for crisis in range(_CRISIS_COUNT):
            hit = strike(c, crisis, 1.0, 1.0)
            reward = score_month(hit, g.previous_mrr, g.month)[4]
            if reward < lowest:
                lowest, choice = reward, crisis
        moves[j].crisis = choice
        moves[j].r1 = moves[j].r2 = 1.0
