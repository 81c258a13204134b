"""Crises, weaknesses, the rule-based engine and the bank (rulebook sections 6 and 8), by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from revops_ma.worlds.revops.crises import (
    CRISES,
    METRICS,
    affordable,
    allowed_severity,
    bank_after,
    damage,
    rule_based_choice,
    strike,
    weakest,
    weakness,
)
from tests.worlds.revops.helpers import COMPANY, company

# From helpers.COMPANY: MRR 60,000, CAC 1,000, churn .05, runway 10, support .5.
# (crisis, r1, r2, what changes)
BY_HAND = [
    ("CHURN_SPIKE", 1.0, 1.0, {"churn": 0.09, "mrr": 55_200}),
    ("CHURN_SPIKE", 0.5, 1.5, {"churn": 0.07, "mrr": 52_800}),
    ("CAC_EXPLOSION", 1.0, 1.0, {"cac": 1_600}),
    ("CAC_EXPLOSION", 1.5, 0.0, {"cac": 1_900}),
    ("SUPPORT_CRISIS", 1.0, 1.0, {"support": 0.25, "churn": 0.07}),
    ("SUPPORT_CRISIS", 0.4, 1.5, {"support": 0.40, "churn": 0.08}),
    ("CASH_CRUNCH", 1.0, 1.0, {"runway": 7}),
    ("CASH_CRUNCH", 1.5, 0.0, {"runway": 5.5}),
    ("PRICE_WAR", 1.0, 1.0, {"mrr": 52_800, "cac": 1_300}),
    ("PRICE_WAR", 0.0, 1.5, {"cac": 1_450}),
    ("REGULATORY_HIT", 1.0, 1.0, {"runway": 8, "cac": 1_200}),
    ("REGULATORY_HIT", 1.5, 0.5, {"runway": 7, "cac": 1_100}),
    ("ENTERPRISE_CHURN", 1.0, 1.0, {"mrr": 48_000}),
    ("ENTERPRISE_CHURN", 1.5, 0.0, {"mrr": 42_000}),
    ("TALENT_WAR", 1.0, 1.0, {"runway": 7.5, "support": 0.4}),
    ("TALENT_WAR", 0.2, 1.5, {"runway": 9.5, "support": 0.35}),
]


@pytest.mark.parametrize(("crisis", "r1", "r2", "changes"), BY_HAND)
def test_a_crisis_changes_what_the_rulebook_says_and_nothing_else(crisis, r1, r2, changes):
    after = strike(COMPANY, CRISES.index(crisis), r1, r2)
    assert after == pytest.approx(company(**changes), rel=1e-12)


def test_every_crisis_has_numbers_worked_out_by_hand():
    assert {row[0] for row in BY_HAND} == set(CRISES)


@pytest.mark.parametrize("index", [-1, -2, len(CRISES), 2**62])
def test_a_crisis_that_does_not_exist_changes_nothing(index):
    assert strike(COMPANY, index, 1.0, 1.0) == COMPANY


def test_a_crisis_that_takes_mrr_lowers_the_cap_on_marketing_too():
    after = strike(company(marketing=39_600.0), CRISES.index("ENTERPRISE_CHURN"), 1.0, 1.0)
    assert after.marketing == pytest.approx(0.66 * 48_000)


@pytest.mark.parametrize(
    ("metric", "figures", "score"),
    [
        ("churn", {"churn": 0.05}, 0.25),
        ("churn", {"churn": 0.60}, 3.0),
        ("cac", {"cac": 1_000.0}, 0.2),
        ("cac", {"cac": 6_000.0}, 1.2),
        ("support", {"support": 0.3}, 0.7),
        ("runway", {"runway": 3.0}, 0.75),
        ("runway", {"runway": 12.0}, 0.0),
        ("runway", {"runway": 36.0}, 0.0),
        ("mrr", {"mrr": 30_000.0}, 0.25),
        ("mrr", {"mrr": 40_000.0}, 0.0),
        ("mrr", {"mrr": 90_000.0}, 0.0),
    ],
)
def test_weakness_scores_follow_the_rulebook(metric, figures, score):
    assert weakness(company(**figures), METRICS.index(metric)) == pytest.approx(score, rel=1e-15)


# Scores of a company without a weakness: churn .025, cac .06, support 0, runway 0, mrr 0.
HEALTHY = {"churn": 0.005, "cac": 300.0, "support": 1.0, "runway": 36.0, "mrr": 90_000.0}


@pytest.mark.parametrize(
    ("figures", "worst"),
    [
        ({"churn": 0.1, "cac": 2_500.0}, "churn"),  # .5 and .5
        ({"cac": 2_500.0, "support": 0.5}, "cac"),
        ({"support": 0.5, "runway": 6.0}, "support"),
        ({"runway": 6.0, "mrr": 20_000.0}, "runway"),
        ({"churn": 0.1, "cac": 2_500.0, "support": 0.5, "runway": 6.0, "mrr": 20_000.0}, "churn"),
        ({"mrr": 20_000.0}, "mrr"),
    ],
)
def test_the_first_of_equal_weaknesses_is_the_worst(figures, worst):
    assert METRICS[weakest(company(**{**HEALTHY, **figures}))] == worst


def choice(**figures):
    return CRISES[rule_based_choice(company(**{**HEALTHY, **figures}))]


@pytest.mark.parametrize(
    ("figures", "crisis"),
    [
        ({"churn": 0.12}, "CHURN_SPIKE"),  # 4 points hurt churn more than SUPPORT_CRISIS's 2
        ({"cac": 2_500.0}, "CAC_EXPLOSION"),  # +60 %
        ({"support": 0.3}, "SUPPORT_CRISIS"),  # -25 points
        ({"runway": 6.0}, "CASH_CRUNCH"),  # -3 months
        ({"mrr": 30_000.0}, "ENTERPRISE_CHURN"),  # -20 %
    ],
)
def test_the_engine_strikes_where_it_hurts_that_metric_most(figures, crisis):
    assert choice(**figures) == crisis


@pytest.mark.parametrize(
    ("figures", "crisis"),
    [
        # CAC_EXPLOSION and PRICE_WAR both end at the clamp of 6,000; the latter takes MRR too.
        ({"cac": 4_900.0}, "PRICE_WAR"),
        # 4,600 * 1.3 = 5,980 stays below 6,000, so the +60 % hurt more
        ({"cac": 4_600.0}, "CAC_EXPLOSION"),
        # From 5,000 on REGULATORY_HIT's +20 % reach the clamp as well: 2/12 of runway beat 12 %
        ({"cac": 5_990.0}, "REGULATORY_HIT"),
        # support 0: both take nothing there, 2.5 months (.208) beat 2 points of churn (.1)
        ({"support": 0.0}, "TALENT_WAR"),
    ],
)
def test_side_damage_breaks_a_tie(figures, crisis):
    assert choice(**figures) == crisis


@pytest.mark.parametrize(
    ("figures", "crisis"),
    [
        # CASH_CRUNCH and TALENT_WAR kill, REGULATORY_HIT leaves .2; TALENT_WAR hurts support too
        ({"runway": 2.2}, "TALENT_WAR"),
        # worst is support .85: SUPPORT_CRISIS takes .15 of it, TALENT_WAR .10 and all the runway
        ({"support": 0.15, "runway": 2.4}, "TALENT_WAR"),
        # worst is CAC .9: CAC_EXPLOSION takes .3 more, REGULATORY_HIT .18 and all the runway
        ({"cac": 4_500.0, "runway": 1.9}, "REGULATORY_HIT"),
        # a blow to the worst metric that does not kill: CASH_CRUNCH, not MRR's killers
        ({"runway": 4.0, "mrr": 22_000.0}, "CASH_CRUNCH"),
    ],
)
def test_a_killing_blow_comes_first(figures, crisis):
    assert choice(**figures) == crisis


def test_damage_counts_the_metric_the_rest_a_thousandth_and_ten_for_a_kill():
    after = strike(COMPANY, CRISES.index("CHURN_SPIKE"), 1.0, 1.0)  # churn .05 -> .09, MRR -8 %
    hurt, side = 0.04 / 0.20, 0.04 / 0.20 + 0.08
    assert damage(COMPANY, after, METRICS.index("churn")) == pytest.approx(hurt + 0.001 * side)
    dead = after._replace(runway=0.0)
    side += 10 / 12
    assert damage(COMPANY, dead, METRICS.index("churn")) == pytest.approx(hurt + 0.001 * side + 10)


def test_side_damage_to_an_mrr_of_nothing_divides_by_1():
    before, after = company(mrr=0.5), company(mrr=0.25)
    assert damage(before, after, METRICS.index("churn")) == pytest.approx(10 + 0.001 * 0.25)


def test_the_bank_pays_full_strength_every_turn():
    assert allowed_severity(1.0) == 1.0
    assert bank_after(1.0, 1.0) == 1.0


@pytest.mark.parametrize(
    ("bank", "severity", "after"),
    [
        (1.0, 0.0, 2.0),
        (2.0, 0.0, 2.25),  # the cap
        (2.25, 0.0, 2.25),
        (2.25, 1.5, 1.0),
        (2.25, 1.0, 2.25),
        (1.0, 0.5, 1.75),
    ],
)
def test_a_turn_costs_its_severity_squared_and_earns_1(bank, severity, after):
    assert bank_after(bank, severity) == after


def test_rounding_never_leaves_a_debt():
    assert math.sqrt(2) ** 2 > 2  # so bank - s*s is below 0 here
    assert bank_after(2.0, allowed_severity(2.0)) == 1.0


@given(st.floats(1.0, 2.25), st.floats(0.0, 1.5))
def test_the_bank_stays_between_1_and_its_cap(bank, severity):
    spent = min(severity, allowed_severity(bank))
    assert 1.0 <= bank_after(bank, spent) <= 2.25
    assert 1.0 <= allowed_severity(bank) <= 1.5


@pytest.mark.parametrize(
    ("r1", "r2", "is_delta", "bank", "cut"),
    [
        (1.5, 1.5, False, 1.0, (1.0, 1.0, 1.0)),  # a plain severity is cut
        (1.5, 0.75, True, 1.0, (1.0, 0.5, 1.0)),  # deltas keep their proportion
        (9.0, 0.3, True, 2.25, (1.5, 0.3, 1.5)),  # each is limited before they are scaled
        (math.nan, 0.5, True, 1.0, (0.0, 0.5, 0.5)),
        (-1.0, 0.5, True, 1.0, (0.0, 0.5, 0.5)),
        (math.nan, math.nan, False, 1.0, (0.0, 0.0, 0.0)),
        (-2.0, -2.0, False, 1.0, (0.0, 0.0, 0.0)),
    ],
)
def test_strengths_are_cut_to_what_the_bank_affords(r1, r2, is_delta, bank, cut):
    assert affordable(r1, r2, is_delta, bank) == cut
