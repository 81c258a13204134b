"""One round of a league: answer the newest pilot, fill the matrix, train the pilot on.

    DIR/rounds/<nn>/crisis-<k>/    training runs of the fresh best responses to the newest pilot
    DIR/rounds/<nn>/pilot/         the pilot's, which goes on from the one before
    DIR/rounds/<nn>/episodes.csv   every game behind the new cells, with the identities of both
    DIR/rounds/<nn>/round.json     what came of it; once it is there the round is over

Round 0 trains the first pilot against the scripts. The last one only answers the last pilot, so
that every pilot has met engines that were trained against it and nothing else.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from revops_ma.catalog import Scenario
from revops_ma.game import Agent
from revops_ma.policies.network import Network
from revops_ma.rollout import RolloutPool
from revops_ma.run import write_atomically
from revops_ma.training.league.exact import exact_figures
from revops_ma.training.league.mixing import pool_of, shares_of
from revops_ma.training.league.opponents import Scripts
from revops_ma.training.league.payoff import Cell, Payoff, fill
from revops_ma.training.league.settings import Settings
from revops_ma.training.league.snapshots import Snapshot, Snapshots
from revops_ma.training.loop import train
from revops_ma.training.pool import Pool
from revops_ma.training.recipe import VALIDATION_SEEDS
from revops_ma.training.trained import Trained

RESULT, EPISODES = "round.json", "episodes.csv"


@dataclass
class League:
    """Who is in it, and what is known of them."""

    scenario: Scenario
    settings: Settings
    folder: Path
    snapshots: Snapshots
    scripts: Scripts
    pilots: list[Snapshot] = field(default_factory=list)
    engines: list[Snapshot] = field(default_factory=list)
    payoff: Payoff = field(default_factory=Payoff)

    @property
    def roles(self) -> tuple[str, str]:
        """Names of both roles."""
        first, second = self.scenario.world.roles
        return first.name, second.name

    @property
    def foes(self) -> list[Agent]:
        """Everybody in the second seat."""
        return [*self.scripts.agents, *(engine.agent for engine in self.engines)]

    def path(self, number: int) -> Path:
        """Directory of a round."""
        return self.folder / "rounds" / f"{number:02d}"

    def take(self, said: dict[str, Any]) -> None:
        """Take in what a round that is over has written."""
        for role, members in zip(self.roles, (self.pilots, self.engines), strict=True):
            for one in said["trained"]:
                if one["role"] == role:
                    members.append(self.snapshots.get(one["name"], role, one["digest"]))
        for pilot, engine, cell in said["cells"]:
            self.payoff.cells[pilot, engine] = Cell.from_json(cell)


@dataclass(frozen=True)
class Means:
    """What rounds are played with; it leaves no trace in the results."""

    pool: RolloutPool
    backend: str = "embedded"
    workers: int = 2


class Round:
    """One round being played."""

    def __init__(self, league: League, number: int, means: Means) -> None:
        self.league, self.number, self.means = league, number, means
        self.path = league.path(number)
        self.said: dict[str, Any] = {"round": number, "trained": [], "cells": []}
        self.episodes: list[str] = []
        self.clock = time.process_time()

    def play(self) -> dict[str, Any]:
        """Play all of it, write it down and give it; a round that is over is only read."""
        done = self.path / RESULT
        if done.is_file():
            said = json.loads(done.read_text(encoding="utf-8"))
            self.league.take(said)
            return said
        responses = self._respond() if self.league.pilots else []
        if self.number <= self.league.settings.rounds:
            self._train_on(responses)
        self.said["cpu_seconds"] = round(time.process_time() - self.clock, 1)
        write_atomically(self.path / EPISODES, "".join(self.episodes))
        write_atomically(done, json.dumps(self.said, indent=1) + "\n")
        return self.said

    def _respond(self) -> list[Snapshot]:
        """Train engines against the newest pilot and nothing else, and see what they leave it."""
        league, role = self.league, self.league.roles[1]
        newest = league.pilots[-1]
        found = []
        for number in range(league.settings.responses):
            name = f"{role}-{self.number:02d}-{number}"
            made = self._trained(role, Pool([(newest.agent, 1.0)]), name, response=number)
            found.append(made)
            league.engines.append(made)
        self._fill([(pilot.agent, one.agent) for pilot in league.pilots for one in found])
        self.said["answered"] = newest.name
        self.said["responses"] = [one.name for one in found]
        if league.settings.exact_seeds:
            self.said["exact"] = exact_figures(league.scenario, newest.agent, league.settings)
        return found

    def _train_on(self, responses: Sequence[Snapshot]) -> None:
        """Train the pilot on against the league as it is now."""
        league, role = self.league, self.league.roles[0]
        names = [engine.name for engine in league.engines]
        engines = [engine.agent for engine in league.engines]
        shares: Any = []
        if engines:
            returns = league.payoff.returns([pilot.name for pilot in league.pilots], names)
            newest = [names.index(one.name) for one in responses]
            shares = shares_of(league.settings.mixing, returns, newest)
        pool = pool_of(league.scripts, league.settings.scripts_share, engines, shares)
        self.said["mixture"] = pool.to_json()
        warm = league.pilots[-1].network if league.pilots else None
        made = self._trained(role, pool, f"{role}-{self.number:02d}", warm=warm)
        league.pilots.append(made)
        self._fill([(made.agent, foe) for foe in league.foes])

    def _trained(
        self,
        role: str,
        pool: Pool,
        name: str,
        *,
        response: int | None = None,
        warm: Network | None = None,
    ) -> Snapshot:
        league, settings = self.league, self.league.settings
        made = train(
            role,
            pool,
            league.scenario,
            budget=settings.budget(responds=response is not None),
            seed=settings.training_seed(self.number, response),
            warm_start=warm,
            out=self.path / name,
            recipe=settings.recipe(role),
            backend=self.means.backend,
            workers=self.means.workers,
        )
        snapshot = league.snapshots.add(name, made)
        self.said["trained"].append(_told(snapshot, made))
        return snapshot

    def _fill(self, pairs: Sequence[tuple[Agent, Agent]]) -> None:
        seeds = VALIDATION_SEEDS[: self.league.settings.payoff_games]
        cells, lines = fill(self.league.scenario, pairs, seeds, self.means.pool)
        self.league.payoff.cells |= cells
        self.said["cells"] += [[*pair, cell.to_json()] for pair, cell in cells.items()]
        self.episodes.append(lines if not self.episodes else lines.split("\n", 1)[1])


def _told(snapshot: Snapshot, made: Trained) -> dict[str, Any]:
    return {
        "name": snapshot.name,
        "role": snapshot.role,
        "digest": snapshot.digest,
        "seed": made.seed,
        "iterations": made.iterations,
        "months": made.months,
        "seconds": round(made.seconds, 1),
    }
