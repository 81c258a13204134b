"""The laboratory: seeds that belong to the audit, and games played on them once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revops_ma import catalog
from revops_ma.catalog import Scenario
from revops_ma.claims import Matchups, Played, Player
from revops_ma.game import Agent, Reply, View
from revops_ma.table import Table, play

HELD_OUT = 1_000_000
"""First seed that figures are measured on, unless another is asked for."""
TRAINING_OFFSET = 100_000
"""Distance of the seeds that searches learn on: more than any claim plays."""
QUICK = 5
"""A quick audit plays this many times fewer episodes ..."""
FEWEST = 16
"""... but at least so many."""


@dataclass(frozen=True)
class Reckless:
    """Plays any point of the training space and beyond its edges: some moves are refused."""

    name: str = "reckless"
    identity: str = "reckless"

    def act(self, view: View) -> Reply:
        """Draw from the role's own luck: no state, no order."""
        sizes = view.role.training_space.nvec
        drawn = np.stack([view.luck(lane) for lane in range(len(sizes))], axis=1)
        return view.role.discrete((drawn * (sizes + 2)).astype(np.int64) - 1)

    def seated(self, scenario: Any, players: Mapping[str, Agent]) -> Agent:
        """Needs to know nobody."""
        return self


@dataclass
class Laboratory:
    """Plays the matchups of one audit; see `revops_ma.claims.Lab`."""

    scenario: Scenario
    quick: bool = False
    seed: int = HELD_OUT
    _played: dict[Any, Played] = field(default_factory=dict)
    _tables: dict[Any, Table] = field(default_factory=dict)
    sequences: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    """Fixed sequences of moves that a search found, by the crisis engine they are for."""

    def held_out(self, count: int) -> range:
        """Seeds that figures are measured on."""
        return range(self.seed, self.seed + self.scaled(count))

    def training(self, count: int, skip: int = 0) -> range:
        """Seeds that searches may learn on, never the held-out ones."""
        start = self.seed + TRAINING_OFFSET + skip
        return range(start, start + count)

    def scaled(self, count: int) -> int:
        """How many of `count` are played: fewer in a quick audit."""
        return max(min(count, FEWEST), count // QUICK) if self.quick else count

    def with_settings(self, changes: Mapping[str, Any]) -> Laboratory:
        """The same laboratory for other settings of the same world."""
        settings = self.scenario.settings.model_copy(update=dict(changes))
        if settings == self.scenario.settings:
            return self
        return Laboratory(replace(self.scenario, settings=settings), self.quick, self.seed)

    def seat(self, pilot: Player, crisis: Player) -> dict[str, Agent]:
        """Make the agents of a matchup and tell each who sits where, by role name."""
        agents = {
            role.name: catalog.agent(player, role.name, self.scenario)
            if isinstance(player, str)
            else player
            for role, player in zip(self.scenario.world.roles, (pilot, crisis), strict=True)
        }
        return {role: agent.seated(self.scenario, agents) for role, agent in agents.items()}

    def table(self, players: Mapping[str, Agent], seeds: range) -> Table:
        """Play games to the end and keep all of them."""
        return play(Table(self.scenario.world, self.scenario.settings, seeds), players)

    def tables(self, matchups: Matchups, count: int) -> Iterator[tuple[dict[str, Agent], Table]]:
        """Games of reckless players, then of each matchup; kept, since several claims ask."""
        for pilot, crisis in ((Reckless(), Reckless()), *matchups):
            players, seeds = self.seat(pilot, crisis), self.held_out(count)
            key = _key(players, seeds)
            if key not in self._tables:
                self._tables[key] = self.table(players, seeds)
            yield players, self._tables[key]

    def play(self, pilot: Player, crisis: Player, count: int) -> Played:
        """Play a matchup on held-out seeds, or remember what it came to."""
        players, seeds = self.seat(pilot, crisis), self.held_out(count)
        key = _key(players, seeds)
        if key not in self._played:
            self._played[key] = summary(self.table(players, seeds))
        return self._played[key]


def _key(players: Mapping[str, Agent], seeds: range) -> tuple[Any, ...]:
    return (*(player.identity for player in players.values()), seeds)


def summary(table: Table) -> Played:
    """What is kept of a table: its log would fill the memory."""
    won = table.world.won(table.games, table.rows)
    kinds = tuple(kind_counts(table, role) for role in range(len(table.world.roles)))
    facts = table.world.facts(table.games, table.rows)
    return Played(table.returns[:, 0].copy(), won, kinds, facts)


def kind_counts(table: Table, role: int) -> NDArray[np.int64]:
    """How often each kind of move of a role took effect; passes are none."""
    seat = table.world.roles[role]
    counts = np.zeros(len(seat.kinds()), np.int64)
    for turn in table.log:
        if turn.role == role:
            kinds = seat.kind_of(turn.outcome.played)
            counts += np.bincount(kinds[kinds >= 0], minlength=len(counts))
    return counts
