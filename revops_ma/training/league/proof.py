"""The whole table of evidence for a self-play run; see `evidence.py` for one pilot."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from revops_ma import catalog
from revops_ma.arena.statistics import Estimate
from revops_ma.catalog import Scenario
from revops_ma.errors import BadInput
from revops_ma.game import Agent
from revops_ma.rollout import EmbeddedPool
from revops_ma.run import write_atomically
from revops_ma.training.league.evidence import (
    Evidence,
    Trial,
    baseline,
    champion,
    equal_iterations,
    examine,
    gap,
)
from revops_ma.training.league.league import SUMMARY

RESULT = "evidence.json"
ENGINE = "rule-based"
"""What the narrow baseline is trained against."""
NARROW_ROUNDS = 3
"""Rounds of a league's pilot that the narrow baseline is trained for: it gets no better after."""


@dataclass(frozen=True)
class Wishes:
    """What to examine, and how long."""

    games: int = 1_000
    iterations: int = 60
    beside: Sequence[str] = ("heuristic",)
    """Cards of further pilots."""
    modes: Sequence[Path] = ()
    """Directories of further self-play runs."""
    exact_seeds: int = 100
    baselines: bool = True
    """Whether pilots without self-play are trained and examined, too."""

    @property
    def trial(self) -> Trial:
        """What each pilot is put through."""
        return Trial(games=self.games, iterations=self.iterations, exact_seeds=self.exact_seeds)


@dataclass(frozen=True)
class Proof:
    """All pilots; the first one came out of the run."""

    pilots: list[Evidence]
    months: dict[str, int]
    """Of training, by pilot, where that is known."""

    @property
    def gaps(self) -> dict[str, Estimate]:
        """How far the first one's worst case is ahead of the others'."""
        ours, *others = self.pilots
        best = ours.survival[ours.worst]
        return {other.pilot: gap(best, other.survival[other.worst]) for other in others}

    def to_json(self) -> dict[str, Any]:
        """The document evidence.json."""
        return {
            "pilots": [one.to_json() for one in self.pilots],
            "months": self.months,
            "gaps": [
                {"over": name, "points": points.to_json()} for name, points in self.gaps.items()
            ],
        }

    def to_text(self) -> str:
        """A line per pilot and opponent, and the worst cases."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        for one in self.pilots:
            trained = self.months.get(one.pilot)
            yield f"{one.pilot}" + (f", {trained:,} months of training" if trained else "")
            for foe, figure in one.survival.items():
                mark = "  <- worst" if foe == one.worst else ""
                yield f"  {foe:<26}{_percent(figure)}{mark}"
        yield "worst case"
        for one in self.pilots:
            yield f"  {one.pilot:<26}{_percent(one.survival[one.worst])}  against {one.worst}"
        for name, points in self.gaps.items():
            yield f"  {self.pilots[0].pilot} ahead of {name}: {_percent(points)}"


def prove(run: Path, wishes: Wishes) -> Proof:
    """Examine the pilot of a run, its baselines and whoever is wished for; write evidence.json."""
    if not (run / SUMMARY).is_file():
        raise BadInput(f"{run} is no self-play run that has ended: it has no {SUMMARY}")
    said = json.loads((run / SUMMARY).read_text(encoding="utf-8"))
    scenario = catalog.scenario(said["scenario"])
    months: dict[str, int] = {}
    found = []
    with EmbeddedPool() as pool:
        for name, pilot, trained in _pilots(run, said, scenario, wishes):
            if trained:
                months[name] = trained
            found.append(examine(name, pilot, scenario, wishes.trial, run, pool))
            proof = Proof(list(found), dict(months))
            write_atomically(run / RESULT, json.dumps(proof.to_json(), indent=1) + "\n")
    return proof


def _pilots(
    run: Path, said: dict[str, Any], scenario: Scenario, wishes: Wishes
) -> Iterator[tuple[str, Agent, int]]:
    """Name, agent and months of training of everybody, in order, trained when asked for."""
    role = scenario.world.roles[0].name
    yield f"selfplay {said['settings']['mixing']}", champion(run, scenario), _months(said)
    for path in wishes.modes:
        other = json.loads((path / SUMMARY).read_text(encoding="utf-8"))
        yield f"{path.name}", champion(path, scenario), _months(other)
    if wishes.baselines:
        yield from _baselines(run, said["settings"], scenario)
    for name in wishes.beside:
        yield name, catalog.agent(name, role, scenario), 0


def _baselines(
    run: Path, settings: dict[str, Any], scenario: Scenario
) -> Iterator[tuple[str, Agent, int]]:
    """Pilots that are trained without self-play: their names, agents and months."""
    narrow = NARROW_ROUNDS * settings["pilot_iterations"]
    jobs = {
        f"{ENGINE} only": ((ENGINE,), narrow),
        "scripts only": (settings["scripts"], equal_iterations(settings)),
    }
    for name, (scripts, iterations) in jobs.items():
        made = baseline(name.replace(" ", "-"), scripts, scenario, iterations, run)
        yield name, made.agent(name), made.months


def _months(said: dict[str, Any]) -> int:
    """Of the strongest pilot, the engines' included."""
    return next(one["months"] for one in said["pilots"] if one["name"] == said["strongest"])


def _percent(figure: Estimate) -> str:
    mean, low, high = (100 * (each or 0.0) for each in (figure.mean, figure.low, figure.high))
    return f"{mean:5.1f} % [{low:.1f}, {high:.1f}]"
