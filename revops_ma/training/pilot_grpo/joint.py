"""GRPO pilot and crisis engines in turn: each round answers the newest pilot, then trains it on.

    DIR/rounds/<nn>/pilot/         a GRPO run; from the second on it begins with the one before
    DIR/rounds/<nn>/crisis-<k>/    fresh best responses to that pilot, by PPO
    DIR/agents/joint/              the engines' cards, which later rounds train against
    DIR/joint.json                 survival of every pilot against every engine, on validation seeds

Snapshots never change: a round trains against what earlier rounds left, so the same command goes on
after a kill, and training runs that are over are only read.

Importing this module imports torch and trl.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from revops_ma import catalog
from revops_ma.errors import BadInput
from revops_ma.game import Agent
from revops_ma.rollout import RolloutPool
from revops_ma.run import write_atomically
from revops_ma.training import evaluation
from revops_ma.training import loop as ppo
from revops_ma.training.job import recipe_of
from revops_ma.training.pilot_grpo.agent import TinyAgent
from revops_ma.training.pilot_grpo.loop import Say, train
from revops_ma.training.pilot_grpo.plan import TINY, ClonePlan, Plan
from revops_ma.training.pool import Pool, other_role
from revops_ma.training.recipe import VALIDATION_SEEDS, Budget

SUMMARY, ENGINES = "joint.json", Path("agents/joint")
_NEVER = 1_000_000


@dataclass(frozen=True)
class Joint:
    """How long the two sides are trained in each round."""

    rounds: int = 3
    """Times that the pilot is trained; it is answered once more after the last."""
    responses: int = 1
    """Fresh engines per round."""
    iterations: int = 12
    """Of the training of each engine."""
    games: int = 256
    """Of one such iteration."""
    payoff_games: int = 200
    """Validation games of every pilot against every engine."""


@dataclass
class Told:
    """What came of it: survival by pilot and opponent, rounds in order."""

    pilots: list[str] = field(default_factory=list)
    engines: list[str] = field(default_factory=list)
    survival: dict[str, dict[str, float]] = field(default_factory=dict)

    def worst(self, pilot: str) -> tuple[str, float]:
        """The opponent that leaves a pilot the least, and what it leaves."""
        return min(self.survival[pilot].items(), key=lambda pair: pair[1])

    def to_json(self) -> dict[str, Any]:
        """All figures."""
        worst = {pilot: dict([self.worst(pilot)]) for pilot in self.survival}
        return {
            "pilots": self.pilots,
            "engines": self.engines,
            "survival": self.survival,
            "worst": worst,
        }


def play_joint(
    plan: Plan, joint: Joint, folder: Path, pool: RolloutPool, say: Say = lambda _: None
) -> Told:
    """Play all rounds; `plan` is the first one's, later ones begin with the model before."""
    if plan.model != TINY:
        raise BadInput.of("model of a joint run", plan.model, f"{TINY}: others answer too slowly")
    told, pilots = Told(), dict[str, TinyAgent]()
    engines = {name: catalog.agent(name, *_seat(plan)) for name in plan.against}
    for number in range(joint.rounds):
        path = folder / "rounds" / f"{number:02d}"
        run = train(_plan(plan, number, folder, list(engines)), path / "pilot", pool, say)
        name = f"pilot-{number:02d}"
        pilots[name] = TinyAgent.of(run.best_model, name)
        told.pilots.append(name)
        for response in range(joint.responses):
            made = _answered(plan, joint, pilots[name], folder, number, response)
            told.engines.append(made.stem)
            engines[str(made)] = catalog.agent(str(made), *_seat(plan))
        _fill(plan, joint, told, pilots, list(engines.values()))
        write_atomically(folder / SUMMARY, json.dumps(told.to_json(), indent=2) + "\n")
        say(_line(told, name))
    return told


def _seat(plan: Plan) -> tuple[str, catalog.Scenario]:
    return other_role(plan.scene, plan.role).name, plan.scene


def _plan(plan: Plan, number: int, folder: Path, against: list[str]) -> Plan:
    """What the pilot does in a round: against everybody there is, from where it stands."""
    if number == 0:
        return plan
    before = folder / "rounds" / f"{number - 1:02d}" / "pilot" / "best"
    return replace(
        plan,
        model=str(before),
        against=tuple(against),
        seed=plan.seed + 100 * number,
        clone=ClonePlan(teacher=""),
    )


def _answered(
    plan: Plan, joint: Joint, pilot: Agent, folder: Path, number: int, response: int
) -> Path:
    """Train a fresh engine against one pilot; give its card."""
    role = other_role(plan.scene, plan.role).name
    recipe = replace(recipe_of(role), games=joint.games, evaluate_every=_NEVER, evaluation_games=50)
    made = ppo.train(
        role,
        Pool([(pilot, 1.0)]),
        plan.scene,
        budget=Budget(joint.iterations),
        seed=plan.seed * 100 + number * 10 + response,
        out=folder / "rounds" / f"{number:02d}" / f"{role}-{response}",
        recipe=recipe,
    )
    return made.save((folder / ENGINES).resolve(), f"{role}-{number:02d}-{response}")


def _fill(
    plan: Plan, joint: Joint, told: Told, pilots: Mapping[str, Agent], engines: list[Agent]
) -> None:
    """Play what has not been played: every pilot against every engine."""
    seeds = VALIDATION_SEEDS[: joint.payoff_games]
    for name, pilot in pilots.items():
        cells = told.survival.setdefault(name, {})
        for engine in engines:
            if engine.name not in cells:
                (score,) = evaluation.evaluate(
                    pilot, plan.role, Pool([(engine, 1.0)]), plan.scene, seeds
                )
                cells[engine.name] = score.survival.mean or 0.0


def _line(told: Told, name: str) -> str:
    opponent, least = told.worst(name)
    answer = told.engines[-1]
    return (
        f"{name}: worst {least:.1%} against {opponent}; its newest answer {answer} leaves it"
        f" {told.survival[name][answer]:.1%}"
    )
