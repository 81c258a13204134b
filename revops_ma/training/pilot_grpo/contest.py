"""Several training seeds, the best of them by validation, its evidence and its card.

Importing this module imports torch and trl.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from revops_ma import catalog
from revops_ma.game import Agent
from revops_ma.rollout import RolloutPool
from revops_ma.run import write_atomically
from revops_ma.training.pilot_grpo import evidence, worst
from revops_ma.training.pilot_grpo.agent import TinyAgent
from revops_ma.training.pilot_grpo.card import add_to_run_card
from revops_ma.training.pilot_grpo.figures import can_draw, draw_comparison, draw_curves
from revops_ma.training.pilot_grpo.habits import habits_of
from revops_ma.training.pilot_grpo.loop import START, Trained, train
from revops_ma.training.pilot_grpo.plan import Plan
from revops_ma.training.pilot_grpo.quiet import quiet
from revops_ma.training.pilot_grpo.shipping import card_of_pretrained, ship_best
from revops_ma.training.pool import other_role
from revops_ma.training.recipe import TEST_SEEDS

HABIT_GAMES = 200
"""Games that are watched to tell what the agents do."""
RESULT, CARDS = "result.json", "agents"


@dataclass(frozen=True)
class Contest:
    """Runs of one plan that differ by their training seed."""

    plan: Plan
    runs: Sequence[Trained]
    table: evidence.Table | None
    """Of the best run; None if no test games were asked for, or the model has no card."""
    card: Path | None
    habits: Mapping[str, Any] = field(default_factory=dict)
    """What the agents do against the first opponent, before and after."""

    @property
    def winner(self) -> int:
        """Position of the best by validation."""
        scores = [run.best["return"] for run in self.runs]
        return scores.index(max(scores))

    @property
    def winning(self) -> Plan:
        """The plan of the best run."""
        return replace(self.plan, seed=self.plan.seed + self.winner)

    @property
    def best(self) -> Trained:
        """The best by validation."""
        return self.runs[self.winner]

    def to_json(self) -> dict[str, Any]:
        """All figures."""
        return {
            "plan": self.plan.to_json(),
            "runs": [
                {
                    "seed": self.plan.seed + at,
                    "best": run.best,
                    "trained": not run.warning,
                    "warning": run.warning,
                    "timing": timing_of(run),
                    "cpu_seconds": round(run.cpu_seconds, 1),
                    "seconds": round(run.seconds, 1),
                }
                for at, run in enumerate(self.runs)
            ],
            "winner": self.plan.seed + self.winner,
            "test": self.table.to_json() if self.table else None,
            "habits": dict(self.habits),
            "card": str(self.card) if self.card else None,
        }


def hold(  # noqa: PLR0913, PLR0917 - what, where, how often, who tells
    plan: Plan,
    seeds: int,
    folder: Path,
    name: str,
    pool: RolloutPool,
    test_games: int,
    command: str,
    say: Callable[[str], None],
) -> Contest:
    """Train every seed, test the best, write its card; goes on after a kill."""
    runs = []
    for at in range(seeds):
        one = replace(plan, seed=plan.seed + at)
        run = train(one, folder / f"seed-{one.seed}", pool, say)
        say(timing_line(one.seed, run))
        if run.warning:
            say(f"seed {one.seed} is not called trained: {run.warning}")
        runs.append(run)
    contest = Contest(plan, runs, None, None)
    if plan.is_tiny and test_games:
        card = ship_best(contest.winning, contest.best, folder / CARDS, name, command)
        with quiet():
            table = _test(contest, folder, card, pool, test_games)
            told = _habits(contest, folder, card, test_games)
        contest = replace(contest, table=table, card=card, habits=told)
        add_to_run_card(card, {"test": table.to_json()})
    elif not plan.is_tiny:
        card = card_of_pretrained(plan, contest.best, folder / CARDS, name, command)
        contest = replace(contest, card=card)
    _draw(contest, folder)
    write_atomically(folder / RESULT, json.dumps(contest.to_json(), indent=2) + "\n")
    return contest


def timing_of(run: Trained) -> dict[str, float]:
    """Mean seconds of a rollout and its steps, and the share of environment and rollout layer."""
    lines = run.history
    if not lines:
        return {"step_seconds": 0.0, "world_share": 0.0}
    step = sum(line["step_seconds"] for line in lines) / len(lines)
    world = sum(line["world_seconds"] for line in lines) / len(lines)
    return {"step_seconds": step, "world_share": world / max(step, 1e-9)}


def timing_line(seed: int, run: Trained) -> str:
    """One line about where the time went."""
    told = timing_of(run)
    return (
        f"seed {seed}: best at rollout {run.best['iteration']}, validation survival"
        f" {run.best['survival']:.1%}, return {run.best['return']:.2f}; {run.cpu_seconds:.0f}"
        f" CPU-s; a step takes {told['step_seconds']:.2f} s, of which environment and rollout"
        f" layer {told['world_share']:.1%}"
    )


def _test(
    contest: Contest, folder: Path, card: Path, pool: RolloutPool, games: int
) -> evidence.Table:
    plan, before = contest.plan, folder / CARDS / "before.toml"
    other = other_role(plan.scene, plan.role).name
    adversaries = evidence.adversaries_of(plan.against, plan.scene, other, folder / CARDS)
    table = evidence.compare(before, card, adversaries, plan.scenario, games, pool, plan.role)
    return replace(table, worst=_worst(contest, min(games, worst.GAMES)))


def _worst(contest: Contest, games: int) -> dict[str, Any]:
    """What at most three strikes leave the models and the scripted references."""
    plan, best = contest.plan, contest.best
    models = {evidence.BEFORE: best.folder / START, evidence.AFTER: best.best_model}
    agents: dict[str, Agent] = {
        name: TinyAgent.of(path, name, greedy=True) for name, path in models.items()
    }
    for name in evidence.REFERENCES:
        agents[name] = catalog.agent(name, plan.role, plan.scene)
    return worst.worst_of(agents, plan.scene, TEST_SEEDS[:games])


def _habits(contest: Contest, folder: Path, card: Path, games: int) -> dict[str, Any]:
    """What the model does before and after, against the first opponent, on some test seeds."""
    plan = contest.plan
    scene = plan.scene
    other = other_role(scene, plan.role).name
    opponent = catalog.agent(plan.against[0], other, scene)
    seeds = TEST_SEEDS[: min(games, HABIT_GAMES)]
    cards = {evidence.BEFORE: folder / CARDS / "before.toml", evidence.AFTER: card}
    return {
        name: habits_of(
            catalog.agent(path, plan.role, scene), opponent, scene, plan.role, seeds
        ).to_json()
        for name, path in cards.items()
    }


def _draw(contest: Contest, folder: Path) -> None:
    if not can_draw():
        return
    histories = {
        f"seed {contest.plan.seed + at}": run.history for at, run in enumerate(contest.runs)
    }
    draw_curves(folder, histories)
    if contest.table is not None:
        draw_comparison(folder, contest.table)
