"""How a model plays on seeds that it does not learn from. Importing this module imports torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from revops_ma.rollout import Held, RolloutPool
from revops_ma.training.pilot_grpo.play import play, specs_of
from revops_ma.training.pilot_grpo.writer import Writer

LUCK = 20_250_101
"""Seed of the draws of a validation: the same in all of them."""


@dataclass(frozen=True)
class Exam:
    """Figures over some seeds; the episodes in order."""

    won: list[bool]
    returns: list[float]
    invalid: float

    @property
    def survival(self) -> float:
        """Share of won episodes."""
        return float(np.mean(self.won)) if self.won else 0.0

    def to_json(self) -> dict[str, float]:
        """Means by name."""
        return {
            "games": float(len(self.won)),
            "survival": self.survival,
            "return": float(np.mean(self.returns)) if self.returns else 0.0,
            "invalid": self.invalid,
        }


def examine(
    writer: Writer,
    pool: RolloutPool,
    opponents: Sequence[Held],
    seeds: Sequence[int],
    *,
    greedy: bool = False,
) -> Exam:
    """Play one episode per seed, the opponents in turn; failed ones are left out."""
    writer.model.eval()
    generator = torch.Generator().manual_seed(LUCK)
    specs = specs_of(opponents, seeds, 1, 0)
    played = play(pool, specs, 1, lambda texts: writer.write(texts, generator, greedy=greedy))
    finished = played.finished
    return Exam(
        [each.won for each in finished], [each.total for each in finished], played.invalid_share
    )
