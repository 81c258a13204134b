"""Between TRL's trainer and the rollout pool: one call per rollout, one row per turn.

TRL is given ready advantages as "rewards". All rows of a rollout are one group to it, so it
only subtracts their mean; whom an episode is compared with is decided in `credit.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from revops_ma.errors import RunFailed
from revops_ma.game import Floats
from revops_ma.rollout import Held, RolloutPool
from revops_ma.training.pilot_grpo.baseline import Baseline
from revops_ma.training.pilot_grpo.credit import Credit, advantages_of, share_without_variance
from revops_ma.training.pilot_grpo.play import Played, play, specs_of
from revops_ma.training.pilot_grpo.recipe import Recipe
from revops_ma.training.pilot_grpo.trajectory import Row, Trajectory, rows_of
from revops_ma.training.pilot_grpo.writer import Writer

ADVANTAGE = "advantage"
"""Name of the column that reaches the reward function."""


def advantage(completions: Sequence[Any], **columns: Any) -> list[float | None]:
    """TRL's reward function: the advantage that came with the row; None for a filler."""
    given: list[float | None] = columns[ADVANTAGE]
    if len(given) != len(completions):
        raise RunFailed(f"{len(given)} advantages for {len(completions)} rows")
    return given


@dataclass
class Rollouts:
    """`rollout_func` of a trainer: plays a rollout, judges its turns, gives the rows."""

    pool: RolloutPool
    opponents: Sequence[Held]
    writer: Writer
    recipe: Recipe
    run_seed: int
    baseline: Baseline | None = None
    number: int = 0
    """The next rollout."""
    played: Played | None = None
    figures: dict[str, float] = field(default_factory=dict)

    def __call__(self, prompts: Sequence[Any], trainer: Any) -> dict[str, Any]:
        """Play rollout `number`; exactly `len(prompts)` rows."""
        # All luck of a rollout and of the steps that learn from it is keyed by its number, so a run
        # that was killed goes on as if it had not been.
        key = key_of(self.run_seed, self.number)
        torch.manual_seed(key)
        was_training = self.writer.model.training
        self.writer.model.eval()
        played = self._play(torch.Generator().manual_seed(key))
        self.writer.model.train(was_training)
        self.played = played
        rows = self._rows(played, len(prompts), np.random.default_rng(key))
        self.number += 1
        return _columns(rows)

    def _play(self, generator: torch.Generator) -> Played:
        recipe = self.recipe
        seeds = recipe.seeds(self.run_seed, self.number)
        specs = specs_of(self.opponents, seeds, recipe.copies, self.number * recipe.groups)
        return play(
            self.pool, specs, recipe.copies, lambda texts: self.writer.write(texts, generator)
        )

    def _rows(self, played: Played, count: int, random: np.random.Generator) -> list[Row]:
        finished = [each for each in played.finished if len(each)]
        if not finished:
            reasons = ", ".join(sorted(played.failures)) or "no turns"
            raise RunFailed(f"no episode of a rollout could be learned from: {reasons}")
        judged = self._judge(finished)
        self.figures.update(figures_of(played))
        return rows_of(finished, judged, count, random)

    def _judge(self, finished: Sequence[Trajectory]) -> list[Floats]:
        recipe, rewards = self.recipe, [np.array(each.rewards) for each in finished]
        groups = [each.group for each in finished]
        values, numbers = None, [np.stack(each.numbers) for each in finished]
        if recipe.credit is Credit.GAE:
            if self.baseline is None:
                self.baseline = Baseline(numbers[0].shape[1], self.run_seed)
            values = self.baseline.values(numbers)
        judged = advantages_of(
            recipe.credit,
            rewards,
            groups,
            values,
            gamma=recipe.gamma,
            lambda_=recipe.lambda_,
        )
        if self.baseline is not None and values is not None:
            targets = [extra + value for extra, value in zip(judged, values, strict=True)]
            self.figures["value_error"] = self.baseline.learn(numbers, targets)
        return judged


def figures_of(played: Played) -> dict[str, float]:
    """What a rollout says of the model that played it, sampled as in training."""
    finished = played.finished
    returns = [each.total for each in finished]
    return {
        "return": float(np.mean(returns)),
        "survival": float(np.mean([each.won for each in finished])),
        "reward_per_turn": float(np.mean([r for each in finished for r in each.rewards])),
        "turns": float(sum(map(len, finished))),
        "invalid": played.invalid_share,
        "failed": 1.0 - len(finished) / len(played.trajectories),
        "flat_groups": share_without_variance(returns, [each.group for each in finished]),
        "world_seconds": played.world_seconds,
        "model_seconds": played.model_seconds,
    }


def key_of(run_seed: int, number: int) -> int:
    """Seed of all luck of one rollout but the world's."""
    return (run_seed * 1_000_003 + number) % 2**62


def _columns(rows: Sequence[Row]) -> dict[str, Any]:
    return {
        "prompt_ids": [row.prompt for row in rows],
        "completion_ids": [row.answer for row in rows],
        "logprobs": None,
        "env_mask": [[int(row.advantage is not None)] * len(row.answer) for row in rows],
        ADVANTAGE: [row.advantage for row in rows],
    }
