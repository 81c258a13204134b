"""Pilots that offer the rule-based engine a lightning rod: one metric that is kept the worst.

The engine strikes where the company is weakest. So a pilot might let one metric go that it can do
without, and have the strikes fall there. Each decoy is the tuned heuristic without the rules that
mend one metric; a bold one also makes it worse on purpose while nothing else is in danger.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revops_ma.game import View
from revops_ma.jit import kernel
from revops_ma.worlds.revops.actions import ACTIONS
from revops_ma.worlds.revops.bots.heuristic import TUNED, heuristic
from revops_ma.worlds.revops.crises import METRICS, weakness
from revops_ma.worlds.revops.games import company_of

_NEVER = 1e9
NEGLECT: Mapping[str, Mapping[str, float]] = {
    "churn": {"h_em": _NEVER, "h_mid": _NEVER},
    "cac": {"c_hi": _NEVER},
    "support": {"s_weak": 0.0, "s_mid": 0.0, "s_h": 0.0},
    "runway": {"run_em": 0.0, "r_low": 0.0},
    "mrr": {"m_low": 0.0},
}
"""Thresholds at which the rules that mend a metric never apply."""
SPOIL = {
    "churn": "raise_prices",
    "cac": "increase_marketing",
    "support": "fire_support",
    "runway": "hire_support",
    "mrr": "pivot_segment",
}
"""What makes a metric worse and may bring something in return."""
MARGIN = 0.05
"""How much weaker than all others a bold decoy wants its metric to be."""
CALM = 0.3
"""Weakness of the other metrics up to which a bold decoy spoils its own."""
ENOUGH = 0.7
"""Weakness of its own metric at which it stops: beyond, the company is lost."""

_METRIC_COUNT = len(METRICS)


def decoy(view: View, *, metric: str, bold: bool) -> Any:
    """Play the tuned heuristic, and let one metric go."""
    moves = heuristic(view, **TUNED._replace(**NEGLECT[metric])._asdict())
    if bold:
        scores, own = weaknesses(view), METRICS.index(metric)
        others = np.delete(scores, own, axis=1).max(axis=1)
        below = scores[:, own] < np.minimum(others + MARGIN, ENOUGH)
        spoiled = below & (others < CALM)
        moves["action"][spoiled], moves["magnitude"][spoiled] = ACTIONS.index(SPOIL[metric]), 1.0
    return moves


def weaknesses(view: View) -> NDArray[np.float64]:
    """[n, 5] weakness scores, as the rule-based engine reads them off the company."""
    games, rows = view.secrets()
    scores = np.empty((len(rows), _METRIC_COUNT))
    _fill_weaknesses(games, rows, scores)
    return scores


@kernel
def _fill_weaknesses(games, rows, scores):
    for j in range(len(rows)):
        c = company_of(games[rows[j]])
        for metric in range(_METRIC_COUNT):
            scores[j, metric] = weakness(c, metric)
