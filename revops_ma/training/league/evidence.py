"""How good a pilot is where it is worst, on held-out seeds, and what others of its budget reach.

    DIR/evidence/<name>/response-<k>-of-<n>/   fresh best responses to a pilot, n iterations each
    DIR/evidence/<name>.json            its figures, and what it was put through
    DIR/evidence/baseline-<what>/       pilots trained without self-play
    DIR/evidence.json                   all of it

Every opponent here is one that the pilot did not meet in training, or a script. The worst of them
is picked on the same games that its figure is told of, so that figure is rather too low.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from revops_ma import catalog
from revops_ma.arena.statistics import Estimate
from revops_ma.catalog import Scenario
from revops_ma.game import Agent
from revops_ma.rollout import RolloutPool
from revops_ma.run import write_atomically
from revops_ma.training.league.exact import exact_worst
from revops_ma.training.league.opponents import CONSTANTS, Scripts
from revops_ma.training.league.payoff import fill
from revops_ma.training.league.settings import Settings
from revops_ma.training.loop import train
from revops_ma.training.pool import Pool
from revops_ma.training.recipe import TEST_SEEDS, Budget
from revops_ma.training.trained import Trained

FIRST_SEED = 1_000_000
"""Training seeds from here on are of no league."""
ENGINE_COST = 1 / 3
"""CPU time of an iteration of an engine's training, in iterations of a pilot's: it moves every
third month only."""
FOLDER = "evidence"


@dataclass(frozen=True)
class Trial:
    """What a pilot is put through."""

    scripts: tuple[str, ...] = ("rule-based", CONSTANTS, "hunter")
    responses: int = 3
    iterations: int = 60
    """Of each fresh response: twice what a league's engine gets."""
    games: int = 1_000
    """Held-out games against each opponent."""
    exact_seeds: int = 100
    exact_crises: int = 3

    def to_json(self) -> dict[str, Any]:
        """All of it by name."""
        return {**asdict(self), "scripts": list(self.scripts)}


@dataclass(frozen=True)
class Evidence:
    """One pilot against everything."""

    pilot: str
    identity: str
    survival: Mapping[str, Estimate]
    """By opponent; `exact K=3` is the exact worst case."""
    returns: Mapping[str, Estimate]

    @property
    def worst(self) -> str:
        """The opponent against which it survives least."""
        return min(self.survival, key=lambda foe: _mean(self.survival[foe]))

    def to_json(self) -> dict[str, Any]:
        """All figures."""
        return {
            "pilot": self.pilot,
            "identity": self.identity,
            "worst": self.worst,
            "worst_survival": self.survival[self.worst].to_json(),
            "survival": {foe: figure.to_json() for foe, figure in self.survival.items()},
            "episode_return": {foe: figure.to_json() for foe, figure in self.returns.items()},
        }

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> Evidence:
        """Read it back."""
        figures = [
            {foe: Estimate(**figure) for foe, figure in said[what].items()}
            for what in ("survival", "episode_return")
        ]
        return cls(said["pilot"], said["identity"], *figures)


def examine(
    name: str, pilot: Agent, scenario: Scenario, trial: Trial, folder: Path, pool: RolloutPool
) -> Evidence:
    """Put a pilot through a trial; what was examined so before is read."""
    slug = name.replace(" ", "-")
    file = folder / FOLDER / f"{slug}.json"
    said = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    if said.get("identity") == pilot.identity and said.get("trial") == trial.to_json():
        return Evidence.from_json(said)
    responses = _responses(slug, pilot, scenario, trial, folder)
    foes = [*Scripts.of(trial.scripts, scenario).agents, *responses]
    seeds = TEST_SEEDS[: trial.games]
    cells, _ = fill(scenario, [(pilot, foe) for foe in foes], seeds, pool)
    survival = {foe: cell.survival for (_, foe), cell in cells.items()}
    returns = {foe: cell.episode_return for (_, foe), cell in cells.items()}
    if trial.exact_seeds and not getattr(pilot, "is_slow", False):
        label = f"exact K={trial.exact_crises}"
        found = exact_worst(scenario, pilot, trial.exact_crises, TEST_SEEDS[: trial.exact_seeds])
        survival[label] = Estimate(**found["survival"])
        returns[label] = Estimate(**found["episode_return"])
    evidence = Evidence(name, pilot.identity, survival, returns)
    said = {**evidence.to_json(), "trial": trial.to_json()}
    write_atomically(file, json.dumps(said, indent=1) + "\n")
    return evidence


def _responses(
    name: str, pilot: Agent, scenario: Scenario, trial: Trial, folder: Path
) -> list[Agent]:
    role = scenario.world.roles[1].name
    settings = Settings()
    found = []
    for number in range(trial.responses):
        made = train(
            role,
            Pool([(pilot, 1.0)]),
            scenario,
            budget=Budget(trial.iterations),
            seed=FIRST_SEED + number,
            out=folder / FOLDER / name / f"response-{number}-of-{trial.iterations}",
            recipe=settings.recipe(role),
        )
        found.append(made.agent(f"response-{number}"))
    return found


def baseline(
    name: str, scripts: Sequence[str], scenario: Scenario, iterations: int, folder: Path
) -> Trained:
    """Train a pilot from nothing against scripts only."""
    role = scenario.world.roles[0].name
    return train(
        role,
        Pool(list(Scripts.of(scripts, scenario).members)),
        scenario,
        budget=Budget(iterations),
        seed=FIRST_SEED,
        out=folder / FOLDER / f"baseline-{name}",
        recipe=Settings().recipe(role),
    )


def equal_iterations(settings: Mapping[str, Any]) -> int:
    """Pilot's iterations that take as much CPU time as a league's training, engines included."""
    rounds, responses = settings["rounds"], settings["responses"]
    answers = (rounds + 1) * responses * settings["crisis_iterations"]
    sparring = rounds * responses * settings["parts"] * settings["sparring_iterations"]
    pilot = (rounds + 1) * settings["pilot_iterations"]
    return round(pilot + ENGINE_COST * (answers + sparring))


def gap(ours: Estimate, theirs: Estimate) -> Estimate:
    """Difference of two shares with its interval from theirs (Newcombe 1998, method 10)."""
    p, q = _mean(ours), _mean(theirs)
    down = math.hypot(p - (ours.low or 0.0), (theirs.high or 0.0) - q)
    up = math.hypot((ours.high or 0.0) - p, q - (theirs.low or 0.0))
    return Estimate(p - q, p - q - down, p - q + up)


def champion(run: Path, scenario: Scenario) -> Agent:
    """The pilot that came out of a self-play run."""
    role = scenario.world.roles[0].name
    return catalog.agent(run / "agents/trained" / f"selfplay-{role}.toml", role, scenario)


def _mean(figure: Estimate) -> float:
    assert figure.mean is not None
    return figure.mean
