"""Several training seeds of one job, of which the strongest becomes an agent.

    DIR/seed-<n>/        a run each, see `checkpoint.py`
    DIR/training.json    the figures of all, and which is the strongest
    DIR/agents/trained/  its card and weights; REVOPS_MA_PATH=DIR puts it into the catalog

Best responses spread widely between training seeds, so one alone says little. The strongest is
chosen on validation seeds and reported on test seeds, which decide nothing.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from revops_ma.catalog import Scenario
from revops_ma.policies.network import Network
from revops_ma.run import write_atomically
from revops_ma.training.evaluation import Score, evaluate
from revops_ma.training.loop import train
from revops_ma.training.pool import Pool
from revops_ma.training.recipe import TEST_SEEDS, Budget, Recipe
from revops_ma.training.trained import Trained

SUMMARY, AGENTS = "training.json", Path("agents/trained")


@dataclass(frozen=True)
class Request:
    """What all seeds of a contest share."""

    role: str
    pool: Pool
    scenario: Scenario
    budget: Budget
    recipe: Recipe | None = None
    warm_start: Network | None = None
    backend: str = "embedded"
    workers: int = 2
    test_seeds: Sequence[int] = TEST_SEEDS

    @property
    def wants_wins(self) -> bool:
        """Whether the seat that learns is the one whose return is counted."""
        return self.scenario.world.role_index(self.role) == 0

    def train(self, seed: int, out: Path | None, command: str) -> Trained:
        """Train one seed."""
        return train(
            self.role,
            self.pool,
            self.scenario,
            budget=self.budget,
            seed=seed,
            warm_start=self.warm_start,
            out=out,
            recipe=self.recipe,
            backend=self.backend,
            workers=self.workers,
            command=command,
        )


@dataclass(frozen=True)
class Entry:
    """One training seed and its figures on test seeds."""

    trained: Trained
    scores: list[Score]

    def to_json(self) -> dict[str, Any]:
        """Figures without weights and history."""
        trained = self.trained
        return {
            "seed": trained.seed,
            "iterations": trained.iterations,
            "months": trained.months,
            "seconds": round(trained.seconds, 2),
            "months_per_second": round(trained.months_per_second),
            "validation_return": trained.validation,
            "test": [score.to_json() for score in self.scores],
        }


@dataclass(frozen=True)
class Contest:
    """All seeds of a job."""

    request: Request
    entries: list[Entry]
    seconds: float
    card: Path | None = field(default=None)

    @property
    def strongest(self) -> Entry:
        """The best by return on validation seeds; the first of equals."""
        sign = 1.0 if self.request.wants_wins else -1.0
        return max(self.entries, key=lambda entry: sign * (entry.trained.validation or 0.0))

    def to_json(self) -> dict[str, Any]:
        """Give the document of `train --json`."""
        request = self.request
        return {
            "role": request.role,
            "scenario": request.scenario.name,
            "against": request.pool.to_json(),
            "budget": request.budget.to_json(),
            "backend": request.backend,
            "runs": [entry.to_json() for entry in self.entries],
            "strongest": self.strongest.trained.seed,
            "card": str(self.card) if self.card else None,
            "seconds": round(self.seconds, 1),
        }


def hold(
    request: Request, seeds: Sequence[int], out: Path | None, name: str, command: str = ""
) -> Contest:
    """Train every seed and write the strongest as the agent `name`.

    With `out` the same call goes on after a kill; seeds that are done are not trained again.
    """
    began = time.perf_counter()
    entries = []
    for seed in seeds:
        trained = request.train(seed, out / f"seed-{seed}" if out else None, command)
        agent = trained.agent(name)
        scores = evaluate(agent, request.role, request.pool, request.scenario, request.test_seeds)
        entries.append(Entry(trained, scores))
    contest = Contest(request, entries, time.perf_counter() - began)
    if out is None:
        return contest
    best = contest.strongest
    contest = replace(contest, card=best.trained.save(out / AGENTS, name, best.scores))
    write_atomically(out / SUMMARY, json.dumps(contest.to_json(), indent=2) + "\n")
    return contest
