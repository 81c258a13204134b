"""The network as RLlib trains it: two tanh nets in torch, with the weights of a `Network`.

Importing this module imports torch and ray.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule

from revops_ma.policies.network import Layers

Arrays = Mapping[str, NDArray[np.float32]]
"""State of a module: name of a parameter -> values."""

_LINEAR = (0, 2, 4)
"""Places of the linear layers in a net, the tanh layers between them left out."""


class PolicyModule(TorchRLModule, ValueFunctionAPI):
    """Policy and critic over normalised observations; they share nothing."""

    def setup(self) -> None:
        """Build both nets from the spaces and `model_config["hidden"]`."""
        inputs, choices = self.observation_space.shape[0], int(self.action_space.n)
        width = self.model_config["hidden"]
        self.policy = _net(inputs, width, choices)
        self.critic = _net(inputs, width, 1)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        return {Columns.ACTION_DIST_INPUTS: self.policy(batch[Columns.OBS])}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """[m] expected returns."""
        return self.critic(batch[Columns.OBS]).squeeze(-1)


def _net(inputs: int, width: int, outputs: int) -> torch.nn.Sequential:
    return torch.nn.Sequential(
        torch.nn.Linear(inputs, width),
        torch.nn.Tanh(),
        torch.nn.Linear(width, width),
        torch.nn.Tanh(),
        torch.nn.Linear(width, outputs),
    )


def to_state(policy: Layers, critic: Layers) -> dict[str, NDArray[np.float32]]:
    """State of a module that computes what the two nets compute."""
    state = {}
    for net, layers in (("policy", policy), ("critic", critic)):
        for place, weights, bias in zip(_LINEAR, layers[::2], layers[1::2], strict=True):
            state[f"{net}.{place}.weight"] = np.ascontiguousarray(weights.T)
            state[f"{net}.{place}.bias"] = bias.copy()
    return state


def to_layers(state: Arrays, net: str) -> Layers:
    """Layers of one net of a module's state."""
    layers = []
    for place in _LINEAR:
        weights = np.asarray(state[f"{net}.{place}.weight"], np.float32)
        layers.append(np.ascontiguousarray(weights.T))
        layers.append(np.array(state[f"{net}.{place}.bias"], np.float32))
    return tuple(layers)
