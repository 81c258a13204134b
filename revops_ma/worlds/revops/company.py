"""The state of one company, its bounds, and how it is dealt (rulebook sections 1 and 3).

Functions here and in the sibling rule modules work on scalars, are compiled by numba, and give the
same bits as plain Python: only + - * / comparisons, in the rulebook's order. Never enable fastmath,
never re-bracket: that changes bits and breaks every golden episode.
"""

from __future__ import annotations

from typing import NamedTuple

from revops_ma.jit import kernel
from revops_ma.luck import uniform

MRR_FLOOR = 20_000.0
"""Dollars of MRR below which the company is dead; exactly this much is alive."""
CHURN_CEILING = 0.20
"""Monthly churn above which the company is dead; also where the engine scores churn as 1."""
MRR_MAX = 500_000.0
CAC_MIN, CAC_MAX = 300.0, 6_000.0
LTV_MIN, LTV_MAX = 100.0, 60_000.0
CHURN_MIN, CHURN_MAX = 0.005, 0.60
RUNWAY_MAX = 36.0
MARKETING_MIN = 1_000.0
MARKETING_CAP = 0.66
"""The board caps marketing at this share of MRR."""
ARPA_MIN, ARPA_MAX = 150.0, 1_500.0

MARGIN = 0.8
"""Gross margin: LTV tends to MARGIN * arpa / churn."""
CHURN_OF_BAD_SUPPORT = 0.18
"""Monthly churn that support quality 0 adds to the structural churn; grows with the square."""

DIFFICULTIES = ("easy", "normal", "hard")
RUNWAY_FACTOR = (1.5, 1.0, 0.6)
CHURN_FACTOR = (0.6, 1.0, 1.4)
"""Multiplies the first month's churn and the long-run churn alike."""
CAC_FACTOR = (1.0, 1.0, 1.3)


class Company(NamedTuple):
    """The nine figures that change from month to month (rulebook section 1, rows 0 to 8)."""

    mrr: float
    """Monthly recurring revenue, dollars."""
    cac: float
    """Cost to win one customer, dollars."""
    ltv: float
    """Lifetime value of one customer, dollars."""
    churn: float
    """Share of MRR lost a month."""
    runway: float
    """Months until the cash is gone."""
    marketing: float
    """Marketing spend, dollars a month."""
    support: float
    """Support quality, 0 to 1."""
    arpa: float
    """MRR of one account, dollars. Hidden from the pilot."""
    slack: float
    """Share of the discretionary cost that is still there to cut. Hidden from the pilot."""


class Market(NamedTuple):
    """The constants of one episode, hidden from both players (rows 9 to 11 and the difficulty)."""

    cac: float
    """Level that CAC returns to, dollars."""
    churn: float
    """Structural monthly churn."""
    fixed_cost: float
    """Fixed cost, dollars a month."""
    churn_factor: float
    """Difficulty: multiplies the long-run churn."""


@kernel
def clip(x, low, high):
    """Limit x to [low, high]; a NaN becomes low."""
    x = x if x >= low else low
    return high if x > high else x


@kernel
def clamp(c):
    """Bring every figure back into its bounds, in the rulebook's order."""
    mrr = clip(c.mrr, 0.0, MRR_MAX)
    return Company(
        mrr,
        clip(c.cac, CAC_MIN, CAC_MAX),
        clip(c.ltv, LTV_MIN, LTV_MAX),
        clip(c.churn, CHURN_MIN, CHURN_MAX),
        clip(c.runway, 0.0, RUNWAY_MAX),
        clip(c.marketing, MARKETING_MIN, max(MARKETING_MIN, MARKETING_CAP * mrr)),
        clip(c.support, 0.0, 1.0),
        clip(c.arpa, ARPA_MIN, ARPA_MAX),
        clip(c.slack, 0.0, 1.0),
    )


@kernel
def is_dead(c):
    """Whether the company is dead: MRR below the floor, no runway, or churn over the ceiling."""
    return (c.mrr < MRR_FLOOR) | (c.runway <= 0.0) | (c.churn > CHURN_CEILING)


@kernel
def _between(low, high, key, lane):
    return low + (high - low) * uniform(key, 0, lane)


@kernel
def deal_company(key, difficulty):
    """Deal the company and the market of a key (uint64) at a difficulty (0 easy .. 2 hard)."""
    mrr = _between(33_000.0, 75_000.0, key, 0)
    cac = _between(1_100.0, 1_700.0, key, 1)
    structural_churn = _between(0.012, 0.05, key, 2)
    runway = _between(6.5, 20.0, key, 3)
    marketing = _between(0.23, 0.5, key, 4) * mrr
    support = _between(0.3, 0.85, key, 5)
    arpa = _between(400.0, 550.0, key, 6)
    slack = _between(0.5, 1.0, key, 7)
    fixed_cost = _between(6_000.0, 14_000.0, key, 8)
    churn = structural_churn + CHURN_OF_BAD_SUPPORT * ((1 - support) * (1 - support))
    runway *= RUNWAY_FACTOR[difficulty]
    churn *= CHURN_FACTOR[difficulty]
    cac *= CAC_FACTOR[difficulty]
    ltv = MARGIN * arpa / churn
    company = clamp(Company(mrr, cac, ltv, churn, runway, marketing, support, arpa, slack))
    return company, Market(cac, structural_churn, fixed_cost, CHURN_FACTOR[difficulty])
