import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st

from revops_ma import catalog, register
from revops_ma.adapters.gymnasium import SingleSeatEnv
from revops_ma.adapters.pettingzoo import aec_env
from revops_ma.errors import BadInput
from tests.adapters.hostile import actions

register()
IDS = ("RevOps-Pilot-v0", "RevOps-Crisis-v0")
STEADY = {"kind": 8, "magnitude": 0.5}
STRIKE = {"kind": 0, "severity": 1.0}


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("form", ["native", "discrete"])
def test_gymnasiums_own_checks_pass_without_a_warning(name, form, capsys):
    check_env(gymnasium.make(name, actions=form).unwrapped)


def episode(env, move, seed):
    observations, rewards = [env.reset(seed=seed)[0]], []
    terminated = False
    while not terminated:
        observation, reward, terminated, truncated, _ = env.step(move)
        assert truncated is False
        observations.append(observation)
        rewards.append(reward)
    return np.array(observations), rewards


def test_the_pilot_is_paid_every_month_to_the_bits_of_the_two_seat_game():
    env = gymnasium.make("RevOps-Pilot-v0", scenario="revops/hard", crisis="none")
    _, rewards = episode(env, STEADY, 4)
    game = aec_env("revops/hard")
    game.reset(seed=4)
    months = []
    while not any(game.terminations.values()):
        game.step(STEADY if game.agent_selection == "pilot" else {"kind": 0, "severity": 0})
        if any(game.rewards.values()):
            months.append(game.rewards["pilot"])
    assert rewards == months


def test_the_crisis_engine_gets_the_months_before_its_first_turn_with_its_first_step():
    env = SingleSeatEnv("revops/normal", "crisis", pilot="fixed-marketing")
    _, rewards = episode(env, STRIKE, 9)
    returns = env.seat.table.returns[0]
    assert len(rewards) <= 10
    assert sum(rewards) == pytest.approx(returns[1], abs=1e-12)
    assert returns[0] == -returns[1]
    env.reset(seed=9)
    months = [turn.outcome.rewards[0, 1] for turn in env.seat.table.log if turn.outcome.scored[0]]
    assert len(months) == 2
    reward = env.step(STRIKE)[1]
    paid = [turn.outcome.rewards[0, 1] for turn in env.seat.table.log if turn.outcome.scored[0]]
    assert months == paid[:2]
    assert reward == ((paid[0] + paid[1]) + paid[2]) + paid[3] + paid[4]


class _Suicidal:
    """A pilot that lets the company die as fast as it can."""

    name = identity = "suicidal"

    def act(self, view):
        return view.role.objects([{"kind": 5, "magnitude": 1.0}] * len(view))

    def seated(self, scenario, players):
        return self


def test_a_game_that_ends_before_the_first_turn_still_pays_with_one_step():
    scene = catalog.scenario("revops/hard")
    rare = catalog.Scenario(
        scene.card, scene.world, scene.settings.model_copy(update={"crisis_every": 30})
    )
    env = SingleSeatEnv(rare, "crisis", pilot=_Suicidal())
    ended = 0
    for seed in range(10):
        env.reset(seed=seed)
        if env.seat.over[0]:
            ended += 1
            _, reward, terminated, _, info = env.step(STRIKE)
            assert terminated
            assert reward == env.seat.table.returns[0, 1]
            assert info["ending"] != "survived"
    assert ended


@pytest.mark.parametrize("name", IDS)
@settings(max_examples=40, deadline=None)
@given(moves=st.lists(actions, min_size=1, max_size=8))
def test_hostile_actions_never_raise_and_all_numbers_stay_finite(name, moves):
    env = gymnasium.make(name).unwrapped
    env.reset(seed=2)
    for move in moves:
        observation, reward, terminated, _, info = env.step(move)
        assert observation in env.observation_space
        assert np.isfinite(reward)
        assert "refused" in info
        if terminated:
            break


def test_unseeded_resets_are_reproducible_after_a_seeded_one():
    drawn = []
    for _ in range(2):
        env = SingleSeatEnv("revops/normal", "pilot", crisis="none")
        env.reset(seed=np.int64(8))
        drawn.append([env.reset()[1]["seed"] for _ in range(3)])
    assert drawn[0] == drawn[1]
    assert len(set(drawn[0])) == 3


@pytest.mark.parametrize("seed", [-1, True, 3.0, 2**70])
def test_what_is_no_seed_is_a_value_error(seed):
    with pytest.raises(ValueError, match="seed"):
        SingleSeatEnv("revops/normal", "pilot", crisis="none").reset(seed=seed)


def test_options_are_refused_because_nobody_would_act_on_them():
    env = SingleSeatEnv("revops/normal", "pilot", crisis="none")
    env.reset(seed=1, options={})
    with pytest.raises(BadInput, match="difficulty"):
        env.reset(options={"difficulty": "easy"})


def test_steps_before_reset_and_after_the_end_are_refused_and_change_nothing():
    env = SingleSeatEnv("revops/normal", "pilot", crisis="none")
    with pytest.raises(ResetNeeded):
        env.step(STEADY)
    episode(env, STEADY, 1)
    state = env.seat.table.games.tobytes()
    with pytest.raises(ResetNeeded):
        env.step(STEADY)
    assert env.seat.table.games.tobytes() == state


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_in_the_middle_of_a_game_goes_on_identically(duplicate):
    env = SingleSeatEnv("revops/normal", "crisis", pilot="heuristic")
    env.reset(seed=3)
    env.step(STRIKE)
    twin = duplicate(env)
    for one, two in zip(env.step(STRIKE), twin.step(STRIKE), strict=True):
        assert np.array_equal(one, two)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"role": "pilot"}, "crisis"),
        ({"role": "captain", "crisis": "none"}, "captain"),
        ({"role": "pilot", "pilot": "heuristic"}, "crisis"),
        ({"role": "pilot", "crisis": "heuristic"}, "crisis"),
        ({"role": "pilot", "crisis": "rule-baset"}, "rule-based"),
    ],
)
def test_wrong_seats_are_named(arguments, named):
    with pytest.raises(BadInput, match=named):
        SingleSeatEnv("revops/normal", **arguments)
