"""Training in this process: RLlib's learner and our EnvRunner, no Ray process.

Importing this module imports torch and ray.
"""

from __future__ import annotations

from typing import Any

from ray.rllib.core import COMPONENT_OPTIMIZER, COMPONENT_RL_MODULE

from revops_ma.policies.network import Network
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
from revops_ma.training.sampling import Rollout, Sampler


class EmbeddedBackend:
    """One learner and one runner, in turns."""

    def __init__(self, sampler: Sampler, network: Network, recipe: Recipe, seed: int) -> None:
        """Build both with the weights of `network`."""
        self.role, self.recipe, self.seed = sampler.role, recipe, seed
        config = config_of(self.role, network, recipe)
        config.env_runners(env_runner_cls=GamesRunner)
        config.environment(env_config={SAMPLER: sampler, NETWORK: network})
        with quiet():
            self.runner = GamesRunner(config=config, worker_index=0)
            self.learner = config.build_learner(spaces=self.runner.get_spaces())
        first = {self.role: to_state(network.policy, network.critic)}
        self.learner.set_state({COMPONENT_RL_MODULE: first})

    @property
    def network(self) -> Network:
        """The learner's weights."""
        return self.runner.network

    def iterate(self, plan: Plan) -> tuple[Rollout, dict[str, float]]:
        """Play the games of a plan, learn from them, hand the new weights to the runner."""
        rollout = self.runner.sample(seeds=plan.seeds, opponents=plan.opponents)
        columns = batch_of(rollout, self.recipe, self.seed, plan.iteration)
        arguments = update_arguments(self.role, columns, self.recipe, plan.progress)
        with one_thread():
            results = self.learner.update(**arguments)
        self._hand_over()
        return rollout, figures_of(results[self.role])

    def get_state(self) -> dict[str, Any]:
        """The learner's state: weights, optimizer, number of updates."""
        return self.learner.get_state(components=[COMPONENT_RL_MODULE, COMPONENT_OPTIMIZER])

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from a learner's state; the runner gets its weights, too."""
        self.learner.set_state(state)
        self._hand_over()

    def close(self) -> None:
        """Nothing is held."""

    def _hand_over(self) -> None:
        self.runner.set_state(self.learner.get_state(components=COMPONENT_RL_MODULE))
