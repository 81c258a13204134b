"""The market month that follows the pilot's action (rulebook section 5)."""

from __future__ import annotations

from revops_ma.jit import kernel
from revops_ma.luck import bell
from revops_ma.worlds.revops.company import (
    CHURN_OF_BAD_SUPPORT,
    MARGIN,
    Company,
    clamp,
    clip,
)

DEMAND_LANE, MRR_LANE, SUPPORT_LANE, CHURN_LANE, CAC_LANE, RUNWAY_LANE = 1, 2, 3, 4, 5, 6
"""Lanes of luck of one month; lane 0 belongs to the pivot."""

MRR_BASE_MIN = 1_000.0
"""Smallest MRR that shares of marketing and sales are taken of, dollars."""
SATURATION = 0.63
"""Share of MRR spent on marketing at which half of the spend is wasted."""
SUPPORT_WEAR, SUPPORT_LOAD = 0.004, 0.03
"""Support lost a month by wear, and by onboarding new MRR the size of the base."""
FAIR_ARPA, CHURN_OF_HIGH_PRICES = 475.0, 0.03
"""Dollars per account above which customers leave for the price, and the churn at twice that."""
CHURN_PULL, CAC_PULL, LTV_PULL, SLACK_PULL = 0.14, 0.18, 0.5, 0.1
"""Share of the way that each figure goes to its long-run level in a month."""
EASY_MARKETING, CAC_OF_SPENDING, CAC_LEVEL_MIN = 0.34, 3.0, 0.4
"""Share of MRR that marketing may cost without lifting CAC, the lift above, the lowest level."""
CHURN_FOR_LTV_MIN = 0.01
COST_OF_REVENUE, COST_OF_SUPPORT = 0.2, 0.14
"""Cost per dollar of MRR: delivery, and support of quality 1."""
BURN_PACE, BURN_MAX, SAVING_MAX = 0.4, 1.0, 0.2
"""Runway gained or lost a month per unit of cost cover, and its limits, months."""
DEMAND_NOISE, MRR_NOISE, SUPPORT_NOISE, CHURN_NOISE, CAC_NOISE, RUNWAY_NOISE = (
    0.1,
    0.01,
    0.015,
    0.0025,
    0.03,
    0.1,
)
"""Standard deviations: relative for demand, MRR and CAC, absolute for the others."""


@kernel
def drift(c, market, key, month):
    """Let one month (1..30) pass and return the clamped company."""
    mrr, cac, ltv, churn, runway, marketing, support, arpa, slack = c
    base = max(mrr, MRR_BASE_MIN)
    ratio = marketing / base
    effective = marketing / (1 + ratio / SATURATION)
    demand = max(0.0, 1 + DEMAND_NOISE * bell(key, month, DEMAND_LANE))
    new = effective / cac * arpa * demand
    lost = churn * mrr
    mrr = (mrr + new - lost) * (1 + MRR_NOISE * bell(key, month, MRR_LANE))
    support = support - (SUPPORT_WEAR + SUPPORT_LOAD * (new / base))
    support = support + SUPPORT_NOISE * bell(key, month, SUPPORT_LANE)
    gap = 1 - clip(support, 0.0, 1.0)
    overpriced = max(0.0, arpa / FAIR_ARPA - 1)
    churn_level = market.churn_factor * (
        market.churn + CHURN_OF_BAD_SUPPORT * (gap * gap) + CHURN_OF_HIGH_PRICES * overpriced
    )
    churn = churn + CHURN_PULL * (churn_level - churn) + CHURN_NOISE * bell(key, month, CHURN_LANE)
    spending = 1 + CAC_OF_SPENDING * (ratio - EASY_MARKETING)
    cac_level = market.cac * max(CAC_LEVEL_MIN, spending)
    cac = (cac + CAC_PULL * (cac_level - cac)) * (1 + CAC_NOISE * bell(key, month, CAC_LANE))
    ltv = ltv + LTV_PULL * (MARGIN * arpa / max(churn, CHURN_FOR_LTV_MIN) - ltv)
    cost = market.fixed_cost + COST_OF_REVENUE * mrr + marketing + COST_OF_SUPPORT * support * mrr
    cover = BURN_PACE * (MARGIN * mrr / cost - 1)
    runway = runway + clip(cover, -BURN_MAX, SAVING_MAX)
    runway = runway + RUNWAY_NOISE * bell(key, month, RUNWAY_LANE)
    slack = slack + SLACK_PULL * (1 - slack)
    return clamp(Company(mrr, cac, ltv, churn, runway, marketing, support, arpa, slack))
