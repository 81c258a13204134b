import copy
import json
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from revops_ma import catalog
from revops_ma.adapters.info import LazyInfo, figures
from revops_ma.adapters.pettingzoo import aec_env
from revops_ma.errors import BadInput
from tests.adapters.hostile import actions

PASS = {"kind": 0, "severity": 0.0}
STEADY = {"kind": 8, "magnitude": 0.5}
FORMS = ("native", "discrete")


def started(seed=7, **arguments):
    env = aec_env("revops/normal", **arguments)
    env.reset(seed=seed)
    return env


def play(env, pilot=STEADY, crisis=PASS):
    """Play to the end; return what each `last()` of each agent said."""
    said = {name: [] for name in env.possible_agents}
    for agent in env.agent_iter():
        _, reward, terminated, truncated, _ = env.last()
        said[agent].append((reward, terminated, truncated))
        env.step(None if terminated or truncated else {"pilot": pilot, "crisis": crisis}[agent])
    return said


@pytest.mark.parametrize("form", FORMS)
def test_the_official_tests_pass(form, capsys):
    with warnings.catch_warnings():
        # Advice on names and equal spaces that a game of two unlike seats does not take, and what
        # PettingZoo's test package imports for its own fixtures.
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("ignore", DeprecationWarning)
        from pettingzoo.test import api_test, render_test, seed_test

        api_test(aec_env("revops/normal", actions=form), num_cycles=400)
        seed_test(lambda: aec_env("revops/normal", actions=form), num_cycles=400)
        render_test(lambda render_mode=None: aec_env("revops/normal", render_mode))


def test_the_third_month_is_paid_after_the_crisis_moved():
    env = started()
    months, crisis_said = [], []
    for agent in env.agent_iter():
        _, reward, terminated, _, _ = env.last()
        if agent == "crisis" and not terminated:
            assert env.rewards == {"pilot": 0.0, "crisis": 0.0}
            crisis_said.append(reward)
        elif agent == "pilot":
            months.append(reward)
        env.step(None if terminated else {"pilot": STEADY, "crisis": PASS}[agent])
        if len(months) == 8:
            break
    first, *rest = months
    assert first == 0.0
    assert crisis_said[0] == -(rest[0] + rest[1])
    assert crisis_said[1] == -rest[2] - rest[3] - rest[4]
    assert rest[2] != 0.0


def test_every_months_rewards_cancel_to_the_last_bit_and_whole_games_too():
    for seed in range(20):
        env = started(seed)
        totals = dict.fromkeys(env.agents, 0.0)
        for agent in env.agent_iter():
            terminated = env.last(observe=False)[2]
            action = {"pilot": {"kind": 0, "magnitude": 0.8}, "crisis": {"kind": 7, "severity": 1}}
            env.step(None if terminated else action[agent])
            assert sum(env.rewards.values()) == 0.0
            for name, reward in env.rewards.items():
                totals[name] += reward
        assert totals["pilot"] == -totals["crisis"] != 0.0
        assert (env.table.returns.sum(1) == 0).all()


def test_a_whole_game_has_thirty_pilot_and_ten_crisis_turns_and_ends_by_termination():
    env = started()
    said = play(env)
    assert (len(said["pilot"]), len(said["crisis"])) == (31, 11)
    assert all(heard[-1][1:] == (True, False) for heard in said.values())
    assert env.agents == []


def test_a_pilot_that_dies_on_a_crisis_month_still_gives_the_crisis_its_turn():
    died_there = 0
    for seed in range(60):
        env = started(seed)
        turns = []
        for agent in env.agent_iter():
            terminated, truncated = env.last(observe=False)[2:4]
            if terminated:
                assert env.terminations == dict.fromkeys(env.agents, True)
                assert not truncated
                if agent == "pilot":
                    last_pay = {name: env._cumulative_rewards[name] for name in env.agents}
                env.step(None)
                continue
            turns.append(agent)
            move = {"kind": 5, "magnitude": 1.0} if agent == "pilot" else {"kind": 0, "severity": 1}
            env.step(move)
        if turns.count("pilot") % 3 == 0 and turns.count("pilot") < 30:
            died_there += 1
            assert turns[-1] == "crisis"
            assert last_pay["pilot"] < 0.0 < last_pay["crisis"]
    assert died_there


@pytest.mark.parametrize("seed", [np.int64(7), np.uint8(7), 7])
def test_integral_seeds_are_equal(seed):
    env, other = started(seed), started(7)
    assert env.infos["pilot"]["seed"] == 7
    assert (env.observe("pilot") == other.observe("pilot")).all()


@pytest.mark.parametrize("seed", [-1, True, 3.0, 2**70, "7"])
def test_what_is_no_seed_is_a_value_error_and_leaves_the_game_alone(seed):
    env = started()
    before = env.table
    with pytest.raises(ValueError, match="seed"):
        env.reset(seed=seed)
    assert env.table is before


def test_without_a_seed_one_is_drawn_and_reported():
    env = started(None)
    again = started(env.infos["pilot"]["seed"])
    assert (env.observe("crisis") == again.observe("crisis")).all()


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=60, deadline=None)
@given(moves=st.lists(actions, min_size=1, max_size=12))
def test_hostile_actions_are_refused_moves_and_all_numbers_stay_finite(form, moves):
    env, refused = started(actions=form), 0
    for move in moves:
        if not env.agents or any(env.terminations.values()):
            break
        agent = env.agent_selection
        env.step(move)
        seen = [env.observe(name) for name in env.possible_agents]
        assert all(np.isfinite(numbers).all() for numbers in seen)
        assert all(np.isfinite(reward) for reward in env.rewards.values())
        refused += env._refused[agent] is not None
    assert env.table.refused.sum() == refused


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ({"kind": 2, "magnitude": float("nan")}, "non_finite"),
        ({"kind": 99, "magnitude": 0.5}, "unknown_action"),
        ("hire", "not_an_object"),
        (None, "not_an_object"),
    ],
)
def test_a_refused_move_is_named_in_the_movers_info_until_it_moves_again(move, reason):
    env = started()
    env.step(STEADY)
    env.step(STEADY)
    env.step(move)
    env.step(PASS)
    assert env.last()[4]["refused"] == reason
    assert env.table.refused.tolist() == [[1, 0]]
    env.step(STEADY)
    assert env.last()[4]["refused"] is None


@pytest.mark.parametrize(
    "action", [(10, 0), (0, -1), [1], [1, 2, 3], np.array([1.0, 2.0]), (True, 1), None, "ab", {}]
)
def test_what_is_not_in_the_discrete_space_is_refused(action):
    env = started(actions="discrete")
    env.step(action)
    assert env.last()[4]["refused"] == "not_in_space"


def test_discrete_and_native_actions_say_the_same():
    native, discrete = started(), started(actions="discrete")
    native.step({"kind": 3, "magnitude": 0.8})
    discrete.step(np.array([3, 7]))
    assert native.infos["pilot"] == discrete.infos["pilot"]


def test_two_environments_with_the_same_seed_and_moves_have_equal_bits():
    one, two = started(11), started(11)
    assert play(one) == play(two)
    assert one.table.games.tobytes() == two.table.games.tobytes()


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("turns", [0, 3, 4, 17])
def test_a_copy_in_the_middle_of_a_game_goes_on_identically(duplicate, turns):
    env = started(5)
    for _ in range(turns):
        env.step({"pilot": STEADY, "crisis": PASS}[env.agent_selection])
    twin = duplicate(env)
    assert twin.infos == env.infos
    assert play(twin) == play(env)
    assert twin.table.games.tobytes() == env.table.games.tobytes()


def test_the_spaces_hold_the_observations_and_are_cached():
    env = started()
    for agent in env.agents:
        assert env.action_space(agent) is env.action_space(agent)
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.observe(agent) in env.observation_space(agent)
        assert env.observe(agent).dtype == np.float32


def test_infos_tell_the_breakdown_and_the_hidden_figures():
    env = started()
    assert env.last()[4]["reward_breakdown"] == {}
    env.step(STEADY)
    info = env.last()[4]
    assert list(info["reward_breakdown"]) == list(env.world.signals)
    total = 0.0
    for part in info["reward_breakdown"].values():
        total += part
    assert total == env.rewards["pilot"]
    assert {"arpa", "bank", "last_crisis", "crisis_age", "mrr", "month"} <= set(info)
    json.dumps(info, allow_nan=False)


def test_infos_at_the_end_tell_how_it_ended():
    env = started()
    play_until_done = 0
    while not any(env.terminations.values()):
        env.step({"pilot": STEADY, "crisis": PASS}[env.agent_selection])
        play_until_done += 1
    info = env.last()[4]
    assert info["ending"] == "survived"
    assert info["won"] is True
    assert info["final_mrr"] == info["mrr"]


@pytest.mark.parametrize("card", catalog.scenarios(), ids=lambda card: card.name)
def test_an_info_that_is_read_late_tells_of_its_own_turn(card):
    env = aec_env(card.name)
    env.reset(seed=3)
    infos, known = [], []
    for agent in env.agent_iter():
        terminated, info = env.last()[2], env.last()[4]
        infos.append(info)
        known.append(figures(env.table, len(env.table.log)))
        env.action_space(agent).seed(len(infos))
        env.step(None if terminated else env.action_space(agent).sample())
    for info, figure in zip(infos, known, strict=True):
        assert info == {"seed": 3, "refused": info["refused"], **figure}


def test_a_lazy_info_is_a_dict_in_every_way_of_reading_it():
    env = started()

    def fresh():
        return LazyInfo.of(env.table, None)

    plain = dict(fresh())
    assert len(plain) > 5
    assert {**fresh()} == plain == fresh().copy() == copy.copy(fresh()) == copy.deepcopy(fresh())
    assert type(pickle.loads(pickle.dumps(fresh()))) is dict
    assert json.loads(json.dumps(fresh())) == json.loads(json.dumps(plain))
    assert fresh() | {"x": 1} == {"x": 1} | fresh() == {**plain, "x": 1}
    assert list(fresh()) == list(plain) == list(fresh().keys())
    assert (len(fresh()), repr(fresh())) == (len(plain), repr(plain))
    assert fresh().get("mrr") == plain["mrr"] == fresh().pop("mrr")
    assert "mrr" in fresh()
    assert fresh() == fresh()
    assert fresh() != {}


def test_a_step_before_reset_or_after_the_end_follows_pettingzoos_rules():
    env = aec_env("revops/normal")
    for call in (
        lambda: env.step(STEADY),
        env.agent_iter,
        env.render,
        lambda: env.observe("pilot"),
    ):
        with pytest.raises(AssertionError, match="reset"):
            call()
    env.reset(seed=1)
    while not any(env.terminations.values()):
        env.step({"pilot": STEADY, "crisis": PASS}[env.agent_selection])
    with pytest.raises(ValueError, match="None"):
        env.step(STEADY)
    state = env.table.games.tobytes()
    env.step(None)
    env.step(None)
    assert env.agents == []
    env.step(None)
    assert env.table.games.tobytes() == state


def test_ansi_gives_the_dashboard_of_the_agent_to_move_and_human_prints_it(capsys):
    env = started(render_mode="ansi")
    assert env.render().startswith("=== RevOps dashboard")
    for _ in range(3):
        env.step(STEADY)
    assert env.render().startswith("=== Crisis Engine")
    play(env)
    assert "over" in env.render()
    assert started(render_mode="human").render() is None
    assert "RevOps dashboard" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [{"actions": "words"}, {"render_mode": "rgb_array"}])
def test_an_unknown_form_or_render_mode_is_bad_input(arguments):
    with pytest.raises(BadInput, match="allowed"):
        aec_env("revops/normal", **arguments)


@pytest.mark.parametrize("card", catalog.scenarios(), ids=lambda card: card.name)
def test_every_scenario_plays_to_its_end(card):
    env = aec_env(card.name)
    env.reset(seed=3)
    assert env.metadata["name"] == card.name
    for agent in env.agent_iter(2_000):
        terminated = env.last()[2]
        env.action_space(agent).seed(1)
        env.step(None if terminated else env.action_space(agent).sample())
    assert env.agents == []
