"""What each role may see, as numbers (rulebook sections 1 and 8)."""

from __future__ import annotations

from revops_ma.jit import kernel
from revops_ma.worlds.revops.actions import ACTIONS, MAGNITUDE_MAX
from revops_ma.worlds.revops.company import (
    CAC_MAX,
    CHURN_MAX,
    LTV_MAX,
    MARKETING_CAP,
    MRR_MAX,
    RUNWAY_MAX,
)
from revops_ma.worlds.revops.crises import BANK_MAX, CAC_ALARM, CRISES, METRICS, weakness
from revops_ma.worlds.revops.games import MONTHS, company_of

DASHBOARD = ("mrr", "cac", "ltv", "churn", "runway", "marketing", "support")
"""The seven figures that both roles see, in their natural units."""

_ONE_HOT_CRISIS = tuple(f"crisis_{name}" for name in CRISES)
_ONE_HOT_ACTIONS = tuple(f"action_{ago}_{name}" for ago in (1, 2, 3) for name in ACTIONS)

PILOT_NUMBERS = (*DASHBOARD, "month", *_ONE_HOT_CRISIS)
"""Dashboard, months done, and a one-hot of the crisis that struck in the month just ended."""
CRISIS_NUMBERS = (
    *DASHBOARD,
    "month",
    *(f"weakness_{metric}" for metric in METRICS),
    "bank",
    "turns_left",
    *_ONE_HOT_CRISIS,
    "magnitude_1",
    "magnitude_2",
    "magnitude_3",
    *_ONE_HOT_ACTIONS,
)
"""Dashboard, month, weakness scores, bank, turns left with this one, its own last crisis (one-hot),
and the pilot's last three magnitudes and actions (one-hot), latest first."""

_DASHBOARD_HIGH = (MRR_MAX, CAC_MAX, LTV_MAX, CHURN_MAX, RUNWAY_MAX, MARKETING_CAP * MRR_MAX, 1.0)
_WEAKNESS_HIGH = (CHURN_MAX / 0.2, CAC_MAX / CAC_ALARM, 1.0, 1.0, 1.0)
PILOT_HIGH = (*_DASHBOARD_HIGH, float(MONTHS), *(1.0,) * len(CRISES))
CRISIS_HIGH = (
    *_DASHBOARD_HIGH,
    float(MONTHS),
    *_WEAKNESS_HIGH,
    BANK_MAX,
    float(MONTHS),
    *(1.0,) * len(CRISES),
    *(MAGNITUDE_MAX,) * 3,
    *(1.0,) * len(_ONE_HOT_ACTIONS),
)
"""Upper bounds of the numbers; every lower bound is 0."""

_CRISES_AT, _BANK_AT, _MAGNITUDES_AT, _ACTIONS_AT = 15, 13, 23, 26
_PILOT_CRISES_AT = 8


@kernel
def _dashboard(g, out):
    out[0], out[1], out[2], out[3] = g.mrr, g.cac, g.ltv, g.churn
    out[4], out[5], out[6] = g.runway, g.marketing, g.support
    out[7] = g.month


@kernel
def observe_pilot(games, rows, out):
    """Fill `out` [n, len(PILOT_NUMBERS)], which must come zeroed."""
    for j in range(len(rows)):
        g = games[rows[j]]
        _dashboard(g, out[j])
        if g.active_crisis >= 0:
            out[j, _PILOT_CRISES_AT + g.active_crisis] = 1.0


@kernel
def observe_crisis(games, rows, out):
    """Fill `out` [n, len(CRISIS_NUMBERS)], which must come zeroed."""
    for j in range(len(rows)):
        g = games[rows[j]]
        _dashboard(g, out[j])
        c = company_of(g)
        for metric in range(5):
            out[j, 8 + metric] = weakness(c, metric)
        out[j, _BANK_AT] = g.bank
        out[j, _BANK_AT + 1] = MONTHS // g.crisis_every - (g.month - 1) // g.crisis_every
        if g.last_crisis >= 0:
            out[j, _CRISES_AT + g.last_crisis] = 1.0
        out[j, _MAGNITUDES_AT] = g.magnitude_1
        out[j, _MAGNITUDES_AT + 1] = g.magnitude_2
        out[j, _MAGNITUDES_AT + 2] = g.magnitude_3
        if g.action_1 >= 0:
            out[j, _ACTIONS_AT + g.action_1] = 1.0
        if g.action_2 >= 0:
            out[j, _ACTIONS_AT + 10 + g.action_2] = 1.0
        if g.action_3 >= 0:
            out[j, _ACTIONS_AT + 20 + g.action_3] = 1.0
