"""The market month of section 5: a quiet month by hand, then one lane of luck at a time."""

import numpy as np
import pytest

from revops_ma.worlds.revops import market
from revops_ma.worlds.revops.company import Market
from tests.worlds.revops.helpers import COMPANY, company

CONSTANTS = Market(cac=1_200.0, churn=0.03, fixed_cost=9_000.0, churn_factor=1.0)


@pytest.fixture
def month(monkeypatch):
    """Play one month whose bell numbers are 0, but for the lanes given as {lane: value}."""

    def played(start=COMPANY, luck=None, constants=CONSTANTS):
        monkeypatch.setattr(market, "bell", lambda key, t, lane: (luck or {}).get(lane, 0.0))
        return market.drift.py_func(start, constants, np.uint64(0), 1)

    return played


# By hand, from helpers.COMPANY (marketing 20,400 makes its share of MRR exactly .34):
SHARE = 0.34
NEW = 20_400 / (1 + SHARE / 0.63) / 1_000 * 500  # effective spend / CAC * ARPA = 6,624.74
MRR = 60_000 + NEW - 0.05 * 60_000  # = 63,624.74
SUPPORT = 0.5 - 0.004 - 0.03 * NEW / 60_000
CHURN_LEVEL = 0.03 + 0.18 * (1 - SUPPORT) ** 2 + 0.03 * (500 / 475 - 1)
CHURN = 0.05 + 0.14 * (CHURN_LEVEL - 0.05)
COST = 9_000 + 0.2 * MRR + 20_400 + 0.14 * SUPPORT * MRR
QUIET = {
    "mrr": MRR,
    "cac": 1_000 + 0.18 * (1_200 - 1_000),  # no overspending: back to the market's level
    "ltv": 6_000 + 0.5 * (0.8 * 500 / CHURN - 6_000),
    "churn": CHURN,
    "runway": 10 + 0.4 * (0.8 * MRR / COST - 1),  # a gain of .0377 months
    "marketing": 20_400,
    "support": SUPPORT,
    "arpa": 500,
    "slack": 0.55,
}
START = company(marketing=20_400.0)


def test_a_quiet_month_comes_out_as_worked_out_by_hand(month):
    assert pytest.approx(6_624.7422680412) == NEW
    assert pytest.approx(0.0377201782) == QUIET["runway"] - 10
    assert month(START)._asdict() == pytest.approx(QUIET, rel=1e-12)


@pytest.mark.parametrize(
    ("lane", "figure", "change"),
    [
        (market.MRR_LANE, "mrr", lambda quiet: quiet * 1.01),
        (market.SUPPORT_LANE, "support", lambda quiet: quiet + 0.015),
        (market.CHURN_LANE, "churn", lambda quiet: quiet + 0.0025),
        (market.CAC_LANE, "cac", lambda quiet: quiet * 1.03),
        (market.RUNWAY_LANE, "runway", lambda quiet: quiet + 0.1),
        (market.DEMAND_LANE, "mrr", lambda quiet: quiet + 0.1 * NEW),
    ],
)
def test_each_lane_of_luck_moves_its_own_figure_by_one_deviation(month, lane, figure, change):
    lucky = getattr(month(START, {lane: 1.0}), figure)
    assert lucky == pytest.approx(change(QUIET[figure]), rel=1e-12)


def test_lanes_of_a_month_are_told_apart():
    lanes = (
        market.DEMAND_LANE,
        market.MRR_LANE,
        market.SUPPORT_LANE,
        market.CHURN_LANE,
        market.CAC_LANE,
        market.RUNWAY_LANE,
    )
    assert lanes == (1, 2, 3, 4, 5, 6)


def test_demand_never_falls_below_nothing(month):
    assert month(START, {market.DEMAND_LANE: -11.0}).mrr == 60_000 - 3_000


def test_overspending_lifts_cac_and_thrift_lowers_it_to_a_floor(month):
    # share .6: level 1200 * (1 + 3 * .26) = 2136; share 1/60: 1 - 3 * .3233 = .03, floor .4 -> 480
    assert month(company(marketing=36_000.0)).cac == pytest.approx(1_000 + 0.18 * 1_136)
    assert month(company(marketing=1_000.0)).cac == pytest.approx(1_000 - 0.18 * 520)


def test_an_mrr_of_nothing_is_counted_as_1000_where_shares_are_taken(month):
    after = month(company(mrr=0.0, marketing=1_000.0))
    # share 1000/1000 = 1: spend 1000 / (1 + 1/.63), CAC 1000, ARPA 500
    new = 1_000 / (1 + 1 / 0.63) / 1_000 * 500
    assert after.mrr == pytest.approx(new)
    assert after.support == pytest.approx(0.5 - 0.004 - 0.03 * new / 1_000)


def test_runway_falls_by_at_most_a_month_and_grows_by_at_most_a_fifth(month):
    ruinous = Market(1_200.0, 0.03, 1e12, 1.0)
    free = Market(1_200.0, 0.03, 0.0, 1.0)
    # cost without end: .4 * (0 - 1) = -.4 is as bad as it gets at this pace
    assert month(START, constants=ruinous).runway == pytest.approx(9.6)
    assert month(company(marketing=1_000.0), constants=free).runway == pytest.approx(10.2)


def test_ltv_counts_churn_of_at_least_a_percent(month):
    start = company(churn=0.005, support=1.0, arpa=400.0)
    calm = Market(1_200.0, 0.005, 9_000.0, 1.0)
    assert month(start, constants=calm).churn < 0.01
    assert month(start, constants=calm).ltv == pytest.approx(6_000 + 0.5 * (32_000 - 6_000))


def test_difficulty_multiplies_the_long_run_churn(month):
    hard = Market(1_200.0, 0.03, 9_000.0, 1.4)
    expected = 0.05 + 0.14 * (1.4 * CHURN_LEVEL - 0.05)
    assert month(START, constants=hard).churn == pytest.approx(expected)


def test_support_beyond_1_is_limited_for_churn_but_not_for_the_cost(month):
    # support 1 - .004 - load + 1 stays over 1 until the end of the month
    after = month(company(support=1.0, marketing=39_600.0), {market.SUPPORT_LANE: 1 / 0.015})
    new = 39_600 / (1 + 0.66 / 0.63) / 1_000 * 500
    mrr = 57_000 + new
    unclamped = 2.0 - 0.004 - 0.03 * new / 60_000
    cost = 9_000 + 0.2 * mrr + 39_600 + 0.14 * unclamped * mrr
    assert after.support == 1
    assert after.runway == pytest.approx(10 + 0.4 * (0.8 * mrr / cost - 1))
    level = 0.03 + 0.03 * (500 / 475 - 1)  # no gap left
    assert after.churn == pytest.approx(0.05 + 0.14 * (level - 0.05))
