"""The last strike of a sequence and the rest of the game as one loop: most of an exact search."""

from __future__ import annotations

from typing import Any

import numpy as np

from revops_ma.game import Agent, Batch, Coast, Flags, Floats, Games, Rows
from revops_ma.jit import kernel
from revops_ma.worlds.revops.bots.heuristic import Thresholds, decide
from revops_ma.worlds.revops.games import GAME, OVER, Ending, company_of
from revops_ma.worlds.revops.kernel import (
    CRISIS_MOVE,
    OUT,
    blow,
    is_crisis_due,
    pass_month,
    play_action,
    settle,
)
from revops_ma.worlds.revops.moves import NO_CRISIS

SURVIVED = int(Ending.SURVIVED)


def coaster(agent: Agent) -> Coast | None:
    """The loop of a pilot that plays by the rules of thumb; None for any other."""
    card: Any = getattr(agent, "card", None)
    if getattr(card, "kind", None) != "scripted" or card.bot != "heuristic":
        return None
    params: Any = getattr(agent, "params", {})
    thresholds = Thresholds(**params)

    def loop(games: Games, rows: Rows, moves: Batch, returns: Floats, lost: Flags) -> None:
        scratch = np.zeros(1, GAME), np.zeros(1, OUT), np.array([NO_CRISIS], CRISIS_MOVE)
        last_moves(games, rows, moves, thresholds, returns, lost, *scratch)

    return loop


@kernel
def last_moves(games, rows, moves, thresholds, returns, lost, game, out, no_crisis):
    """Play each move in a copy of each row's game, and the rules against no crisis after it."""
    for j in range(len(rows)):
        for k in range(len(moves)):
            game[0] = games[rows[j]]
            g = game[0]
            blow(g, moves[k], out[0])
            settle(g, out[0])
            returns[j, k] += out[0].reward
            while g.turn != OVER:
                action, magnitude = decide(company_of(g), thresholds)
                play_action(g, action, magnitude)
                pass_month(g)
                if is_crisis_due(g):
                    blow(g, no_crisis[0], out[0])
                settle(g, out[0])
                returns[j, k] += out[0].reward
            lost[j, k] = g.ending != SURVIVED
