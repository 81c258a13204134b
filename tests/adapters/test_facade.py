import json

import numpy as np
import pytest

from revops_ma import RevOpsEnv
from revops_ma.errors import BadInput

HIRE = {"action_type": "hire_support", "magnitude": 0.8}
STEADY = {"action_type": "negotiate_contracts", "magnitude": 0.5}


def test_the_observation_reads_like_the_dashboard():
    env = RevOpsEnv(crisis_every=3, difficulty="normal")
    obs = env.reset(seed=7)
    assert obs.reward_last_step == 0.0
    assert (obs.month, obs.done, obs.active_crisis) == (0, False, None)
    assert obs.info["seed"] == 7
    obs = env.step(HIRE)
    assert obs.month == 1
    assert obs.ltv_cac_ratio == obs.ltv / obs.cac
    total = 0.0
    for part in obs.info["reward_breakdown"].values():
        total += part
    assert total == obs.reward_last_step
    for figure in (obs.mrr, obs.cac, obs.churn, obs.runway, obs.marketing, obs.support):
        assert type(figure) is float
    assert f"${obs.mrr:,.0f}" in obs.to_prompt_text()
    json.dumps(obs.info, allow_nan=False)


def test_a_crisis_shows_in_its_month_and_its_age_grows_after():
    env = RevOpsEnv()
    env.reset(seed=7)
    struck = [env.step(STEADY) for _ in range(5)]
    assert [obs.active_crisis is not None for obs in struck] == [False, False, True, False, False]
    assert [obs.info["crisis_age"] for obs in struck] == [-1, -1, 0, 1, 2]
    assert struck[4].info["last_crisis"] == struck[2].active_crisis


def test_the_rhythm_and_the_crisis_engine_can_be_chosen():
    env = RevOpsEnv(crisis_every=1, crisis="random")
    env.reset(seed=7)
    assert env.step(STEADY).active_crisis is not None
    quiet = RevOpsEnv(crisis="none")
    quiet.reset(seed=7)
    assert all(quiet.step(STEADY).active_crisis is None for _ in range(6))


def test_an_observation_keeps_telling_of_its_own_month():
    env = RevOpsEnv()
    first = env.reset(seed=7)
    text, info = first.to_prompt_text(), dict(first.info)
    env.step(HIRE)
    assert first.to_prompt_text() == text
    assert first.info == info


def test_an_episode_ends_survived_or_not():
    env = RevOpsEnv(crisis="none")
    obs = env.reset(seed=7)
    assert obs.ending is None
    while not obs.done:
        assert not obs.survived
        obs = env.step(STEADY)
    assert obs.survived
    assert (obs.ending, obs.month) == ("survived", 30)


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ({"action_type": "fly", "magnitude": 0.5}, "unknown_action"),
        ({"action_type": "hire_support", "magnitude": float("inf")}, "non_finite"),
        ("no object here", "no_object"),
        (None, "not_an_object"),
    ],
)
def test_an_illegal_move_is_refused_and_the_month_passes(move, reason):
    env = RevOpsEnv()
    env.reset(seed=7)
    obs = env.step(move)
    assert obs.info["refused"] == reason
    assert obs.month == 1


def test_a_models_text_is_read_and_its_untidiness_noted():
    env, other = RevOpsEnv(), RevOpsEnv()
    env.reset(seed=7)
    other.reset(seed=7)
    obs = env.step('```json\n{"action_type": "Hire Support", "magnitude": "80%"}\n```')
    assert obs.info["refused"] is None
    assert {"fenced", "normalised"} <= set(obs.info["notes"])
    assert obs.mrr == other.step(HIRE).mrr


def test_calls_in_the_wrong_order_are_clear_errors_and_change_nothing():
    env = RevOpsEnv(crisis="none")
    with pytest.raises(BadInput, match="before the first reset"):
        env.step(HIRE)
    obs = env.reset(seed=7)
    while not obs.done:
        obs = env.step(STEADY)
    state = env._env.seat.table.games.tobytes()
    with pytest.raises(BadInput, match="after the episode's end"):
        env.step(HIRE)
    assert env._env.seat.table.games.tobytes() == state


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"difficulty": "brutal"}, "difficulty"),
        ({"crisis_every": 0}, "crisis_every"),
        ({"crisis": "rule-baset"}, "rule-based"),
    ],
)
def test_wrong_settings_are_bad_input(arguments, named):
    with pytest.raises(BadInput, match=named):
        RevOpsEnv(**arguments)


@pytest.mark.parametrize("seed", [-1, True, 3.0, 2**70])
def test_what_is_no_seed_is_a_value_error(seed):
    with pytest.raises(ValueError, match="seed"):
        RevOpsEnv().reset(seed=seed)
    assert RevOpsEnv().reset(seed=np.int64(7)).mrr == RevOpsEnv().reset(seed=7).mrr


@pytest.mark.parametrize("crisis", [None, 3, object])
def test_an_opponent_that_is_no_agent_is_refused_at_once(crisis):
    with pytest.raises(BadInput, match=r"the crisis: got .* allowed: an agent's name"):
        RevOpsEnv(crisis=crisis)
