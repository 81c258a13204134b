"""Numeric agents: a small network over the numbers of the dashboard, from a file of weights.

They need NumPy and numba, not the framework that trained them, and give the same moves alone and in
any batch: luck is keyed by game and turn, and the forward pass adds up row by row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from revops_ma.cards import NumericCard
from revops_ma.game import Agent, Reply, View, World
from revops_ma.policies.forward import best, draw
from revops_ma.policies.network import Floats32, Network, load

CHOICE_LANE = 0
"""Lane of the role's own luck that picks among the joint choices."""


@dataclass(frozen=True, eq=False)
class NumericAgent:
    """A network in a seat. It sees what its role observes and nothing else."""

    card: NumericCard
    role: str
    world_name: str
    network: Network

    @property
    def name(self) -> str:
        """Name of the card."""
        return self.card.name

    @cached_property
    def identity(self) -> str:
        """Name and a hash of the card and the weights: equal ones decide alike."""
        return f"{self.card.name}@{self.card.digest}{self.network.digest}"

    def act(self, view: View) -> Reply:
        """Choose a point of the training space for every row of the view."""
        view.dashboard_only()
        logits = self.network.logits(self.network.normalise(view.numbers))
        choices = decide(view, logits, self.network, greedy=self.card.decoding == "greedy")
        return view.role.discrete(self.network.moves(choices))

    def seated(self, scenario: object, players: Mapping[str, Agent]) -> Agent:
        """Nothing to know of the matchup."""
        return self


def decide(
    view: View, logits: Floats32, network: Network, *, greedy: bool = False
) -> NDArray[np.int64]:
    """[n] joint choices: drawn by the luck of each game and turn, or the likeliest legal ones."""
    choices = np.empty(len(view), np.int64)
    if greedy:
        best(logits, _legal(view, network), choices)
    else:
        draw(logits, _legal(view, network), view.luck(CHOICE_LANE), choices)
    return choices


def _legal(view: View, network: Network) -> NDArray[np.bool_]:
    """[n, k] joint choices of a legal kind, [n, 0] where all are."""
    mask = view.mask
    if mask.all():
        return np.empty((len(view), 0), np.bool_)
    # The first axis of a training space is the kind of move; kinds past the mask are passes.
    kinds = np.ones((len(view), network.sizes[0]), np.bool_)
    kinds[:, : mask.shape[1]] = mask[:, : network.sizes[0]]
    return np.repeat(kinds, network.outputs // int(network.sizes[0]), axis=1)


def make(card: NumericCard, role: str, world: World) -> NumericAgent:
    """Read the weights that lie beside the card; CardError where they are not of this seat."""
    seat = world.roles[world.role_index(role)]
    return NumericAgent(card, role, world.name, load(card.folder / card.weights, seat))


def can_sit(card: NumericCard, role: str, world: World) -> bool:
    """Whether the card can take a role of a world; weights are of one seat."""
    return (card.world, card.role) == (world.name, role)
