"""The training loop: plan, play, learn, tell; save and go on."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

from revops_ma.catalog import Scenario
from revops_ma.policies.network import Network
from revops_ma.policies.network import load as load_network
from revops_ma.progress import track
from revops_ma.run import write_atomically
from revops_ma.training import checkpoint
from revops_ma.training.backends import Backend, open_backend
from revops_ma.training.checkpoint import Counters
from revops_ma.training.evaluation import evaluate, mean_return
from revops_ma.training.job import Job, check, recipe_of
from revops_ma.training.metrics import MetricsLog, read
from revops_ma.training.plan import plan_of
from revops_ma.training.pool import Pool
from revops_ma.training.recipe import VALIDATION_SEEDS, Budget, Recipe
from revops_ma.training.sampling import Rollout, Sampler, as_agent
from revops_ma.training.trained import Trained


def train(  # noqa: PLR0913 - the front door: what may be said of a run, most of it by name
    role: str,
    opponents: Pool,
    scenario: Scenario,
    *,
    budget: Budget,
    seed: int = 0,
    warm_start: Network | None = None,
    out: Path | None = None,
    recipe: Recipe | None = None,
    backend: str = "embedded",
    workers: int = 2,
    command: str = "",
) -> Trained:
    """Train one seat of a scenario against a weighted pool of agents.

    Each game of training has one opponent, drawn by the weights of the pool. `warm_start` (with its
    critic) is trained on; else the network is new. With `out` the run survives a kill: the same
    call goes on from the last checkpoint, and returns at once where it had ended. With a budget of
    iterations the result is the same to the bit, interrupted or not, in either backend.

    Raises BadInput for a role, scenario or backend that cannot be trained, or a directory of
    another run.
    """
    job = Job(
        role, opponents, scenario, budget, seed, recipe or recipe_of(role), warm_start, command
    )
    check(job)
    with checkpoint.training_in(out, job.request()) if out else nullcontext():
        if out and (out / checkpoint.RESULT).is_file():
            return _finished(job, out)
        sampler = Sampler(role, opponents, scenario)
        made = open_backend(backend, sampler, job.first_network(), job.recipe, seed, workers)
        with closing(made):
            trained = _Run(job, made, out).to_the_end()
        if out:
            _finish(trained, out)
        return trained


class _Run:
    """A run in progress."""

    def __init__(self, job: Job, backend: Backend, out: Path | None) -> None:
        self.job, self.backend, self.out = job, backend, out
        self.counters = Counters()
        saved = checkpoint.load(out) if out else None
        if saved is not None:
            backend.set_state(saved[0])
            self.counters = saved[1]
        self.log = MetricsLog(out, self.counters.iterations)
        self.saved_at = self.counters.seconds

    @property
    def progress(self) -> float:
        """Share of the training that is done."""
        return self.job.budget.progress(self.counters.iterations, self.counters.seconds)

    def to_the_end(self) -> Trained:
        """Iterate until the budget is spent."""
        with closing(self.log), track(f"training the {self.job.role}, %", 100) as advance:
            done = 0.0
            while self.progress < 1:
                self.step()
                advance(100 * self.progress - done)
                done = 100 * self.progress
        return self.job.result(self.backend.network, self.counters, self.log.history)

    def step(self) -> None:
        """One iteration, with its evaluation and checkpoint where they are due."""
        job, counters = self.job, self.counters
        began = time.perf_counter()
        plan = plan_of(job.seed, counters.iterations, self.progress, job.recipe, job.pool)
        rollout, learned = self.backend.iterate(plan)
        self.counters = Counters(
            iterations=counters.iterations + 1,
            months=counters.months + int(rollout.steps.sum()),
            games=counters.games + len(rollout.returns),
            seconds=counters.seconds + time.perf_counter() - began,
        )
        ends = self.progress >= 1
        figures = {**self._figures(rollout), **learned}
        due = ends or self.counters.iterations % job.recipe.evaluate_every == 0
        if due and job.recipe.evaluation_games:
            figures |= self._evaluation()
        self.log.add(figures)
        if ends or self.counters.seconds - self.saved_at >= job.recipe.checkpoint_seconds:
            self._save()

    def _figures(self, rollout: Rollout) -> dict[str, Any]:
        counters = self.counters
        return {
            "iteration": counters.iterations,
            "months": counters.months,
            "games": counters.games,
            "seconds": round(counters.seconds, 3),
            "months_per_second": round(counters.months / counters.seconds),
            "survival": float(rollout.won.mean()),
            "return": float(rollout.returns.mean()),
            "opponents": dict(_by_opponent(rollout, self.job.pool)),
        }

    def _evaluation(self) -> dict[str, Any]:
        """Figures on validation seeds, against each opponent, with their intervals."""
        job = self.job
        agent = as_agent(self.backend.network, job.role, job.scenario.world.name)
        seeds = VALIDATION_SEEDS[: job.recipe.evaluation_games]
        scores = evaluate(agent, job.role, job.pool, job.scenario, seeds)
        return {
            "validation_return": mean_return(scores, job.pool),
            "validation": {score.identity: score.to_json() for score in scores},
        }

    def _save(self) -> None:
        if self.out is not None:
            self.log.flush()
            checkpoint.save(self.out, self.backend.get_state(), self.counters)
            self.saved_at = self.counters.seconds


def _by_opponent(rollout: Rollout, pool: Pool) -> Iterator[tuple[str, dict[str, float]]]:
    """Games, survival and return against each opponent that was met, by identity."""
    for index, agent in enumerate(pool.agents):
        met = rollout.opponents == index
        if met.any():
            yield (
                agent.identity,
                {
                    "games": int(met.sum()),
                    "survival": float(rollout.won[met].mean()),
                    "return": float(rollout.returns[met].mean()),
                },
            )


def _finish(trained: Trained, out: Path) -> None:
    """Write the result; what marks the end comes last."""
    trained.network.save(out / checkpoint.NETWORK)
    counters = {name: getattr(trained, name) for name in ("iterations", "months", "seconds")}
    write_atomically(out / checkpoint.RESULT, json.dumps(counters) + "\n")


def _finished(job: Job, out: Path) -> Trained:
    """The result of a run that had ended."""
    network = load_network(out / checkpoint.NETWORK, job.seat)
    counters = Counters(**json.loads((out / checkpoint.RESULT).read_text(encoding="utf-8")))
    return job.result(network, counters, read(out))
