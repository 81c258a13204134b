"""The batched sampler as an RLlib EnvRunner: the same in this process and in Ray's workers.

Importing this module imports ray.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import ray
from ray.rllib.core import COMPONENT_RL_MODULE
from ray.rllib.env.env_runner import EnvRunner
from ray.rllib.utils.metrics import WEIGHTS_SEQ_NO

from revops_ma.game import Rows
from revops_ma.policies.network import Network
from revops_ma.training.learner import spaces_of
from revops_ma.training.module import to_layers, to_state
from revops_ma.training.sampling import Rollout, Sampler

SAMPLER, NETWORK = "sampler", "network"
"""Keys of `config.env_config`: who plays what, and scales and first weights of the learner."""


class GamesRunner(EnvRunner):
    """Plays whole games with the learner's weights, without torch."""

    def __init__(self, *, config: Any, **kwargs: Any) -> None:
        """Take sampler and network from `config.env_config`."""
        super().__init__(config=config, **kwargs)
        self.sampler: Sampler = config.env_config[SAMPLER]
        self.network: Network = config.env_config[NETWORK]
        self.weights_seq_no = 0

    def sample(self, **games: Any) -> Rollout:
        """Play a game per seed to its end: `seeds` and, for each, the index in the pool."""
        return self.play(**games)

    def play(self, *, seeds: range, opponents: Rows) -> Rollout:
        """The same with the arguments by name."""
        return self.sampler.sample(self.network, seeds, opponents)

    def get_spaces(self) -> dict[str, Any]:
        """Spaces of the one module."""
        return {self.sampler.role: spaces_of(self.network)}

    def get_state(self, *_: Any, **__: Any) -> dict[str, Any]:
        """The weights as a state of the module."""
        module = to_state(self.network.policy, self.network.critic)
        return {
            COMPONENT_RL_MODULE: {self.sampler.role: module},
            WEIGHTS_SEQ_NO: self.weights_seq_no,
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Take the weights of a learner's state; a state without weights changes nothing."""
        if COMPONENT_RL_MODULE in state:
            modules = state[COMPONENT_RL_MODULE]
            if isinstance(modules, ray.ObjectRef):  # as RLlib sends them to a restarted runner
                modules = ray.get(modules)
            self.network = with_weights(self.network, modules[self.sampler.role])
            self.weights_seq_no = state.get(WEIGHTS_SEQ_NO, 0)

    def get_metrics(self) -> dict[str, Any]:
        """None of RLlib's: the driver counts games and steps itself."""
        return self.metrics.reduce()

    def assert_healthy(self) -> None:
        """Made is ready."""
        assert self.network is not None


def with_weights(network: Network, module: Mapping[str, Any]) -> Network:
    """The network with the weights of a module's state."""
    return replace(network, policy=to_layers(module, "policy"), critic=to_layers(module, "critic"))
