"""What a GRPO run does: settings with the values that worked, and the seeds it may use."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from revops_ma.errors import BadInput
from revops_ma.training.pilot_grpo.credit import Credit
from revops_ma.training.recipe import FIRST_TRAINING_SEED, SEEDS_PER_RUN, VALIDATION_SEEDS

FIRST_GRPO_SEED = FIRST_TRAINING_SEED * 2
"""Games of GRPO are dealt from here on: no other trainer uses them, nor does any evaluation."""
CLONE_OFFSET = SEEDS_PER_RUN // 2
"""From the first game of a run to the first game that a teacher shows it."""


@dataclass(frozen=True)
class Recipe:
    """Hyper-parameters of GRPO. The defaults were measured with the tiny model."""

    credit: Credit = Credit.GAE
    rollouts: int = 100
    groups: int = 16
    """Deals of a rollout, each with one opponent."""
    copies: int = 4
    """Episodes per deal: a group."""
    rows: int = 1024
    """Turns that a rollout gives to learn from."""
    steps: int = 4
    """Optimizer steps that share the rows of a rollout."""
    microbatch: int = 256
    """Rows of one forward pass."""
    learning_rate: float = 1e-3
    final_rate: float = 0.2
    """Share of the learning rate that is left at the end; it falls evenly."""
    gamma: float = 0.99
    lambda_: float = 0.95
    entropy: float = 0.0
    """Weight of the entropy bonus."""
    validate_every: int = 15
    """Rollouts between two validations."""
    validation_games: int = 400
    checkpoint_every: int = 5
    """Rollouts that a kill may cost."""
    most_invalid: float = 0.3
    """Share of refused answers at which a run stops."""
    most_failed: float = 0.1
    """Share of failed episodes of one rollout at which a run stops."""
    most_flat: float = 0.5
    """Share of groups without variance above which a run is not called trained."""

    def __post_init__(self) -> None:
        """Check that the rows can be shared out."""
        if self.rows % (self.steps * self.microbatch):
            raise BadInput.of(
                "rows of a rollout", self.rows, f"multiples of {self.steps} x {self.microbatch}"
            )
        if self.copies < 2 and self.credit is not Credit.GAE:
            raise BadInput.of("episodes per deal", self.copies, f"2 or more with {self.credit}")

    def seeds(self, run_seed: int, rollout: int) -> range:
        """Seeds of one rollout: every one is used once."""
        first = FIRST_GRPO_SEED + run_seed * SEEDS_PER_RUN + rollout * self.groups
        return range(first, first + self.groups)

    def rate(self, rollout: float) -> float:
        """Share of the learning rate after so many rollouts."""
        return 1.0 - (1.0 - self.final_rate) * min(rollout / self.rollouts, 1.0)

    def to_json(self) -> dict[str, Any]:
        """All settings by name."""
        return asdict(self)


def clone_seeds(run_seed: int, games: int) -> range:
    """Seeds of the games that a teacher shows."""
    first = FIRST_GRPO_SEED + run_seed * SEEDS_PER_RUN + CLONE_OFFSET
    return range(first, first + games)


def validation_seeds(games: int) -> range:
    """Seeds by which the best checkpoint is chosen: never trained on, never reported on."""
    return VALIDATION_SEEDS[:games]
