"""The four reward signals at their kinks, and their sum (rulebook section 7)."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from revops_ma.worlds.revops.company import Company, clamp, is_dead
from revops_ma.worlds.revops.kernel import OUT
from revops_ma.worlds.revops.outcome import weigh
from revops_ma.worlds.revops.rewards import (
    DEATH_PENALTY,
    SIGNALS,
    WEIGHTS,
    burn_signal,
    growth_signal,
    ltv_cac_signal,
    score_month,
    survival_signal,
)
from tests.worlds.revops.helpers import company

JUST_OVER_20000 = math.nextafter(20_000.0, math.inf)


@pytest.mark.parametrize(
    ("ratio", "signal"),
    [
        (0.1, -0.9),
        (0.5, -0.5),
        (1.0, 0.0),
        (2.0, 0.375),
        (3.0, 0.75),
        (4.5, 0.875),  # .75 + .25 * 1.5/3
        (6.0, 1.0),
        (20.0, 1.0),
    ],
)
def test_ltv_cac_pays_from_1_and_in_full_from_6(ratio, signal):
    figures = company(ltv=1_000 * ratio, cac=1_000.0)
    assert ltv_cac_signal(figures) == pytest.approx(signal, abs=1e-15)


@pytest.mark.parametrize(
    ("previous", "mrr", "signal"),
    [
        (50_000, 70_000, 1.0),
        (50_000, 55_000, 1.0),  # .3 + 7 * .10
        (50_000, 52_500, 0.65),  # .3 + 7 * .05
        (50_000, 50_000, 0.3),
        (50_000, 45_000, 0.15),  # .3 - 1.5 * .10
        (50_000, 40_000, 0.0),  # .3 - 1.5 * .20
        (50_000, 25_000, 0.0),
        (0.5, 1.05, 0.65),  # the MRR before counts as at least 1: +5 %, not +110 %
        (0.0, 0.0, 0.0),
    ],
)
def test_growth_pays_a_third_at_rest_and_in_full_from_10_percent(previous, mrr, signal):
    figures = company(mrr=float(mrr))
    assert growth_signal(figures, float(previous), 2) == pytest.approx(signal, abs=1e-14)


@pytest.mark.parametrize(
    ("mrr", "signal"), [(19_000.0, 0), (20_000.0, 0), (JUST_OVER_20000, 1), (90_000.0, 1)]
)
def test_the_first_month_pays_for_more_than_20000_whatever_was_before(mrr, signal):
    assert growth_signal(company(mrr=mrr), 1e6, 1) == signal


@pytest.mark.parametrize(
    ("share", "support", "signal"),
    [
        (0.2, 1.0, 1.0),
        (0.5, 0.6, 1.0),
        (0.65, 0.6, 0.5),
        (0.8, 0.6, 0.0),
        (0.9, 1.0, 0.0),
        (0.2, 0.3, 0.75),  # 1 - .5 * (.3/.6)
        (0.2, 0.0, 0.5),
        (0.65, 0.3, 0.25),
        (0.65, 0.0, 0.0),
        (0.8, 0.0, 0.0),
    ],
)
def test_burn_pays_for_thrifty_marketing_and_decent_support(share, support, signal):
    figures = company(mrr=50_000.0, marketing=50_000 * share, support=support)
    assert burn_signal(figures) == pytest.approx(signal, abs=1e-14)


def test_burn_counts_an_mrr_of_at_least_1():
    assert burn_signal(company(mrr=0.5, marketing=0.5, support=1.0)) == 1.0  # .5/1, not .5/.5
    assert burn_signal(company(mrr=0.0, marketing=1_000.0, support=1.0)) == 0.0


@pytest.mark.parametrize(
    ("figures", "signal"),
    [
        ({"mrr": 20_000.0}, 0.0),
        ({"mrr": JUST_OVER_20000, "runway": 12.0}, 0.75),
        ({"runway": 3.0}, 0.0),
        ({"runway": 6.0}, 0.625),  # .5 + .5 * 6/24
        ({"runway": 24.0}, 1.0),
        ({"runway": 36.0}, 1.0),
        ({"runway": 24.0, "churn": 0.10}, 1.0),
        ({"runway": 24.0, "churn": math.nextafter(0.10, 1)}, 0.5),
        ({"runway": 3.0, "churn": 0.15}, 0.0),
    ],
)
def test_survival_pays_by_runway_and_half_in_alarming_churn(figures, signal):
    assert survival_signal(company(**figures)) == signal


def test_an_mrr_of_exactly_20000_is_alive_but_earns_no_survival_and_no_first_growth():
    figures = company(mrr=20_000.0, marketing=5_000.0, support=0.6)
    ltv_cac, growth, burn, survival, reward = score_month(figures, 30_000.0, 1)
    assert (ltv_cac, growth, burn, survival) == (1.0, 0.0, 1.0, 0.0)
    assert reward == 0.35 + 0.20
    assert not is_dead(figures)


def test_a_death_costs_2():
    alive, dead = company(runway=1e-9), company(runway=0.0)
    assert score_month(dead, 60_000.0, 5)[4] == score_month(alive, 60_000.0, 5)[4] - 2.0


FIGURES = st.builds(
    lambda *figures: clamp(Company(*figures)),
    *(st.floats(0, top) for top in (5e5, 6e3, 6e4, 0.6, 36, 3.3e5, 1, 1500, 1)),
)


@given(FIGURES, st.floats(0, 5e5), st.integers(1, 30))
def test_a_reward_is_the_weighted_signals_left_to_right_within_its_range(figures, previous, month):
    ltv_cac, growth, burn, survival, reward = score_month(figures, previous, month)
    total = 0.35 * ltv_cac + 0.30 * growth + 0.20 * burn + 0.15 * survival
    assert reward == (total - 2.0 if is_dead(figures) else total)
    assert -2.35 <= reward <= 1.0
    assert -1.0 <= ltv_cac <= 1.0
    assert all(0.0 <= signal <= 1.0 for signal in (growth, burn, survival))


@given(st.lists(st.tuples(*[st.floats(-1, 1)] * 4, st.booleans()), min_size=2, max_size=5))
def test_a_record_alone_is_weighed_to_the_same_bits_as_among_others(records):
    out = np.zeros(len(records), OUT)
    for record, (*signals, died) in zip(out, records, strict=True):
        for name, value in zip(SIGNALS, signals, strict=True):
            record[name] = value
        weighed = [weight * value for weight, value in zip(WEIGHTS, signals, strict=True)]
        alive = ((weighed[0] + weighed[1]) + weighed[2]) + weighed[3]
        record["reward"] = alive - DEATH_PENALTY if died else alive
    alone = np.concatenate([weigh(out[at : at + 1]) for at in range(len(out))])
    assert weigh(out).tobytes() == alone.tobytes()
    assert (alone[:, -1] < 0).tolist() == [died for *_, died in records]
