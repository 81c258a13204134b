"""Keyed luck against the rulebook's formulas in plain integers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from revops_ma import luck
from revops_ma.errors import BadInput
from tests.worlds.revops import helpers

WORDS = st.integers(0, 2**64 - 1)
STEPS = st.integers(0, 30)
LANES = st.integers(0, 31)


@given(WORDS)
def test_mix_and_key_are_the_splitmix_finaliser(word):
    assert int(luck.mix(np.uint64(word))) == helpers.mix(word)
    assert int(luck.key_of(np.uint64(word))) == helpers.key_of(word)


@given(WORDS, STEPS, LANES)
def test_uniform_and_bell_follow_the_rulebook(key, step, lane):
    word = np.uint64(key)
    assert luck.uniform(word, step, lane) == helpers.uniform(key, step, lane)
    assert luck.bell(word, step, lane) == helpers.bell(key, step, lane)


@given(WORDS, STEPS, LANES)
def test_plain_python_gives_the_same_bits_as_the_compiled_code(key, step, lane):
    word = np.uint64(key)
    with np.errstate(over="ignore"):  # wrap-around is what uint64 is for
        assert luck.mix.py_func(word) == luck.mix(word)
        assert luck.uniform.py_func(word, step, lane) == luck.uniform(word, step, lane)
        assert luck.bell.py_func(word, step, lane) == luck.bell(word, step, lane)


def test_bell_has_mean_0_and_variance_1_and_stays_in_its_range():
    z = np.array([luck.bell(np.uint64(7), step, lane) for step in range(999) for lane in range(32)])
    assert abs(z.mean()) < 0.02  # 3.6 standard errors of 31,968 draws
    assert abs(z.var() - 1) < 0.03
    assert np.abs(z).max() < 3.4642


def test_lanes_of_neighbouring_steps_never_share_bits():
    drawn = {int(luck.bits(np.uint64(3), step, lane)) for step in range(31) for lane in range(32)}
    assert len(drawn) == 31 * 32


def test_fill_uniform_salts_the_key_of_each_game():
    keys = np.array([1, 2**63], np.uint64)
    out = np.empty(2)
    luck.fill_uniform(keys, np.uint64(0xC3), np.array([3, 6]), 1, out)
    expected = [helpers.uniform(helpers.mix(k ^ 0xC3), t, 1) for k, t in ((1, 3), (2**63, 6))]
    assert out.tolist() == expected


@pytest.mark.parametrize("seed", [7, np.int64(7), np.uint8(7), np.int32(7)])
def test_every_integral_seed_equals_the_int(seed):
    checked = luck.check_seed(seed)
    assert checked == 7
    assert type(checked) is int


@pytest.mark.parametrize("seed", [0, 2**63 - 1])
def test_seeds_reach_from_0_to_63_bits(seed):
    assert luck.check_seed(seed) == seed


@pytest.mark.parametrize("seed", [-1, 2**63, 2**70, True, np.True_, 3.0, 3.5, "3", [3]])
def test_other_seeds_are_refused_and_named(seed):
    with pytest.raises(BadInput, match=r"^seed: got .*; allowed: a whole number from 0 to 9223"):
        luck.check_seed(seed)


def test_no_seed_draws_one():
    drawn = {luck.check_seed(None) for _ in range(8)}
    assert len(drawn) > 1
    assert all(0 <= seed < 2**31 for seed in drawn)
