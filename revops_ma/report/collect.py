"""What a report needs of a run: its matchups with their episodes and figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revops_ma import catalog
from revops_ma.arena.nash import Equilibrium, solve
from revops_ma.arena.ratings import Rating
from revops_ma.arena.results import Result, summarise
from revops_ma.arena.tournament import Tournament
from revops_ma.episode import COMPLETED, Episode
from revops_ma.errors import BadInput
from revops_ma.game import World
from revops_ma.run import Run

KINDS = ("match", "tournament")
"""Kinds of run that a report is made of."""


@dataclass(frozen=True)
class Pairing:
    """One matchup of a run."""

    players: tuple[str, ...]
    """Name of the agent of each role, in the order of the roles."""
    episodes: Sequence[Episode]
    result: Result

    @property
    def name(self) -> str:
        """`pilot vs crisis`."""
        return " vs ".join(self.players)

    @cached_property
    def completed(self) -> list[Episode]:
        """The episodes that count."""
        return [episode for episode in self.episodes if episode.status == COMPLETED]

    def alive(self, horizon: int) -> NDArray[np.int64]:
        """[horizon + 1] completed episodes that are not lost after step 0, 1, ..."""
        lost = [episode.steps for episode in self.completed if not episode.won]
        deaths = np.bincount(np.minimum(lost, horizon).astype(np.int64), minlength=horizon + 1)
        return len(self.completed) - deaths.cumsum()


@dataclass(frozen=True)
class Rules:
    """The rules that a run was played by, and whether this installation still has them."""

    world: World
    settings: Any
    version: int

    @property
    def are_current(self) -> bool:
        """Whether episodes can be replayed."""
        return self.version == self.world.version


@dataclass(frozen=True)
class Findings:
    """A run, read and worked out."""

    run: Run
    rules: Rules
    pairings: Sequence[Pairing]

    @property
    def world(self) -> World:
        """The world that was played."""
        return self.rules.world

    @property
    def kind(self) -> str:
        """`match` or `tournament`."""
        return self.run.config["kind"]

    @property
    def scenario(self) -> str:
        """Name of the scenario."""
        return self.run.config["scenario"]

    @property
    def seeds(self) -> range:
        """Seeds of every matchup."""
        first = self.run.config["seed"]
        return range(first, first + self.run.config["episodes"])

    @cached_property
    def horizon(self) -> int:
        """Steps of the longest episode."""
        return max((e.steps for pairing in self.pairings for e in pairing.episodes), default=0)

    def total(self, name: str) -> int:
        """Sum of a count of the results over all matchups."""
        return sum(getattr(pairing.result, name) for pairing in self.pairings)

    def agents(self, role: int) -> list[str]:
        """Names of those who sat in a seat, in the order of the plan."""
        return list(dict.fromkeys(pairing.players[role] for pairing in self.pairings))

    def of(self, role: int, name: str) -> list[Pairing]:
        """The matchups of one agent."""
        return [pairing for pairing in self.pairings if pairing.players[role] == name]

    @cached_property
    def tournament(self) -> Tournament:
        """The same run as the arena sees it."""
        roles = [role.name for role in self.world.roles]
        return Tournament(
            scenario=self.scenario,
            roles=(roles[0], roles[1]),
            pilots=self.agents(0),
            crises=self.agents(1),
            seed=self.seeds.start,
            cells={(p.players[0], p.players[1]): p.result for p in self.pairings},
            episodes=[],
            run=self.run.path,
            seconds=0.0,
        )

    @cached_property
    def ratings(self) -> dict[tuple[int, str], Rating]:
        """Rating by (side, name)."""
        return self.tournament.ratings

    @cached_property
    def equilibrium(self) -> Equilibrium | None:
        """The solution of the matrix game; None while a matchup has no completed episode."""
        payoff = self.tournament.payoff
        return solve(payoff) if np.isfinite(payoff).all() else None


def collect(run: Run) -> Findings:
    """Read a run and work out the figures of each matchup.

    Raises BadInput for a run that is neither a match nor a tournament, or whose world is unknown.
    """
    config = run.config
    if config.get("kind") not in KINDS:
        raise BadInput.of(f"kind of run {run.path}", config.get("kind"), " or ".join(KINDS))
    rules = read_rules(config["rules"])
    episodes = list(run.episodes())
    planned = config["episodes"]
    pairings = []
    for index, players in enumerate(config["matchups"]):
        names = tuple(_name(players[role.name]) for role in rules.world.roles)
        played = episodes[index * planned : (index + 1) * planned]
        pairings.append(Pairing(names, played, summarise(played, planned, rules.world)))
    return Findings(run, rules, pairings)


def read_rules(identity: str) -> Rules:
    """Read `world v1 {settings}`, which a run keeps, so that changed cards do no harm."""
    world_name, version, settings = identity.split(" ", 2)
    world = catalog.world(world_name)
    number = int(version.removeprefix("v"))
    return Rules(world, world.settings.model_validate_json(settings), number)


def _name(identity: str) -> str:
    """Cut the content hash off an agent's identity."""
    return identity.rsplit("@", 1)[0]
