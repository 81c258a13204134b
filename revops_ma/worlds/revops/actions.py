"""The pilot's ten actions (rulebook section 4).

Benefits are linear in the magnitude m, side-costs quadratic: rushing costs more, so a middling
magnitude can be best. The coefficients are the rulebook's; each is read where it stands: share or
points per unit of magnitude of the figure named on the left of its line.
"""

from __future__ import annotations

from revops_ma.jit import kernel
from revops_ma.luck import uniform
from revops_ma.worlds.revops.company import MARKETING_CAP, Company, clamp, clip

ACTIONS = (
    "increase_marketing",
    "decrease_marketing",
    "hire_support",
    "fire_support",
    "discount_campaign",
    "raise_prices",
    "feature_investment",
    "cut_costs",
    "negotiate_contracts",
    "pivot_segment",
)
NO_DECISION = -1
"""The month of a pilot whose move was refused: stage 1 is left out, the market goes on."""

MAGNITUDE_MIN, MAGNITUDE_MAX = 0.1, 1.0
DEFAULT_MAGNITUDE = 0.5
"""What a text without a readable magnitude gets."""

MARKETING_STEP = 0.4
"""Largest growth of marketing in one action of magnitude 1."""
MARKETING_REACH = 60_000.0
"""MRR at which growing marketing gets half of its scale effect on CAC."""
RUNWAY_PER_MARKETING = 1.9
"""Months of runway that a marketing budget the size of MRR frees when it is cut."""
PIVOT_BASE_CHANCE, PIVOT_SUPPORT_CHANCE = 0.45, 0.2
"""Chance that a pivot works, and what full support quality adds to it."""
PIVOT_LANE = 0
"""Lane of luck that decides a pivot."""


@kernel
def act(c, action, magnitude, key, month):
    """Play one action (index into ACTIONS, or NO_DECISION) and return the clamped company.

    The magnitude is limited to [0.1, 1]; a NaN counts as 0.1. `month` is the month being played.
    """
    m = clip(magnitude, MAGNITUDE_MIN, MAGNITUDE_MAX)
    mrr, cac, ltv, churn, runway, marketing, support, arpa, slack = c
    if action == 0:  # increase_marketing
        growth = clip(MARKETING_CAP * mrr / marketing - 1, 0.0, MARKETING_STEP * m)
        cac *= 1 - 0.06 * (growth / MARKETING_STEP) * (mrr / (mrr + MARKETING_REACH))
        marketing *= 1 + growth
        mrr *= 1 + 0.02 * m
    elif action == 1:  # decrease_marketing
        cut = marketing * (0.5 * m)
        marketing -= cut
        runway += RUNWAY_PER_MARKETING * (cut / (mrr + 1))
    elif action == 2:  # hire_support
        support += 0.18 * m * (1 - support)
        churn *= 1 - 0.12 * m
        ltv *= 1 + 0.025 * m
        runway -= 0.7 * m + 1.5 * (m * m)
    elif action == 3:  # fire_support
        runway += 2.6 * m * support
        support -= 0.1 * m
        churn += 0.012 * (m * m)
    elif action == 4:  # discount_campaign
        mrr *= 1 + 0.09 * m
        ltv *= 1 - 0.12 * m
        arpa *= 1 - 0.09 * m
        churn += 0.003 * (m * m)
    elif action == 5:  # raise_prices
        mrr *= 1 + 0.05 * m
        arpa *= 1 + 0.05 * m
        ltv *= 1 + 0.07 * m
        churn += 0.014 * (m * m) * (1.5 - support)
    elif action == 6:  # feature_investment
        ltv *= 1 + 0.11 * m
        churn *= 1 - 0.11 * m
        runway -= 0.25 * m + 0.25 * (m * m)
    elif action == 7:  # cut_costs
        runway += 3.2 * m * slack
        slack *= 1 - 0.35 * m
        marketing *= 1 - 0.1 * m
        mrr *= 1 - 0.015 * (m * m)
    elif action == 8:  # negotiate_contracts
        churn *= 1 - 0.12 * m
        ltv *= 1 + 0.055 * m
        cac *= 1 + 0.04 * (m * m)
    elif action == 9:  # pivot_segment
        runway -= 0.3 * m
        chance = PIVOT_BASE_CHANCE + PIVOT_SUPPORT_CHANCE * support
        if uniform(key, month, PIVOT_LANE) < chance:
            cac *= 1 - 0.2 * m
            arpa *= 1 + 0.08 * m
            ltv *= 1 + 0.2 * m
            mrr *= 1 + 0.08 * m
        else:
            mrr *= 1 - 0.125 * (m * m)
            churn += 0.01 * (m * m)
    return clamp(Company(mrr, cac, ltv, churn, runway, marketing, support, arpa, slack))
