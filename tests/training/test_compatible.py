"""Other people's trainers take our environments as they are: RLlib's wrapper, Stable-Baselines3."""

import os
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import revops_ma

SCRIPTS = Path(__file__).parents[2] / "scripts"


def rllib_config():
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
    from ray.tune.registry import register_env

    register_env(
        "revops-compatible",
        lambda _: PettingZooEnv(revops_ma.aec_env("revops/normal", actions="discrete")),
    )
    return (
        PPOConfig()
        .environment("revops-compatible")
        .env_runners(num_env_runners=0)
        .multi_agent(policies={"pilot", "crisis"}, policy_mapping_fn=lambda agent, *_, **__: agent)
        .training(train_batch_size=120, minibatch_size=32, num_epochs=1)
    )


@pytest.mark.ray
def test_the_aec_environment_trains_both_seats_through_rllibs_own_wrapper():
    from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner

    from revops_ma.training.learner import quiet

    config = rllib_config()
    with quiet():
        runner = MultiAgentEnvRunner(config=config, worker_index=0)
        learner = config.build_learner(env=runner.env, spaces=runner.get_spaces())
    before = learner.get_state(components="rl_module")["rl_module"]
    episodes = runner.sample(num_episodes=3, random_actions=False)
    for episode in episodes:
        assert episode.is_done
        returns = {agent: episode.agent_episodes[agent].get_return() for agent in episode.agent_ids}
        assert set(returns) == {"pilot", "crisis"}
    results = learner.update(episodes=episodes, timesteps={"num_env_steps_sampled_lifetime": 90})
    assert {"pilot", "crisis"} <= set(results)
    after = learner.get_state(components="rl_module")["rl_module"]
    for seat in ("pilot", "crisis"):
        changed = [
            not np.array_equal(before[seat][name], after[seat][name]) for name in before[seat]
        ]
        assert any(changed)


@pytest.mark.sb3
@pytest.mark.parametrize(
    ("seat", "other", "opponent"),
    [("Pilot", "crisis", "rule-based"), ("Crisis", "pilot", "heuristic")],
)
def test_the_gymnasium_views_train_with_stable_baselines(seat, other, opponent):
    from stable_baselines3 import PPO
    from stable_baselines3.common.env_checker import check_env

    env = gymnasium.make(
        f"RevOps-{seat}-v0", scenario="revops/normal", actions="discrete", **{other: opponent}
    )
    check_env(env.unwrapped, warn=False)
    model = PPO("MlpPolicy", env, n_steps=64, batch_size=32, n_epochs=1, seed=0, device="cpu")
    before = {name: value.clone() for name, value in model.policy.state_dict().items()}
    model.learn(128)
    assert any(not value.equal(before[name]) for name, value in model.policy.state_dict().items())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "arguments", "said"),
    [
        pytest.param(
            "train_rllib",
            ["--iterations", "1", "--steps", "200"],
            "iteration 1",
            marks=pytest.mark.ray,
        ),
        pytest.param("train_sb3", ["pilot", "--steps", "2048"], "after", marks=pytest.mark.sb3),
    ],
)
def test_the_example_scripts_run(script, arguments, said):
    told = subprocess.run(
        [sys.executable, SCRIPTS / script, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert told.returncode == 0, told.stderr[-2000:]
    assert said in told.stdout
