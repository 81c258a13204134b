"""A training run before it begins: what it is made of, and whether it can be done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from revops_ma.catalog import Scenario
from revops_ma.errors import BadInput
from revops_ma.game import Role
from revops_ma.policies.network import Network
from revops_ma.training.calibration import MOST_CHOICES, fresh_network
from revops_ma.training.checkpoint import Counters
from revops_ma.training.pool import Pool, other_role
from revops_ma.training.recipe import MOST_SEEDS, RECIPES, Budget, Recipe
from revops_ma.training.trained import Trained


@dataclass(frozen=True)
class Job:
    """All that a training run is made of."""

    role: str
    pool: Pool
    scenario: Scenario
    budget: Budget
    seed: int
    recipe: Recipe
    warm_start: Network | None
    command: str

    @property
    def seat(self) -> Role:
        """The role that learns."""
        world = self.scenario.world
        return world.roles[world.role_index(self.role)]

    def request(self) -> dict[str, Any]:
        """What decides the result, as JSON."""
        return {
            "role": self.role,
            "against": self.pool.to_json(),
            "scenario": self.scenario.identity,
            "budget": self.budget.to_json(),
            "seed": self.seed,
            "recipe": self.recipe.to_json(),
            "warm_start": self.warm_start.digest if self.warm_start else None,
        }

    def first_network(self) -> Network:
        """The network that training begins with."""
        if self.warm_start is not None:
            return self.warm_start
        return fresh_network(self.seat, self.pool, self.scenario, self.seed, self.recipe)

    def result(self, network: Network, counters: Counters, history: Sequence[Any]) -> Trained:
        """The outcome."""
        return Trained(
            role=self.role,
            scenario=self.scenario.name,
            world=self.scenario.world.name,
            against=self.pool.to_json(),
            seed=self.seed,
            network=network,
            iterations=counters.iterations,
            months=counters.months,
            seconds=counters.seconds,
            history=history,
            command=self.command,
        )


def recipe_of(role: str) -> Recipe:
    """The recipe that was found good for a role."""
    return RECIPES.get(role, Recipe())


def check(job: Job) -> None:
    """Raise BadInput for what cannot be trained."""
    other_role(job.scenario, job.role)
    sizes = job.seat.training_space.nvec
    if int(np.prod(sizes)) > MOST_CHOICES:
        raise BadInput.of("points of the training space", sizes.tolist(), f"up to {MOST_CHOICES}")
    if not 0 <= job.seed < MOST_SEEDS:
        raise BadInput.of("training seed", job.seed, f"0 to {MOST_SEEDS - 1}")
    if job.warm_start is not None:
        _check_warm_start(job.warm_start, job.seat)


def _check_warm_start(network: Network, seat: Role) -> None:
    if not network.critic:
        raise BadInput(
            "warm start: these weights have no critic, so training can't go on from them"
        )
    of = (network.inputs, network.sizes.tolist())
    wanted = (seat.observation_space.shape[0], seat.training_space.nvec.tolist())
    if of != wanted:
        raise BadInput(
            f"warm start: these weights are of another seat; got {of} numbers and choices, the"
            f" {seat.name} has {wanted}"
        )
