"""Training with RLlib's Algorithm: the same sampler in Ray's workers, the same learner here.

Importing this module imports torch and ray.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ray.rllib.algorithms.ppo import PPO
from ray.rllib.core import COMPONENT_LEARNER, COMPONENT_OPTIMIZER, COMPONENT_RL_MODULE

from revops_ma.errors import RunFailed
from revops_ma.policies.network import Network
from revops_ma.rollout import cluster
from revops_ma.training.learner import (
    batch_of,
    config_of,
    figures_of,
    one_thread,
    quiet,
    update_arguments,
)
from revops_ma.training.module import to_state
from revops_ma.training.plan import Plan
from revops_ma.training.recipe import Recipe
from revops_ma.training.runner import NETWORK, SAMPLER, GamesRunner
from revops_ma.training.sampling import Rollout, Sampler, joined

RECIPE, SEED = "recipe", "seed"
ATTEMPTS = 3
"""How often a worker is asked for its part of the games before the run fails."""
FIRST_WEIGHTS_SECONDS = 60.0
"""How long workers may take to accept new weights."""


class GamesPPO(PPO):
    """PPO whose runners play the games of a plan and whose learner gets one ready batch.

    `plan` must be set before each `train()`.
    """

    config: Any
    learner_group: Any
    env_runner_group: Any
    plan: Plan | None = None
    rollout: Rollout | None = None
    figures: Mapping[str, float] = {}

    def training_step(self) -> None:
        """Play, learn, hand the weights to every runner."""
        plan, settings = self.plan, self.config.env_config
        if plan is None:
            raise RunFailed("GamesPPO.plan is not set: it says which games an iteration plays")
        role, recipe = settings[SAMPLER].role, settings[RECIPE]
        self.rollout = self._play(plan)
        columns = batch_of(self.rollout, recipe, settings[SEED], plan.iteration)
        arguments = update_arguments(role, columns, recipe, plan.progress)
        with one_thread():
            (results,) = self.learner_group.update(**arguments)
        self.figures = figures_of(results[role])
        self.hand_over()

    def hand_over(self) -> None:
        """Give every runner the learner's weights, and wait until all have them."""
        self.env_runner_group.sync_weights(
            from_worker_or_learner_group=self.learner_group,
            timeout_seconds=FIRST_WEIGHTS_SECONDS,
            inference_only=True,
        )

    def restore_from_path(self, *args: Any, **kwargs: Any) -> None:
        """Restore, and give the runners the restored weights: RLlib leaves them on fresh ones."""
        super().restore_from_path(*args, **kwargs)
        self.hand_over()

    def _play(self, plan: Plan) -> Rollout:
        """Spread the games over the runners; a part whose runner died is played by another."""
        parts = list(plan.parts(self.config.num_env_runners))
        waiting = dict(enumerate(parts))
        played: dict[int, Rollout] = {}
        for _ in range(ATTEMPTS):
            ids = self.env_runner_group.healthy_worker_ids()
            asked = dict(zip(waiting, ids, strict=False))
            played |= self._ask(asked, waiting)
            waiting = {part: what for part, what in waiting.items() if part not in played}
            if not waiting:
                return joined([played[part] for part in range(len(parts))])
            self.restore_env_runners(self.env_runner_group)
            self.hand_over()
        raise RunFailed(f"{len(waiting)} of {len(parts)} workers did not play their games")

    def _ask(self, asked: Mapping[int, int], waiting: Mapping[int, Any]) -> dict[int, Rollout]:
        """Send each part to its worker; the parts that came back."""
        if not asked:
            return {}
        functions = [_Sample(part, *waiting[part]) for part in asked]
        answers = self.env_runner_group.foreach_env_runner(
            functions, local_env_runner=False, remote_worker_ids=list(asked.values())
        )
        return dict(answers)


class _Sample:
    """A call of `GamesRunner.sample` that says which part it played."""

    def __init__(self, part: int, seeds: range, opponents: Any) -> None:
        self.part, self.seeds, self.opponents = part, seeds, opponents

    def __call__(self, runner: GamesRunner) -> tuple[int, Rollout]:
        return self.part, runner.sample(seeds=self.seeds, opponents=self.opponents)


class RayBackend:
    """An Algorithm with `workers` remote runners."""

    def __init__(
        self, sampler: Sampler, network: Network, recipe: Recipe, seed: int, workers: int
    ) -> None:
        """Start Ray or join the cluster of RAY_ADDRESS, and build the Algorithm."""
        self.role = sampler.role
        self.first = network
        self._started = cluster.start(workers)
        config = config_of(self.role, network, recipe)
        config.algo_class = GamesPPO
        config.env_runners(
            env_runner_cls=GamesRunner,
            num_env_runners=workers,
            create_local_env_runner=False,
        )
        settings = {SAMPLER: sampler, NETWORK: network, RECIPE: recipe, SEED: seed}
        config.environment(env_config=settings)
        with quiet():
            self.algorithm: Any = config.build_algo()
        module = to_state(network.policy, network.critic)
        self._set_learner({COMPONENT_RL_MODULE: {self.role: module}})

    @property
    def network(self) -> Network:
        """The weights of the first runner."""
        return self.networks()[0]

    def networks(self) -> list[Network]:
        """The weights of every runner."""
        group: Any = self.algorithm.env_runner_group
        return group.foreach_env_runner(_network_of, local_env_runner=False)

    def iterate(self, plan: Plan) -> tuple[Rollout, dict[str, float]]:
        """One training step of the Algorithm."""
        self.algorithm.plan = plan
        self.algorithm.train()
        return self.algorithm.rollout, dict(self.algorithm.figures)

    def get_state(self) -> dict[str, Any]:
        """The learner's state: weights, optimizer, number of updates."""
        wanted = [
            f"{COMPONENT_LEARNER}/{part}" for part in (COMPONENT_RL_MODULE, COMPONENT_OPTIMIZER)
        ]
        return self.algorithm.learner_group.get_state(components=wanted)[COMPONENT_LEARNER]

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from a learner's state; every runner gets its weights."""
        self._set_learner(state)

    def close(self) -> None:
        """Stop the Algorithm, and Ray if it was started here."""
        self.algorithm.stop()
        if self._started:
            cluster.stop()

    def _set_learner(self, state: dict[str, Any]) -> None:
        self.algorithm.learner_group.set_state({COMPONENT_LEARNER: state})
        self.algorithm.hand_over()


def _network_of(runner: GamesRunner) -> Network:
    return runner.network
