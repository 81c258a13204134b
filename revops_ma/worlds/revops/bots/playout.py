"""Playing a company to the end inside the kernel: the engine room of planner and hunter."""

from __future__ import annotations

from typing import NamedTuple

from revops_ma.jit import kernel
from revops_ma.worlds.revops.actions import act
from revops_ma.worlds.revops.bots.heuristic import decide
from revops_ma.worlds.revops.company import is_dead
from revops_ma.worlds.revops.crises import rule_based_choice, strike
from revops_ma.worlds.revops.games import MONTHS
from revops_ma.worlds.revops.market import drift
from revops_ma.worlds.revops.rewards import DEATH_PENALTY, WEIGHTS, score_month


class Aim(NamedTuple):
    """What a search maximises: weights of the four signals, and what a death costs."""

    ltv_cac: float
    growth: float
    burn: float
    survival: float
    death: float


REWARD = Aim(*WEIGHTS, DEATH_PENALTY)
"""The pilot's reward itself, to the last bit."""


@kernel
def worth(c, previous_mrr, month, aim):
    """What a month is worth to an aim; see `score_month`."""
    ltv_cac, growth, burn, survival, _ = score_month(c, previous_mrr, month)
    value = aim.ltv_cac * ltv_cac + aim.growth * growth + aim.burn * burn + aim.survival * survival
    if is_dead(c):
        value = value - aim.death
    return value


@kernel
def engine_strike(c, plan):
    """Strike with the rule-based engine (plan -1) or with one crisis (plan 0..7), severity 1."""
    return strike(c, plan if plan >= 0 else rule_based_choice(c), 1.0, 1.0)


@kernel
def play_out(c, market, key, month, previous_mrr, crisis_every, plan, thresholds):
    """Return that a rule-of-thumb pilot still earns from `month` months done to the end.

    The engine strikes by `plan` (see `engine_strike`) whenever its turn comes.
    """
    return pursue(c, market, key, month, previous_mrr, crisis_every, plan, thresholds, REWARD)


@kernel
def pursue(c, market, key, month, previous_mrr, crisis_every, plan, thresholds, aim):
    """What `play_out` comes to for an aim."""
    total = 0.0
    while month < MONTHS:
        month += 1
        action, magnitude = decide(c, thresholds)
        c = drift(act(c, action, magnitude, key, month), market, key, month)
        if month % crisis_every == 0:
            c = engine_strike(c, plan)
        total += worth(c, previous_mrr, month, aim)
        if is_dead(c):
            break
        previous_mrr = c.mrr
    return total
