"""A GRPO run from nothing to its best weights; the same call goes on after a kill.

Importing this module imports torch and trl.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from transformers import TrainerCallback

from revops_ma.errors import RunFailed
from revops_ma.progress import Advance, track
from revops_ma.rollout import RolloutPool
from revops_ma.training.checkpoint import training_in
from revops_ma.training.metrics import MetricsLog
from revops_ma.training.pilot_grpo import guards, state
from revops_ma.training.pilot_grpo.baseline import Baseline
from revops_ma.training.pilot_grpo.exam import examine
from revops_ma.training.pilot_grpo.hook import Rollouts
from revops_ma.training.pilot_grpo.plan import Plan
from revops_ma.training.pilot_grpo.quiet import quiet
from revops_ma.training.pilot_grpo.recipe import validation_seeds
from revops_ma.training.pilot_grpo.start import keep, started
from revops_ma.training.pilot_grpo.trainer import trainer_of
from revops_ma.training.pilot_grpo.writer import Writer

BEST, START = "best", "start"
"""Folders of the run that hold models: the best by validation, and the one before GRPO."""
Say = Callable[[str], None]


@dataclass
class Trained:
    """What a run came to."""

    folder: Path
    history: list[dict[str, Any]]
    best: dict[str, Any]
    """`iteration` (0: the clone) and its figures on validation seeds."""
    warning: str
    """Why it may not be called trained; empty if it may."""
    cpu_seconds: float
    seconds: float

    @property
    def best_model(self) -> Path:
        """Folder of the best weights."""
        return self.folder / BEST


@dataclass
class _Run(TrainerCallback):
    """What happens between two rollouts: figures, validation, guards, checkpoints."""

    plan: Plan
    folder: Path
    pool: RolloutPool
    writer: Writer
    rollouts: Rollouts
    log: MetricsLog
    say: Say
    optimizer: Any = None
    best: dict[str, Any] = field(default_factory=dict)
    before: tuple[float, float] = (0.0, 0.0)
    """CPU and wall seconds of earlier, interrupted commands."""
    advance: Advance = lambda _: None
    began: tuple[float, float] = (0.0, 0.0)
    first: int = 0
    _marked: float = 0.0

    @property
    def seconds(self) -> tuple[float, float]:
        """CPU and wall seconds of the whole run so far."""
        cpu, wall = time.process_time() - self.began[0], time.perf_counter() - self.began[1]
        return self.before[0] + cpu, self.before[1] + wall

    def on_train_begin(self, *_: Any, **__: Any) -> None:
        """Start the clock of the first rollout."""
        self._marked = time.perf_counter()

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Look at a rollout after the last step that learns from it."""
        if state.global_step % self.plan.recipe.steps:
            return
        done = self.first + state.global_step // self.plan.recipe.steps
        guards.check_hook(self.rollouts.number, done)
        figures = self._figures(done)
        if done % self.plan.recipe.validate_every == 0 or done == self.plan.recipe.rollouts:
            self.validate(done, figures)
        self.log.add(figures)
        if reason := guards.stop_reason(figures, self.plan.recipe):
            self.log.flush()
            raise RunFailed(reason)
        if "validation" in figures and (warning := guards.alarm(self.log.history)):
            self.say(warning)
        if done % self.plan.recipe.checkpoint_every == 0 or done == self.plan.recipe.rollouts:
            self.checkpoint(done)
        self.advance(1)
        self._marked = time.perf_counter()

    def _figures(self, done: int) -> dict[str, Any]:
        step = time.perf_counter() - self._marked
        told = {name: round(value, 6) for name, value in self.rollouts.figures.items()}
        cpu, wall = self.seconds
        return {
            "iteration": done,
            **told,
            "step_seconds": step,
            "world_share": self.rollouts.figures["world_seconds"] / max(step, 1e-9),
            "cpu_seconds": cpu,
            "seconds": wall,
        }

    def validate(self, done: int, figures: dict[str, Any]) -> None:
        """Test on validation seeds and keep the weights if they are the best so far."""
        recipe = self.plan.recipe
        found = examine(
            self.writer,
            self.pool,
            self.rollouts.opponents,
            validation_seeds(recipe.validation_games),
        )
        figures["validation"] = found.to_json()
        if not self.best or figures["validation"]["return"] > self.best["return"]:
            self.best = {"iteration": done, **figures["validation"]}
            keep(self.writer, self.folder / BEST)

    def checkpoint(self, done: int) -> None:
        """Everything that the next rollout depends on."""
        self.log.flush()
        baseline, (cpu, wall) = self.rollouts.baseline, self.seconds
        state.save(
            self.folder,
            {
                "done": done,
                "weights": state.weights_of(self.writer.model),
                "optimizer": self.optimizer.state_dict(),
                "baseline": baseline.state() if baseline is not None else None,
                "best": self.best,
                "seconds": [cpu, wall],
            },
        )


def train(plan: Plan, folder: Path, pool: RolloutPool, say: Say = lambda _: None) -> Trained:
    """Clone, then train by GRPO; `folder` is made or gone on with.

    Raises BadInput for a folder that holds another run, RunFailed where a guard stops the run.
    """
    torch.set_num_threads(1)
    began = time.process_time(), time.perf_counter()
    with training_in(folder, plan.to_json()), quiet():
        writer = started(plan, folder / START, pool)
        found = state.load(folder)
        done = int(found["done"]) if found else 0
        log = MetricsLog(folder, done)
        try:
            return _trained(plan, folder, pool, writer, log, found, began, say)
        finally:
            log.close()


def _trained(  # noqa: PLR0913, PLR0917 - the parts of a run, put together once
    plan: Plan,
    folder: Path,
    pool: RolloutPool,
    writer: Writer,
    log: MetricsLog,
    found: dict[str, Any] | None,
    began: tuple[float, float],
    say: Say,
) -> Trained:
    done = int(found["done"]) if found else 0
    rollouts = Rollouts(pool, plan.opponents, writer, plan.recipe, plan.seed, number=done)
    run = _Run(plan, folder, pool, writer, rollouts, log, say, began=began, first=done)
    if found:
        state.put_weights(writer.model, found["weights"])
        run.best, run.before = found["best"], tuple(found["seconds"])
        if found["baseline"] is not None:
            rollouts.baseline = Baseline(_width(plan), plan.seed)
            rollouts.baseline.restore(found["baseline"])
    else:
        run.validate(0, {})
    if done < plan.recipe.rollouts:
        trainer = trainer_of(rollouts, folder, [run], done=done)
        optimizer: Any = trainer.optimizer
        run.optimizer = optimizer
        if found:
            optimizer.load_state_dict(found["optimizer"])
        with track("rollouts", plan.recipe.rollouts - done) as run.advance:
            trainer.train()
    cpu, wall = run.seconds
    return Trained(
        folder, log.history, run.best, guards.verdict(log.history, plan.recipe), cpu, wall
    )


def _width(plan: Plan) -> int:
    world = plan.scene.world
    return int(world.roles[world.role_index(plan.role)].observation_space.shape[0])
