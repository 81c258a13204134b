"""Credit assignment, on cases small enough to work out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from revops_ma.training.pilot_grpo.credit import (
    Credit,
    advantages_of,
    against_group,
    gae,
    share_without_variance,
    to_go,
)

pytestmark = pytest.mark.grpo
REWARDS = st.lists(st.floats(-3, 1), min_size=1, max_size=12).map(np.array)


@given(REWARDS, st.floats(0.5, 1.0))
def test_gae_with_lambda_one_is_the_return_to_go_less_the_value(rewards, gamma):
    values = np.linspace(-1, 1, len(rewards))
    assert np.allclose(gae(rewards, values, gamma, 1.0), to_go(rewards, gamma) - values)


@given(REWARDS)
def test_gae_with_lambda_zero_looks_one_turn_ahead(rewards):
    values = np.arange(len(rewards), dtype=float)
    ahead = np.append(values[1:], 0.0)
    assert np.allclose(gae(rewards, values, 0.9, 0.0), rewards + 0.9 * ahead - values)


def test_a_trajectory_advantage_is_the_same_in_all_turns_and_zero_over_a_group():
    rewards = [np.ones(3), np.ones(5), np.zeros(2)]
    found = advantages_of(Credit.TRAJECTORY, rewards, [0, 0, 0])
    assert [len(each) for each in found] == [3, 5, 2]
    assert all(len(set(each)) == 1 for each in found)
    assert sum(each[0] for each in found) == pytest.approx(0.0)
    assert found[1][0] > found[0][0] > found[2][0]


def test_an_episode_counts_the_same_however_long_it_is():
    rewards = [np.ones(2), np.ones(6)]
    found = advantages_of(Credit.EPISODE, rewards, [0, 0])
    assert found[0].sum() == pytest.approx(-found[1].sum())


def test_groups_are_not_compared_with_each_other():
    found = advantages_of(Credit.TRAJECTORY, [np.ones(1), np.ones(1) * 9], [0, 1])
    assert [each.tolist() for each in found] == [[0.0], [0.0]]


def test_bandit_sees_nothing_but_the_reward_of_the_turn():
    # The first episode earns more now and loses everything afterwards.
    rewards = [np.array([1.0, -2.0]), np.array([0.0, 1.0])]
    bandit = advantages_of(Credit.BANDIT, rewards, [0, 0])
    honest = advantages_of(Credit.RETURN_TO_GO, rewards, [0, 0])
    assert bandit[0][0] > 0 > honest[0][0]


def test_a_turn_that_only_one_episode_reaches_teaches_nothing():
    found = against_group([np.array([1.0, 5.0]), np.array([0.0])], [0, 0])
    assert found[0][1] == 0.0


def test_groups_without_variance_are_counted():
    assert share_without_variance([1.0, 1.0, 1.0, 2.0], [0, 0, 1, 1]) == 0.5
    assert share_without_variance([], []) == 1.0
