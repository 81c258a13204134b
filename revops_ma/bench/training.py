"""Training: our batched runner and learner beside RLlib's own ways, in the same rounds.

Company-months are counted: a month is one decision of the pilot, with the crisis engine's where it
is due. RLlib's figures are those of its own classes as they come.
"""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np

from revops_ma import catalog
from revops_ma.bench.company import SCENARIO
from revops_ma.bench.meter import Line, NotMeasured, Subject, Work, measure, ratio

STOCK_STEPS = 60
"""Steps of a sample of RLlib's runner: two games."""
OPPONENTS = {"crisis": "heuristic", "pilot": "rule-based"}


def training(seconds: float) -> list[Line]:
    """Sampling, learning, and both."""
    stock, crisis, pilot, whole_crisis, whole_pilot, pipeline, ready = measure(
        [
            Subject(
                "rllib MultiAgentEnvRunner on the AEC environment",
                "company-months/s",
                "Both seats by RLlib's default networks, one game at a time: episode objects,"
                " connectors and one forward pass of torch a turn.",
                _stock,
            ),
            *(
                Subject(
                    f"GamesRunner, {role} against {foe}",
                    "company-months/s",
                    "1,024 whole games a sample, forward pass row by row in one core.",
                    lambda role=role: _sampling(role),
                )
                for role, foe in OPPONENTS.items()
            ),
            *(
                Subject(
                    f"training the {role} against {foe}, embedded",
                    "company-months/s",
                    "Sampling, advantages, four epochs of PPOTorchLearner, weights handed over.",
                    lambda role=role: _whole(role),
                )
                for role, foe in OPPONENTS.items()
            ),
            Subject(
                "rllib PPO learner from episodes",
                "samples/s",
                "The same games as SingleAgentEpisodes through RLlib's learner connectors: lists of"
                " single steps are stacked, batched and shuffled column by column in Python.",
                lambda: _learning(from_episodes=True),
            ),
            Subject(
                "rllib PPO learner from ready batches",
                "samples/s",
                "The same games as one batch; loss and optimizer are the same code.",
                lambda: _learning(from_episodes=False),
            ),
        ],
        seconds,
    )
    return [
        *(stock, crisis, pilot, whole_crisis, whole_pilot, pipeline, ready),
        ratio("GamesRunner / MultiAgentEnvRunner", pilot, stock, "Pilot's seat, 10 at the least."),
        ratio("training / MultiAgentEnvRunner", whole_pilot, stock, "All of it against sampling."),
        ratio("ready batches / episodes", ready, pipeline, "Four epochs over the same samples."),
    ]


def _check_installed() -> None:
    if any(importlib.util.find_spec(name) is None for name in ("torch", "ray")):
        raise NotMeasured('pip install "revops-ma[ray]"')


def _stock() -> Work:
    _check_installed()
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
    from ray.tune.registry import register_env

    from revops_ma.adapters.pettingzoo import aec_env
    from revops_ma.training.learner import one_thread, quiet

    register_env("revops-bench", lambda _: PettingZooEnv(aec_env(SCENARIO, actions="discrete")))
    config = PPOConfig().environment("revops-bench").framework("torch")
    config.env_runners(num_env_runners=0)
    config.multi_agent(policies=set(OPPONENTS), policy_mapping_fn=lambda agent, _: str(agent))
    with quiet():
        runner = MultiAgentEnvRunner(config=config, worker_index=0)

    def work() -> int:
        with one_thread():
            episodes = runner.sample(num_timesteps=STOCK_STEPS, random_actions=False)
        return sum(len(part) for episode in episodes for part in _pilot_parts(episode))

    return work


def _pilot_parts(episode: Any) -> list[Any]:
    agents = episode.agent_episodes
    return [agents["pilot"]] if "pilot" in agents else []


def _backend(role: str) -> Any:
    """A backend that has just begun."""
    _check_installed()
    from revops_ma.training.calibration import fresh_network
    from revops_ma.training.embedded import EmbeddedBackend
    from revops_ma.training.job import recipe_of
    from revops_ma.training.pool import Pool
    from revops_ma.training.sampling import Sampler

    scene = catalog.scenario(SCENARIO)
    pool, recipe = Pool.of({OPPONENTS[role]: 1.0}, role, scene), recipe_of(role)
    seat = scene.world.roles[scene.world.role_index(role)]
    network = fresh_network(seat, pool, scene, 0, recipe)
    return EmbeddedBackend(Sampler(role, pool, scene), network, recipe, seed=0)


def _plan(backend: Any, iteration: int) -> Any:
    from revops_ma.training.plan import plan_of

    pool = backend.runner.sampler.pool
    return plan_of(0, iteration, 0.0, backend.recipe, pool)


def _sampling(role: str) -> Work:
    backend = _backend(role)
    plan = _plan(backend, 0)

    def work() -> int:
        return int(backend.runner.play(seeds=plan.seeds, opponents=plan.opponents).steps.sum())

    return work


def _whole(role: str) -> Work:
    backend = _backend(role)
    done = 0

    def work() -> int:
        nonlocal done
        rollout, _ = backend.iterate(_plan(backend, done))
        done += 1
        return int(rollout.steps.sum())

    return work


def _learning(*, from_episodes: bool) -> Work:
    backend = _backend("crisis")
    plan = _plan(backend, 0)
    rollout = backend.runner.play(seeds=plan.seeds, opponents=plan.opponents)
    return _from_episodes(backend, rollout) if from_episodes else _from_batch(backend, rollout)


def _from_batch(backend: Any, rollout: Any) -> Work:
    from revops_ma.training.learner import batch_of, one_thread, update_arguments

    def work() -> int:
        columns = batch_of(rollout, backend.recipe, 0, 0)
        with one_thread():
            backend.learner.update(**update_arguments("crisis", columns, backend.recipe, 0.0))
        return len(rollout.choices)

    return work


def _from_episodes(backend: Any, rollout: Any) -> Work:
    """RLlib's own pipeline: it adds a step to each episode, batches, and estimates advantages."""
    from revops_ma.training.learner import config_of, one_thread, quiet

    config = config_of("crisis", backend.runner.network, backend.recipe)
    config.learners(add_default_connectors_to_learner_pipeline=True)
    with quiet():
        learner = config.build_learner(spaces=backend.runner.get_spaces())
    timesteps = {"num_env_steps_sampled_lifetime": 0}

    def work() -> int:
        with one_thread():
            learner.update(
                episodes=_episodes(rollout),
                timesteps=timesteps,
                num_epochs=backend.recipe.epochs,
                minibatch_size=backend.recipe.minibatch,
                shuffle_batch_per_epoch=True,
            )
        return len(rollout.choices)

    return work


def _episodes(rollout: Any) -> list[Any]:
    """The games as RLlib's runners hand them over."""
    from ray.rllib.core.columns import Columns
    from ray.rllib.env.single_agent_episode import SingleAgentEpisode

    from revops_ma.training.learner import log_shares

    logp = log_shares(rollout)
    starts = np.flatnonzero(np.diff(rollout.games, prepend=-1))
    ends = [*starts[1:], len(rollout.games)]
    return [
        SingleAgentEpisode(
            observations=[*rollout.inputs[a:b], rollout.inputs[b - 1]],
            actions=list(rollout.choices[a:b]),
            rewards=list(rollout.rewards[a:b]),
            extra_model_outputs={
                Columns.ACTION_LOGP: list(logp[a:b]),
                Columns.ACTION_DIST_INPUTS: list(rollout.logits[a:b]),
            },
            terminated=True,
            len_lookback_buffer=0,
            agent_id="crisis",
            module_id="crisis",
        ).to_numpy()
        for a, b in zip(starts, ends, strict=True)
    ]
