"""One round of a league: answer the newest pilot, fill the matrix, train the pilot on.

    DIR/rounds/<nn>/crisis-<nn>-<k>/          runs of the fresh best responses to the newest pilot
    DIR/rounds/<nn>/pilot-<nn>/<part>/        runs of the pilot, which goes on from the one before
    DIR/rounds/<nn>/partner-<nn>-<k>/<part>/  runs of its sparring partners, which go on likewise
    DIR/rounds/<nn>/episodes.csv   every game behind the new cells, with the identities of both
    DIR/rounds/<nn>/round.json     what came of it; once it is there the round is over

Fresh responses measure how exploitable a pilot is, and add to the engines of the league. Partners
follow the pilot part by part: an engine that was trained against an older pilot is soon beaten, and
what beats it says little of what the next response will find.

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

import numpy as np

from revops_ma.catalog import Scenario
from revops_ma.game import Agent
from revops_ma.rollout import RolloutPool
from revops_ma.run import write_atomically
from revops_ma.training.league.exact import exact_figures
from revops_ma.training.league.learners import Learner, Lesson
from revops_ma.training.league.mixing import pool_of, shares_of, sparring_pool
from revops_ma.training.league.opponents import Scripts
from revops_ma.training.league.payoff import Cell, Payoff, fill
from revops_ma.training.league.settings import Settings
from revops_ma.training.league.snapshots import Snapshot, Snapshots
from revops_ma.training.loop import train
from revops_ma.training.pool import Pool
from revops_ma.training.recipe import VALIDATION_SEEDS, Budget
from revops_ma.training.trained import Trained

RESULT, EPISODES = "round.json", "episodes.csv"
PARTNER = "partner"
PILOT_ENDS, PARTNER_ENDS = (1e-4, 0.0), (3e-4, 3e-3)
"""Learning rate and weight of the entropy that pilot and partners come to at the end: partners go
on searching."""


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
    """Responses and partners, in the order in which they came."""
    partners: list[Snapshot] = field(default_factory=list)
    """What the latest round's sparring partners had become."""
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
        spared = said.get("partners", [])
        self.partners = [one for one in self.engines if one.name in spared] or self.partners
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
        pool, settings = Pool([(newest.agent, 1.0)]), league.settings
        found = []
        for number in range(settings.responses):
            answer = Learner(f"{role}-{self.number:02d}-{number}", role, league.scenario)
            seed = settings.training_seed(self.number, response=number)
            lesson = Lesson(pool, settings.recipe(role), settings.crisis_iterations, seed)
            self._teach(answer, lesson)
            found.append(self._keep(answer))
        league.engines += found
        self._fill([(pilot.agent, one.agent) for pilot in league.pilots for one in found])
        self.said["answered"] = newest.name
        self.said["responses"] = [one.name for one in found]
        if settings.exact_seeds:
            self.said["exact"] = exact_figures(league.scenario, newest.agent, settings)
        return found

    def _train_on(self, responses: Sequence[Snapshot]) -> None:
        """Train the pilot on against the league as it is now, part by part after its partners."""
        league, (first, second) = self.league, self.league.roles
        newest = league.pilots[-1].network if league.pilots else None
        pilot = Learner(f"{first}-{self.number:02d}", first, league.scenario, newest)
        partners = [
            Learner(f"{PARTNER}-{self.number:02d}-{k}", second, league.scenario, one.network)
            for k, one in enumerate(self._sparring(responses))
        ]
        shares = self._shares(responses)
        for part in range(league.settings.parts):
            for number, partner in enumerate(partners):
                self._spar(partner, pilot, part, number)
            self._learn(pilot, partners, part, shares)
        league.partners = [self._keep(partner) for partner in partners]
        self.said["partners"] = [partner.name for partner in partners]
        self._fill([(one.agent, foe.agent) for one in league.pilots for foe in league.partners])
        league.engines += league.partners
        league.pilots.append(self._keep(pilot))
        self._fill([(league.pilots[-1].agent, foe) for foe in league.foes])

    def _sparring(self, responses: Sequence[Snapshot]) -> Sequence[Snapshot]:
        """What the partners begin this round as."""
        wanted = self.league.settings.sparring_iterations > 0
        return (self.league.partners or responses) if wanted else ()

    def _shares(self, responses: Sequence[Snapshot]) -> Any:
        """[engines] the meta-strategy over the engines so far."""
        league = self.league
        names = [engine.name for engine in league.engines]
        if not names:
            return np.empty(0)
        returns = league.payoff.returns([pilot.name for pilot in league.pilots], names)
        newest = [names.index(one.name) for one in responses]
        return shares_of(league.settings.mixing, returns, newest)

    def _spar(self, partner: Learner, pilot: Learner, part: int, number: int) -> None:
        """Train a partner on against the pilot as it is now."""
        settings = self.league.settings
        lesson = Lesson(
            pool=sparring_pool([one.agent for one in self.league.pilots], pilot.agent),
            recipe=settings.long_recipe(partner.role, self.number, part, PARTNER_ENDS),
            iterations=settings.sparring_iterations,
            seed=settings.training_seed(self.number, part=part, partner=number),
        )
        self._teach(partner, lesson, str(part))

    def _learn(self, pilot: Learner, partners: Sequence[Learner], part: int, shares: Any) -> None:
        """Train the pilot on for one part of the round."""
        league, settings = self.league, self.league.settings
        engines = [engine.agent for engine in league.engines]
        sparring = [partner.agent for partner in partners]
        lesson = Lesson(
            pool=pool_of(settings, league.scripts, engines, shares, sparring),
            recipe=settings.long_recipe(pilot.role, self.number, part, PILOT_ENDS),
            iterations=settings.part_iterations(part),
            seed=settings.training_seed(self.number, part=part),
        )
        self._teach(pilot, lesson, str(part))
        self.said["mixture"] = lesson.pool.to_json()

    def _teach(self, learner: Learner, lesson: Lesson, run: str = "") -> None:
        """Train somebody, in a directory of its own."""
        made = train(
            learner.role,
            lesson.pool,
            self.league.scenario,
            budget=Budget(lesson.iterations),
            seed=lesson.seed,
            warm_start=learner.network,
            out=self.path / learner.name / run,
            recipe=lesson.recipe,
            backend=self.means.backend,
            workers=self.means.workers,
        )
        learner.runs.append(made)

    def _keep(self, learner: Learner) -> Snapshot:
        """Make a snapshot of somebody who has learnt for this round."""
        snapshot = self.league.snapshots.add(learner.name, learner.outcome)
        self.said["trained"].append(_told(snapshot, learner.outcome))
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
