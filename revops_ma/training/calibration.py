"""The network before its first lesson: what it sees at which scale, and its random weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revops_ma.catalog import Scenario
from revops_ma.game import Agent, Floats, Reply, Role, View
from revops_ma.policies.network import Layers, Network
from revops_ma.table import Table, play
from revops_ma.training.pool import Pool, other_role
from revops_ma.training.recipe import FIRST_TRAINING_SEED, SEEDS_PER_RUN, Recipe

GAMES = 1024
"""Games of random play that set the scales."""
MOST_CHOICES = 4_096
"""Joint choices of a training space that one output each is given."""
_POLICY_GAIN, _CRITIC_GAIN = 0.01, 1.0
"""Of the last layers: a new policy chooses nearly evenly."""


@dataclass
class _Stroller:
    """Plays at random and keeps what it was shown."""

    sizes: NDArray[np.int64]
    shown: list[Floats] = field(default_factory=list)
    name: str = "stroller"
    identity: str = "stroller"

    def act(self, view: View) -> Reply:
        self.shown.append(view.numbers)
        drawn = [view.luck(lane) * size for lane, size in enumerate(self.sizes)]
        return view.role.discrete(np.stack(drawn, axis=1).astype(np.int64))

    def seated(self, scenario: Any, players: Any) -> Agent:
        return self


def fresh_network(role: Role, pool: Pool, scenario: Scenario, seed: int, recipe: Recipe) -> Network:
    """A network of random weights whose scales fit random play against the pool."""
    sizes = role.training_space.nvec.astype(np.int64)
    choices = int(np.prod(sizes))
    mean, scale = _scales(role, pool, scenario, seed)
    random = np.random.default_rng(seed)
    policy = _layers(random, [len(mean), recipe.hidden, recipe.hidden, choices], _POLICY_GAIN)
    critic = _layers(random, [len(mean), recipe.hidden, recipe.hidden, 1], _CRITIC_GAIN)
    return Network(mean, scale, sizes, policy, critic)


def _scales(role: Role, pool: Pool, scenario: Scenario, seed: int) -> tuple[Floats, Floats]:
    """Mean and deviation of each number; flags and what never changed keep their own scale."""
    stroller = _Stroller(role.training_space.nvec)
    first = FIRST_TRAINING_SEED + seed * SEEDS_PER_RUN + SEEDS_PER_RUN // 2
    foe = pool.agents[int(np.argmax(pool.shares))]
    players = {role.name: stroller, other_role(scenario, role.name).name: foe}
    seated = {name: agent.seated(scenario, players) for name, agent in players.items()}
    play(Table(scenario.world, scenario.settings, range(first, first + GAMES)), seated)
    shown = np.concatenate(stroller.shown)
    mean, scale = shown.mean(axis=0), shown.std(axis=0)
    plain = np.isin(shown, (0.0, 1.0)).all(axis=0) | (scale == 0)
    return np.where(plain, 0.0, mean), np.where(plain, 1.0, scale)


def _layers(random: np.random.Generator, widths: list[int], gain: float) -> Layers:
    """Normal weights that keep the variance of their inputs, no bias."""
    layers = []
    gains = [1.0] * (len(widths) - 2) + [gain]
    for inputs, outputs, by in zip(widths, widths[1:], gains, strict=False):
        weights = random.standard_normal((inputs, outputs)) * (by / np.sqrt(inputs))
        layers += [weights.astype(np.float32), np.zeros(outputs, np.float32)]
    return tuple(layers)
