"""Bounds, deaths and the deal (rulebook sections 1 and 3)."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from revops_ma.worlds.revops.company import Company, clamp, clip, deal_company, is_dead
from tests.worlds.revops import helpers
from tests.worlds.revops.helpers import company, games

BOUNDS = {
    "mrr": (0, 500_000),
    "cac": (300, 6_000),
    "ltv": (100, 60_000),
    "churn": (0.005, 0.60),
    "runway": (0, 36),
    "support": (0, 1),
    "arpa": (150, 1_500),
    "slack": (0, 1),
}
ANY_FLOAT = st.floats(allow_nan=True, allow_infinity=True)


@pytest.mark.parametrize(
    ("x", "limited"), [(-1, 0), (0, 0), (0.5, 0.5), (1, 1), (2, 1), (math.inf, 1), (math.nan, 0)]
)
def test_clip_limits_and_turns_nan_into_the_lower_bound(x, limited):
    assert clip(float(x), 0.0, 1.0) == limited


@pytest.mark.parametrize(("name", "low", "high"), [(n, *b) for n, b in BOUNDS.items()])
def test_every_figure_is_clamped_to_its_bounds(name, low, high):
    for wild, limited in ((-1e9, low), (1e9, high), (math.nan, low), (math.inf, high)):
        assert getattr(clamp(company(**{name: wild})), name) == limited


@pytest.mark.parametrize(
    ("mrr", "marketing", "limited"),
    [
        (60_000, 50_000, 39_600),  # .66 * 60,000
        (60_000, 10, 1_000),
        (1_500, 50_000, 1_000),  # .66 * 1,500 = 990 is under the floor, which wins
        (600_000, 400_000, 330_000),  # the cap is taken of the clamped MRR: .66 * 500,000
    ],
)
def test_marketing_stays_between_its_floor_and_the_boards_cap(mrr, marketing, limited):
    after = clamp(company(mrr=float(mrr), marketing=float(marketing)))
    assert after.marketing == pytest.approx(limited, rel=1e-15)


@given(st.tuples(*[ANY_FLOAT] * 9))
def test_clamp_makes_anything_finite_and_leaves_it_at_that(figures):
    once = clamp(Company(*figures))
    assert all(map(math.isfinite, once))
    assert clamp(once) == once
    assert clamp.py_func(Company(*figures)) == once


@pytest.mark.parametrize(
    ("changes", "dead"),
    [
        ({}, False),
        ({"mrr": 20_000.0}, False),  # the source says `<`
        ({"mrr": math.nextafter(20_000, 0)}, True),
        ({"runway": 0.0}, True),
        ({"runway": 1e-9}, False),
        ({"churn": 0.20}, False),
        ({"churn": math.nextafter(0.20, 1)}, True),
    ],
)
def test_death_comes_below_20000_without_runway_or_above_20_percent_churn(changes, dead):
    assert bool(is_dead(company(**changes))) is dead


def dealt_by_hand(seed, difficulty):
    """Section 3 in plain Python, with luck in plain integers."""
    key = helpers.key_of(seed)

    def lin(low, high, lane):
        return low + (high - low) * helpers.uniform(key, 0, lane)

    runway_factor, churn_factor, cac_factor = {
        "easy": (1.5, 0.6, 1.0),
        "normal": (1.0, 1.0, 1.0),
        "hard": (0.6, 1.4, 1.3),
    }[difficulty]
    mrr = lin(33_000, 75_000, 0)
    support, arpa, k_churn = lin(0.3, 0.85, 5), lin(400.0, 550.0, 6), lin(0.012, 0.05, 2)
    churn = (k_churn + 0.18 * ((1 - support) * (1 - support))) * churn_factor
    cac = lin(1_100, 1_700, 1) * cac_factor
    return {
        "mrr": mrr,
        "cac": cac,
        "ltv": 0.8 * arpa / churn,
        "churn": churn,
        "runway": lin(6.5, 20, 3) * runway_factor,
        "marketing": lin(0.23, 0.5, 4) * mrr,
        "support": support,
        "arpa": arpa,
        "slack": lin(0.5, 1.0, 7),
        "k_cac": cac,
        "k_churn": k_churn,
        "k_fix": lin(6_000, 14_000, 8),
        "churn_factor": churn_factor,
        "previous_mrr": mrr,
        "key": key,
    }


@pytest.mark.parametrize("difficulty", ["easy", "normal", "hard"])
@pytest.mark.parametrize("seed", [0, 1, 1_000_000, 2**63 - 1])
def test_a_deal_follows_the_rulebook_to_the_last_bit(seed, difficulty):
    game = games(seed, difficulty=difficulty)[0]
    expected = dealt_by_hand(seed, difficulty)
    assert {name: game[name].item() for name in expected} == expected


@pytest.mark.parametrize("difficulty", ["easy", "normal", "hard"])
def test_every_deal_is_alive_and_inside_its_bounds(difficulty):
    dealt = games(*range(2_000), difficulty=difficulty)
    for game in dealt:
        figures = Company(*(game[name].item() for name in Company._fields))
        assert clamp(figures) == figures
        assert not is_dead(figures)


def test_a_deal_ends_with_the_clamp(monkeypatch):
    # No luck can leave the bounds at version 1's ranges; with a wilder range the clamp must act.
    def wild(low, high, key, lane):
        return 1e9 if lane == 0 else low

    monkeypatch.setitem(deal_company.py_func.__globals__, "_between", wild)
    dealt, _ = deal_company.py_func(np.uint64(0), 1)
    assert dealt.mrr == 500_000
    assert dealt.marketing == 0.66 * 500_000  # .23 of the unclamped MRR is over the cap
