"""The hunter: a crisis engine that plays the company to its end before it strikes.

The source's engine hits where the company is weakest today; the right constant crisis already does
more harm. The hunter asks what harms most by the end of the episode: each crisis now, followed by
each way to go on, is played out on fresh luck with the plain heuristic as its model of the pilot.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import Field

from revops_ma.game import View, slow
from revops_ma.jit import kernel
from revops_ma.luck import LANES_PER_STEP, bits, mix
from revops_ma.worlds.revops.bots.heuristic import PLAIN
from revops_ma.worlds.revops.bots.playout import play_out
from revops_ma.worlds.revops.company import is_dead
from revops_ma.worlds.revops.crises import CRISES, allowed_severity, strike
from revops_ma.worlds.revops.games import CRISIS_SALT, company_of, market_of
from revops_ma.worlds.revops.kernel import CRISIS_MOVE
from revops_ma.worlds.revops.rewards import score_month
from revops_ma.worlds.revops.threads import split

_CRISIS_COUNT = len(CRISES)
_FIRST_LANE = 8
"""Lanes from here on of the crisis engine's own luck seed the imagined futures."""
_GRAIN = 8
Futures = Annotated[int, Field(ge=1, le=LANES_PER_STEP - _FIRST_LANE)]
"""Decisions per thread below which a second thread does not pay."""


@slow
def hunter(view: View, *, futures: Futures = 12) -> Any:
    """Strike with what leaves the heuristic the lowest mean return over `futures` fresh futures."""
    moves = np.zeros(len(view), CRISIS_MOVE)
    games, rows = view.secrets()
    split(_hunt(futures), games, rows, moves, grain=_GRAIN)
    return moves


def _hunt(futures: int) -> Any:
    def loop(games: Any, rows: Any, moves: Any) -> None:
        _hunter_moves(games, rows, moves, futures, PLAIN)

    return loop


@kernel
def _hunter_moves(games, rows, moves, futures, thresholds):
    for j in range(len(rows)):
        g = games[rows[j]]
        lowest, choice, force = 1e300, 0, 1.0
        strongest = allowed_severity(g.bank)
        for crisis in range(_CRISIS_COUNT):
            for level in range(2):
                severity = 1.0 if level == 0 else strongest
                if level == 1 and strongest <= 1.0:
                    continue
                for plan in range(-1, _CRISIS_COUNT):
                    harm = _expected(g, crisis, severity, plan, futures, thresholds)
                    if harm < lowest:
                        lowest, choice, force = harm, crisis, severity
        moves[j].crisis = choice
        moves[j].r1 = moves[j].r2 = force


@kernel
def _expected(g, crisis, severity, plan, futures, thresholds):
    """Mean pilot return after a strike now and `plan` later."""
    hit = strike(company_of(g), crisis, severity, severity)
    now = score_month(hit, g.previous_mrr, g.month)[4]
    if is_dead(hit):
        return now
    total = 0.0
    own = mix(g.key ^ CRISIS_SALT)
    for future in range(futures):
        key = bits(own, g.month, _FIRST_LANE + future)
        total += play_out(
            hit, market_of(g), key, g.month, hit.mrr, g.crisis_every, plan, thresholds
        )
    return now + total / futures
