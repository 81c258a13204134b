"""The four reward signals and their sum (rulebook section 7). One step's reward: [-2.35, 1.0]."""

from __future__ import annotations

from revops_ma.jit import kernel
from revops_ma.worlds.revops.company import MRR_FLOOR, clip, is_dead

SIGNALS = ("ltv_cac", "growth", "burn", "survival")
WEIGHTS = (0.35, 0.30, 0.20, 0.15)
DEATH_PENALTY = 2.0
WORST_MONTH = -0.35
"""Bound on a month's reward without a death: LTV worthless, all other signals 0."""

LTV_CAC_GOOD, LTV_CAC_GREAT = 3.0, 6.0
"""LTV/CAC that earns 0.75, and the one that earns 1 (a ratio of 1 earns 0)."""
GROWTH_AT_REST = 0.3
"""Signal of a month without growth."""
BURN_FREE, BURN_FULL = 0.5, 0.8
"""Share of MRR spent on marketing up to which burn is perfect, and from which it earns 0."""
SUPPORT_DECENT = 0.6
"""Support quality below which burn is judged worse: starving support is no saving."""
RUNWAY_SAFE, RUNWAY_FULL = 3.0, 24.0
"""Months of runway above which survival pays at all, and at which it pays in full."""
CHURN_ALARM = 0.10
"""Churn above which the survival signal is halved."""


@kernel
def ltv_cac_signal(c):
    """-1 (LTV worthless) over 0 at LTV/CAC 1 and 0.75 at 3 to 1 from 6 on."""
    ratio = c.ltv / c.cac
    if ratio < 1:
        return ratio - 1
    if ratio < LTV_CAC_GOOD:
        return 0.375 * (ratio - 1)
    return 0.75 + 0.25 * min(1.0, (ratio - LTV_CAC_GOOD) / (LTV_CAC_GREAT - LTV_CAC_GOOD))


@kernel
def growth_signal(c, previous_mrr, month):
    """0.3 at rest, 1 from +10 % a month, 0 from -20 %; the first month pays for being alive."""
    if month == 1:
        return 1.0 if c.mrr > MRR_FLOOR else 0.0
    growth = c.mrr / max(previous_mrr, 1.0) - 1
    if growth >= 0:
        return min(1.0, GROWTH_AT_REST + 7 * growth)
    return max(0.0, GROWTH_AT_REST + 1.5 * growth)


@kernel
def burn_signal(c):
    """1 while marketing costs at most half of MRR and support is decent, down to 0."""
    share = c.marketing / max(c.mrr, 1.0)
    efficiency = 1 - clip((share - BURN_FREE) / (BURN_FULL - BURN_FREE), 0.0, 1.0)
    neglect = 0.5 * max(0.0, (SUPPORT_DECENT - c.support) / SUPPORT_DECENT)
    return clip(efficiency - neglect, 0.0, 1.0)


@kernel
def survival_signal(c):
    """0 in danger, else 0.5 to 1 by runway; halved while churn is alarming."""
    signal = 0.0
    if (c.mrr > MRR_FLOOR) & (c.runway > RUNWAY_SAFE):
        signal = 0.5 + 0.5 * min(1.0, c.runway / RUNWAY_FULL)
        if c.churn > CHURN_ALARM:
            signal *= 0.5
    return signal


@kernel
def score_month(c, previous_mrr, month):
    """Return the four raw signals and the pilot's reward of a month.

    `previous_mrr` is the MRR at the end of the month before, its crisis included.
    """
    ltv_cac = ltv_cac_signal(c)
    growth = growth_signal(c, previous_mrr, month)
    burn = burn_signal(c)
    survival = survival_signal(c)
    reward = 0.35 * ltv_cac + 0.30 * growth + 0.20 * burn + 0.15 * survival
    if is_dead(c):
        reward = reward - DEATH_PENALTY
    return ltv_cac, growth, burn, survival, reward
