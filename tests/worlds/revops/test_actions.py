"""The pilot's ten actions, worked out by hand from section 4 of the rulebook.

Every row starts from `helpers.COMPANY`: MRR 60,000, CAC 1,000, LTV 6,000, churn .05, runway 10,
marketing 20,000, support .5, ARPA 500, slack .5.
"""

import math

import numpy as np
import pytest

from revops_ma.worlds.revops.actions import ACTIONS, NO_DECISION, act
from tests.worlds.revops import helpers
from tests.worlds.revops.helpers import COMPANY, company

KEY = np.uint64(0)

BY_HAND = [
    # growth = min(.66*60000/20000 - 1 = .98, .4 m); CAC * (1 - .06 * growth/.4 * 60/120)
    ("increase_marketing", 1.0, {"mrr": 61_200, "cac": 970, "marketing": 28_000}),
    ("increase_marketing", 0.5, {"mrr": 60_600, "cac": 985, "marketing": 24_000}),
    # half of the budget times m; 1.9 months for a budget the size of MRR + 1
    ("decrease_marketing", 1.0, {"marketing": 10_000, "runway": 10 + 1.9 * 10_000 / 60_001}),
    ("decrease_marketing", 0.5, {"marketing": 15_000, "runway": 10 + 1.9 * 5_000 / 60_001}),
    # runway - (.7 + 1.5) and - (.35 + 1.5/4)
    ("hire_support", 1.0, {"support": 0.59, "churn": 0.044, "ltv": 6_150, "runway": 7.8}),
    ("hire_support", 0.5, {"support": 0.545, "churn": 0.047, "ltv": 6_075, "runway": 9.275}),
    # 2.6 * .5 months; churn + .012 m^2
    ("fire_support", 1.0, {"runway": 11.3, "support": 0.4, "churn": 0.062}),
    ("fire_support", 0.5, {"runway": 10.65, "support": 0.45, "churn": 0.053}),
    ("discount_campaign", 1.0, {"mrr": 65_400, "ltv": 5_280, "arpa": 455, "churn": 0.053}),
    ("discount_campaign", 0.5, {"mrr": 62_700, "ltv": 5_640, "arpa": 477.5, "churn": 0.05075}),
    # churn + .014 m^2 * (1.5 - .5)
    ("raise_prices", 1.0, {"mrr": 63_000, "arpa": 525, "ltv": 6_420, "churn": 0.064}),
    ("raise_prices", 0.5, {"mrr": 61_500, "arpa": 512.5, "ltv": 6_210, "churn": 0.0535}),
    # runway - (.25 + .25) and - (.125 + .0625)
    ("feature_investment", 1.0, {"ltv": 6_660, "churn": 0.0445, "runway": 9.5}),
    ("feature_investment", 0.5, {"ltv": 6_330, "churn": 0.04725, "runway": 9.8125}),
    # 3.2 * .5 months; slack * .65; marketing * .9; MRR * .985 and * (1 - .015/4)
    ("cut_costs", 1.0, {"runway": 11.6, "slack": 0.325, "marketing": 18_000, "mrr": 59_100}),
    ("cut_costs", 0.5, {"runway": 10.8, "slack": 0.4125, "marketing": 19_000, "mrr": 59_775}),
    ("negotiate_contracts", 1.0, {"churn": 0.044, "ltv": 6_330, "cac": 1_040}),
    ("negotiate_contracts", 0.5, {"churn": 0.047, "ltv": 6_165, "cac": 1_010}),
]

PIVOT_WORKS = [
    (1.0, {"runway": 9.7, "cac": 800, "arpa": 540, "ltv": 7_200, "mrr": 64_800}),
    (0.5, {"runway": 9.85, "cac": 900, "arpa": 520, "ltv": 6_600, "mrr": 62_400}),
]
PIVOT_FAILS = [
    (1.0, {"runway": 9.7, "mrr": 52_500, "churn": 0.06}),
    (0.5, {"runway": 9.85, "mrr": 58_125, "churn": 0.0525}),  # .125/4 and .01/4
]


def play(action, magnitude, start=COMPANY, month=1, key=KEY):
    return act(start, ACTIONS.index(action), magnitude, key, month)


def month_with_pivot_luck(low, high):
    """A month of key 0 whose pivot number lies in [low, high)."""
    return next(t for t in range(1, 31) if low <= helpers.uniform(0, t, 0) < high)


def assert_changed(after, start, changes):
    assert after == pytest.approx(start._replace(**changes), rel=1e-12)


@pytest.mark.parametrize(("action", "magnitude", "changes"), BY_HAND)
def test_an_action_changes_what_the_rulebook_says_and_nothing_else(action, magnitude, changes):
    assert_changed(play(action, magnitude), COMPANY, changes)


def test_every_action_has_numbers_worked_out_by_hand():
    assert {row[0] for row in BY_HAND} | {"pivot_segment"} == set(ACTIONS)


@pytest.mark.parametrize(("magnitude", "changes"), PIVOT_WORKS)
def test_a_pivot_that_works_finds_a_better_segment(magnitude, changes):
    month = month_with_pivot_luck(0.0, 0.55)  # .45 + .2 * support .5
    assert_changed(play("pivot_segment", magnitude, month=month), COMPANY, changes)


@pytest.mark.parametrize(("magnitude", "changes"), PIVOT_FAILS)
def test_a_pivot_that_fails_costs_revenue_and_customers(magnitude, changes):
    month = month_with_pivot_luck(0.55, 1.0)
    assert_changed(play("pivot_segment", magnitude, month=month), COMPANY, changes)


def test_support_decides_a_pivot_between_45_and_65_percent():
    month = month_with_pivot_luck(0.45, 0.65)
    assert play("pivot_segment", 1.0, company(support=0.0), month).cac == 1_000
    assert play("pivot_segment", 1.0, company(support=1.0), month).cac == 800


def test_marketing_grows_only_to_the_boards_cap():
    # .66*60000/36000 - 1 = .1, so CAC * (1 - .06 * .25 * .5)
    after = play("increase_marketing", 1.0, company(marketing=36_000.0))
    assert_changed(after, COMPANY, {"mrr": 61_200, "cac": 992.5, "marketing": 39_600})
    # nothing left to grow: only the 2 % of MRR
    after = play("increase_marketing", 1.0, company(marketing=39_600.0))
    assert_changed(after, COMPANY, {"mrr": 61_200, "marketing": 39_600})


def test_decreasing_marketing_below_the_floor_pays_runway_for_the_full_cut():
    # 1,500 - 750 is under the floor of 1,000; runway still gets all 750
    after = play("decrease_marketing", 1.0, company(marketing=1_500.0))
    expected = {"marketing": 1_000, "runway": 10 + 1.9 * 750 / 60_001}
    assert_changed(after, COMPANY, expected)


@pytest.mark.parametrize("low", [0.0999, 0.0, -0.0, -3.0, -math.inf, math.nan])
@pytest.mark.parametrize("action", ACTIONS)
def test_magnitudes_below_a_tenth_and_nan_count_as_a_tenth(action, low):
    assert play(action, low) == play(action, 0.1)
    assert play(action, 0.1) != play(action, 0.1001)


@pytest.mark.parametrize("high", [1.0001, 80.0, 1e308, math.inf])
@pytest.mark.parametrize("action", ACTIONS)
def test_magnitudes_above_1_count_as_1(action, high):
    assert play(action, high) == play(action, 1.0)


@pytest.mark.parametrize("index", [NO_DECISION, len(ACTIONS), -99, 2**62])
def test_no_decision_and_unknown_indices_change_nothing(index):
    assert act(COMPANY, index, 1.0, KEY, 1) == COMPANY


def test_figures_are_clamped_after_an_action():
    start = company(mrr=499_000.0, runway=35.9, support=0.05, slack=1.0)
    assert play("discount_campaign", 1.0, start).mrr == 500_000
    assert play("cut_costs", 1.0, start).runway == 36
    assert play("fire_support", 1.0, start).support == 0
    assert play("hire_support", 1.0, company(runway=2.0)).runway == 0
