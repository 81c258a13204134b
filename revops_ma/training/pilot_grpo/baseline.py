"""What a dashboard is worth: a small network on its numbers, learned beside the model.

Importing this module imports torch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from revops_ma.game import Floats

HIDDEN = 64
FURTHEST = 10.0
"""Standard deviations at which a number is cut off."""


class Baseline:
    """Predicts discounted returns of [n, d] observations. Scales are set by the first rollout."""

    def __init__(self, width: int, seed: int, *, epochs: int = 8, batch: int = 256) -> None:
        generator = torch.Generator().manual_seed(seed)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self._net = torch.nn.Sequential(
                torch.nn.Linear(width, HIDDEN),
                torch.nn.Tanh(),
                torch.nn.Linear(HIDDEN, HIDDEN),
                torch.nn.Tanh(),
                torch.nn.Linear(HIDDEN, 1),
            )
        self._optimizer = torch.optim.Adam(self._net.parameters(), lr=1e-3)
        self._random = generator
        self._epochs, self._batch = epochs, batch
        self._mean = torch.zeros(width)
        self._scale = torch.ones(width)
        self._worth = torch.tensor([0.0, 1.0])
        """Mean and deviation of the returns of the first rollout."""
        self._is_ready = False

    def values(self, numbers: Sequence[Floats]) -> list[Floats]:
        """[T] per episode for [T, d] observations; zero before the first lesson."""
        if not self._is_ready:
            return [np.zeros(len(each)) for each in numbers]
        with torch.no_grad():
            flat = self._net(self._inputs(np.concatenate(numbers)))[:, 0]
            told = (flat * self._worth[1] + self._worth[0]).double().numpy()
        return np.split(told, np.cumsum([len(each) for each in numbers])[:-1])

    def learn(self, numbers: Sequence[Floats], targets: Sequence[Floats]) -> float:
        """Fit [T, d] observations to [T] returns; gives the share of variance left before it."""
        seen, wanted = np.concatenate(numbers), np.concatenate(targets)
        if not self._is_ready:
            self._set_scales(seen, wanted)
        inputs = self._inputs(seen)
        told = (torch.from_numpy(wanted).float() - self._worth[0]) / self._worth[1]
        with torch.no_grad():
            left = ((self._net(inputs)[:, 0] - told) ** 2).mean() / told.var().clamp(min=1e-6)
        for _ in range(self._epochs):
            for part in torch.randperm(len(told), generator=self._random).split(self._batch):
                loss = ((self._net(inputs[part])[:, 0] - told[part]) ** 2).mean()
                self._optimizer.zero_grad()
                loss.backward()
                self._optimizer.step()
        return float(left)

    def state(self) -> dict[str, Any]:
        """Everything, for a checkpoint."""
        return {
            "net": self._net.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "random": self._random.get_state(),
            "scales": [self._mean, self._scale, self._worth],
            "is_ready": self._is_ready,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a checkpoint."""
        self._net.load_state_dict(state["net"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._random.set_state(state["random"])
        self._mean, self._scale, self._worth = state["scales"]
        self._is_ready = state["is_ready"]

    def _set_scales(self, seen: Floats, wanted: Floats) -> None:
        deviation = seen.std(axis=0)
        self._mean = torch.from_numpy(seen.mean(axis=0)).float()
        self._scale = torch.from_numpy(np.where(deviation > 1e-6, deviation, 1.0)).float()
        self._worth = torch.tensor([float(wanted.mean()), float(wanted.std()) + 1e-6])
        self._is_ready = True

    def _inputs(self, numbers: Floats) -> torch.Tensor:
        told = (torch.from_numpy(np.asarray(numbers)).float() - self._mean) / self._scale
        return told.clamp(-FURTHEST, FURTHEST)
