"""Whole games of a learning seat against a pool, as one batch ready to learn from.

A game has one opponent from its deal to its end. Everything is keyed by seed: the same network on
the same seeds gives the same samples to the bit, in one process or spread over many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revops_ma.cards import Decoding, NumericCard
from revops_ma.catalog import Scenario
from revops_ma.errors import BadInput
from revops_ma.game import Agent, Floats, Rows, View
from revops_ma.policies.network import Floats32, Network
from revops_ma.policies.numeric import NumericAgent, decide
from revops_ma.table import Table
from revops_ma.training.advantages import advantages_of
from revops_ma.training.pool import Pool, other_role


@dataclass(eq=False)
class Rollout:
    """Samples of n games, one per turn of the seat: game after game, turns in order."""

    inputs: Floats32
    """[m, d] normalised observations."""
    choices: NDArray[np.int64]
    """[m] joint choices."""
    logits: Floats32
    """[m, k] of the policy that chose."""
    rewards: Floats
    """[m] what the seat earned from this turn until its next. What it earned before its first turn
    is in `returns` only: no choice of its own brought it about."""
    values: Floats
    """[m] what the critic expected."""
    games: Rows
    """[m] game of each sample, 0..n-1."""
    returns: Floats
    """[n] the first role's return."""
    won: NDArray[np.bool_]
    """[n] whether the first role reached its goal."""
    steps: NDArray[np.int64]
    """[n] scored steps."""
    opponents: NDArray[np.int64]
    """[n] index in the pool."""

    def advantages(self, gamma: float, lambda_: float) -> Floats:
        """[m] generalised advantage estimates (Schulman et al. 2015) of games that have ended."""
        return advantages_of(self.rewards, self.values, self.games, gamma, lambda_)


def joined(parts: Sequence[Rollout]) -> Rollout:
    """One rollout of all games of several, in order."""
    offsets = np.cumsum([0, *(len(part.returns) for part in parts[:-1])])
    columns = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in Rollout.__dataclass_fields__
    }
    columns["games"] = np.concatenate(
        [part.games + offset for part, offset in zip(parts, offsets, strict=True)]
    )
    return Rollout(**columns)


@dataclass
class _Turns:
    """What the seat saw and chose, turn by turn."""

    rows: list[Rows] = field(default_factory=list)
    inputs: list[Floats32] = field(default_factory=list)
    logits: list[Floats32] = field(default_factory=list)
    choices: list[NDArray[np.int64]] = field(default_factory=list)


@dataclass(frozen=True)
class Sampler:
    """Plays one seat of a scenario with changing networks against a pool."""

    role: str
    pool: Pool
    scenario: Scenario

    def sample(self, network: Network, seeds: Sequence[int], opponents: Rows) -> Rollout:
        """Play a game per seed to its end, each against the opponent of the pool with its index."""
        world = self.scenario.world
        table = Table(world, self.scenario.settings, seeds)
        ours, agents, turns = world.role_index(self.role), self._seated(network), _Turns()
        while views := table.waiting():
            for view in views:
                if view.role_index == ours:
                    _move(table, view, network, turns)
                else:
                    _answer(table, view, agents, opponents)
        return _rollout(table, network, turns, ours, opponents)

    def _seated(self, network: Network) -> list[Agent]:
        """The opponents, told whom they face."""
        other = other_role(self.scenario, self.role).name
        learner = as_agent(network, self.role, self.scenario.world.name)
        return [
            agent.seated(self.scenario, {self.role: learner, other: agent})
            for agent in self.pool.agents
        ]


def as_agent(
    network: Network,
    role: str,
    world: str,
    name: str = "learner",
    decoding: Decoding = "sample",
) -> NumericAgent:
    """An agent that has no card in the catalog, for opponents and evaluations in this process."""
    card = NumericCard(
        kind="numeric",
        name=name,
        about=f"The {role} as it is being trained.",
        world=world,
        role=role,
        weights=f"{name}.npz",
        decoding=decoding,
    )
    return NumericAgent(card, role, world, network)


def _move(table: Table, view: View, network: Network, turns: _Turns) -> None:
    if not view.mask.all():
        raise BadInput(
            f"the {view.role.name} of {view.world.name} may not play every kind of move every"
            " turn; training knows no masks, choose another world or role"
        )
    inputs = network.normalise(view.numbers)
    logits = network.logits(inputs)
    choices = decide(view, logits, network)
    turns.rows.append(view.rows)
    turns.inputs.append(inputs)
    turns.logits.append(logits)
    turns.choices.append(choices)
    table.take(view, view.role.discrete(network.moves(choices)))


def _answer(table: Table, view: View, agents: Sequence[Agent], opponents: Rows) -> None:
    """Ask each opponent once for all games of its own that wait."""
    games, _ = view.secrets()
    theirs = opponents[view.rows]
    for index in np.unique(theirs):
        rows = view.rows[theirs == index]
        part = View(view.world, games, rows, view.role_index)
        table.take(part, agents[index].act(part))


def _rollout(table: Table, network: Network, turns: _Turns, ours: int, opponents: Rows) -> Rollout:
    if not turns.rows:
        raise BadInput("no game came to a turn of the seat that is to learn; nothing to train on")
    games = np.concatenate(turns.rows)
    order = np.argsort(games, kind="stable")
    inputs = np.concatenate(turns.inputs)[order]
    return Rollout(
        inputs=inputs,
        choices=np.concatenate(turns.choices)[order],
        logits=np.concatenate(turns.logits)[order],
        rewards=_rewards(table, ours, len(games))[order],
        values=network.values(inputs).astype(np.float64),
        games=games[order],
        returns=table.returns[:, 0],
        won=table.world.won(table.games, table.rows),
        steps=table.steps,
        opponents=opponents,
    )


def _rewards(table: Table, ours: int, samples: int) -> Floats:
    """[samples] sums of what was paid from each turn of the seat until its next, as they came."""
    rewards = np.zeros(samples)
    latest = np.full(len(table), -1)
    count = 0
    for turn in table.log:
        if turn.role == ours:
            latest[turn.rows] = np.arange(count, count + len(turn.rows))
            count += len(turn.rows)
        at = latest[turn.rows]
        paid: Any = turn.outcome.rewards[:, ours]
        rewards[at[at >= 0]] += paid[at >= 0]
    return rewards
