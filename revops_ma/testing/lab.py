"""A scenario with seeds to try it on, and what is read off its games."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from revops_ma import catalog
from revops_ma.catalog import Scenario
from revops_ma.game import Agent, Reply, View, World
from revops_ma.table import Table, Turn, play
from revops_ma.testing.expect import ContractBroken

SEEDS = range(6)
MAX_TURNS = 10_000
"""Turns after which a game counts as one that never ends."""


@dataclass(frozen=True)
class Wanderer:
    """Plays any point of the training space, by the role's own luck: no state, no order."""

    name = identity = "wanderer"

    def act(self, view: View) -> Reply:
        """Draw one point per row."""
        sizes = view.role.training_space.nvec
        drawn = np.stack([view.luck(lane) for lane in range(len(sizes))], axis=1)
        return view.role.discrete((drawn * sizes).astype(np.int64))

    def seated(self, scenario: Any, players: Mapping[str, Agent]) -> Agent:
        """Nothing to know of the matchup."""
        return self


@dataclass(frozen=True)
class Lab:
    """A scenario with seeds to try it on."""

    scene: Scenario
    seeds: list[int]

    @property
    def players(self) -> dict[str, Agent]:
        """A wanderer in every seat."""
        return {role.name: Wanderer() for role in self.scene.world.roles}

    def table(self, seeds: Sequence[int] | None = None) -> Table:
        """Fresh games, on all seeds if none are given."""
        given = self.seeds if seeds is None else seeds
        return Table(self.scene.world, self.scene.settings, given)

    def played(self, seeds: Sequence[int] | None = None) -> Table:
        """Such games, played to their ends by the wanderers."""
        return play(self.table(seeds), self.players)


def scene_of(scenario: str | Scenario) -> Scenario:
    """The scenario of a card's name, or the one that was given."""
    return catalog.scenario(scenario) if isinstance(scenario, str) else scenario


def views_of(table: Table) -> Iterator[View]:
    """Views of a table until its games are over; each must be answered before the next."""
    for _ in range(MAX_TURNS):
        views = table.waiting()
        if not views:
            return
        yield from views
    raise ContractBroken(f"games go on after {MAX_TURNS} turns; expected: an end")


def story_of(table: Table, row: int) -> list[Any]:
    """What happened in one game: seat, move and pay of every turn, and its last state."""
    told: list[Any] = []
    for turn in table.log:
        for position in np.flatnonzero(turn.rows == row):
            told.append(_line(table, turn, position))
    return [*told, table.returns[row].tolist(), prints_of(table.world, table.games, [row])]


def _line(table: Table, turn: Turn, position: Any) -> tuple[Any, ...]:
    move = table.world.roles[turn.role].pack(turn.batch)[position]
    return turn.role, move, turn.outcome.rewards[position].tolist()


def prints_of(world: World, games: Any, rows: Any = None) -> list[bytes]:
    """Fingerprints of the rows, of all games if none are given."""
    picked = range(len(games)) if rows is None else rows
    return [world.fingerprint(games, int(row)) for row in picked]
