"""The opponents of a training run and how often each is met."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from revops_ma import catalog
from revops_ma.catalog import Scenario
from revops_ma.errors import BadInput
from revops_ma.game import Agent, Role


@dataclass(frozen=True)
class Pool:
    """Agents of the other seat with their weights."""

    members: Sequence[tuple[Agent, float]]

    def __post_init__(self) -> None:
        """Check the weights."""
        weights = [weight for _, weight in self.members]
        if not weights or not all(0 <= weight < np.inf for weight in weights) or not sum(weights):
            raise BadInput.of("weights of the opponents", weights, "numbers from 0, one above 0")

    @classmethod
    def of(cls, names: Mapping[str, float], role: str, scenario: Scenario) -> Pool:
        """Make the opponents of the learning `role` from card names or .toml paths and weights."""
        other = other_role(scenario, role).name
        return cls([(catalog.agent(name, other, scenario), w) for name, w in names.items()])

    @property
    def agents(self) -> list[Agent]:
        """The agents, in order."""
        return [agent for agent, _ in self.members]

    @property
    def shares(self) -> NDArray[np.float64]:
        """[agents] share of the games that each gets."""
        weights = np.array([weight for _, weight in self.members])
        return weights / weights.sum()

    def to_json(self) -> dict[str, float]:
        """Share by identity; one that stands there twice is met by both shares."""
        shares: dict[str, float] = {}
        for agent, share in zip(self.agents, self.shares.tolist(), strict=True):
            shares[agent.identity] = shares.get(agent.identity, 0.0) + share
        return shares

    def draw(self, games: int, luck: float) -> NDArray[np.int64]:
        """[games] index of the opponent of each game, in blocks.

        Systematic: `luck` in [0, 1) shifts an even grid, so every batch holds the shares to within
        one game, and none is left out for ever.
        """
        edges = np.cumsum(self.shares)
        edges[-1] = 1.0
        return np.searchsorted(edges, (np.arange(games) + luck) / games, side="right")


def other_role(scenario: Scenario, role: str) -> Role:
    """The role that plays against `role`; BadInput for a role that is not there."""
    roles = {known.name: known for known in scenario.world.roles}
    if role not in roles or len(roles) != 2:
        raise BadInput.of("role to be trained", role, f"one of two: {', '.join(roles)}")
    return next(other for name, other in roles.items() if name != role)
