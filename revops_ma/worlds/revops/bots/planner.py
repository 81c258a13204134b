"""The planner: model-predictive search on the kernel, the strongest scripted pilot.

Every month it tries each action at several magnitudes, followed by the tuned heuristic, against the
rule-based engine, on fresh luck: never on the luck that will really come. Candidates are halved
round by round, with more and new futures for those that are left, so no plan wins by knowing a few
lucky keys by heart.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import Field

from revops_ma.game import View, slow
from revops_ma.jit import kernel
from revops_ma.luck import bits, mix
from revops_ma.worlds.revops.actions import ACTIONS, act
from revops_ma.worlds.revops.bots.heuristic import TUNED, decide
from revops_ma.worlds.revops.bots.playout import REWARD, Aim, engine_strike, pursue, worth
from revops_ma.worlds.revops.company import is_dead
from revops_ma.worlds.revops.games import PILOT_SALT, company_of, market_of
from revops_ma.worlds.revops.kernel import PILOT_MOVE
from revops_ma.worlds.revops.market import drift
from revops_ma.worlds.revops.threads import split

_ACTION_COUNT = len(ACTIONS)
_MAGNITUDES = (0.25, 0.5, 0.75, 1.0)
_CANDIDATES = _ACTION_COUNT * len(_MAGNITUDES) + 1
"""Every action at every magnitude, and what the tuned heuristic would do."""
_LANE = 8
"""Lane of the pilot's own luck from which a month's imagined futures get their keys."""
_GRAIN = 8
Rounds = Annotated[tuple[Annotated[int, Field(ge=1, le=1_000)], ...], Field(min_length=1)]
Share = Annotated[float, Field(gt=0.0, le=1.0)]


@slow
def planner(
    view: View,
    *,
    futures: Rounds = (6, 16, 48),
    keep: Share = 0.25,
    weights: tuple[float, float, float, float, float] = REWARD,
) -> Any:
    """Play the first action of the best plan.

    `futures` are the fresh luck keys of each halving round, `keep` the share of candidates that
    goes on to the next. `weights` are those of the four signals and of a death (see `Aim`): what
    the search maximises instead of the reward.
    """
    moves = np.zeros(len(view), PILOT_MOVE)
    games, rows = view.secrets()
    rounds, aim = np.array(futures), Aim(*weights)

    def loop(games: Any, rows: Any, moves: Any) -> None:
        _planner_moves(games, rows, moves, rounds, keep, TUNED, aim)

    split(loop, games, rows, moves, grain=_GRAIN)
    return moves


@kernel
def _planner_moves(games, rows, moves, rounds, keep, thresholds, aim):
    actions = np.empty(_CANDIDATES, np.int64)
    magnitudes = np.empty(_CANDIDATES)
    for j in range(len(rows)):
        g = games[rows[j]]
        c = company_of(g)
        count = _CANDIDATES
        for i in range(count - 1):
            actions[i] = i // len(_MAGNITUDES)
            magnitudes[i] = _MAGNITUDES[i % len(_MAGNITUDES)]
        actions[count - 1], magnitudes[count - 1] = decide(c, thresholds)
        dreams = bits(mix(g.key ^ PILOT_SALT), g.month + 1, _LANE)
        used = 0
        for r in range(len(rounds)):
            values = np.zeros(count)
            for future in range(rounds[r]):
                key = bits(dreams, 0, used + future)
                for i in range(count):
                    values[i] += _try(g, c, actions[i], magnitudes[i], key, thresholds, aim)
            used += rounds[r]
            order = np.argsort(-values, kind="mergesort")
            count = max(1, int(count * keep)) if r + 1 < len(rounds) else 1
            actions[:count] = actions[order[:count]]
            magnitudes[:count] = magnitudes[order[:count]]
        moves[j].action, moves[j].magnitude = actions[0], magnitudes[0]


@kernel
def _try(g, c, action, magnitude, key, thresholds, aim):
    """Worth of one first move and the tuned heuristic after it, in one imagined future."""
    month = g.month + 1
    market = market_of(g)
    c = drift(act(c, action, magnitude, key, month), market, key, month)
    if month % g.crisis_every == 0:
        c = engine_strike(c, -1)
    now = worth(c, g.previous_mrr, month, aim)
    if is_dead(c):
        return now
    future = pursue(c, market, key, month, c.mrr, g.crisis_every, -1, thresholds, aim)
    return now + future
