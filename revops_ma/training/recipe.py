"""How long and how a seat is trained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from revops_ma.errors import BadInput


@dataclass(frozen=True)
class Budget:
    """When training ends: after so many iterations or so many seconds of training.

    With iterations a run is reproducible to the bit; with seconds it depends on the machine.
    Evaluation does not count.
    """

    iterations: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        """Check that exactly one limit is there and above 0."""
        limits = [limit for limit in (self.iterations, self.seconds) if limit is not None]
        if len(limits) != 1 or limits[0] <= 0:
            given = (self.iterations, self.seconds)
            raise BadInput.of("iterations and seconds of training", given, "one of them, above 0")

    def progress(self, iterations: int, seconds: float) -> float:
        """Share of the training that is done, 0 to 1."""
        if self.iterations is not None:
            return min(iterations / self.iterations, 1.0)
        assert self.seconds is not None
        return min(seconds / self.seconds, 1.0)

    def to_json(self) -> dict[str, float]:
        """The limit by its name."""
        both = {"iterations": self.iterations, "seconds": self.seconds}
        return {name: limit for name, limit in both.items() if limit is not None}


@dataclass(frozen=True)
class Recipe:
    """Hyper-parameters of PPO. The defaults were measured on the company world."""

    games: int = 1024
    """Whole games of one iteration."""
    gamma: float = 1.0
    lambda_: float = 0.95
    learning_rate: tuple[float, float] = (1e-3, 2e-4)
    """At the beginning and at the end; between them it falls with the progress."""
    epochs: int = 4
    minibatch: int = 2048
    clip: float = 0.2
    entropy: tuple[float, float] = (0.01, 0.0)
    """Weight of the entropy bonus at the beginning and at the end."""
    hidden: int = 64
    """Width of the two layers of policy and critic."""
    evaluate_every: int = 20
    """Iterations between two evaluations."""
    evaluation_games: int = 500
    """Games of an evaluation on validation seeds, per opponent; 0: there are no evaluations."""
    checkpoint_seconds: float = 10.0
    """Longest time of training that a kill costs."""

    def to_json(self) -> dict[str, Any]:
        """All settings by name."""
        return {name: _plain(getattr(self, name)) for name in self.__dataclass_fields__}


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


RECIPES: dict[str, Recipe] = {"pilot": Recipe(gamma=0.99)}
"""Recipes by role; all other roles take the defaults.

A pilot of 30 months learns sooner with a discount. A crisis engine moves ten times, and what it
does bears fruit at the end."""

FIRST_TRAINING_SEED = 2**40
"""Games of training are dealt from here on: far from those of development and of held-out tests."""
SEEDS_PER_RUN = 2**32
"""Distance between the games of two training seeds."""
MOST_SEEDS = 2**20
"""Training seeds there are."""
VALIDATION_SEEDS = range(500_000, 600_000)
"""Seeds of evaluations during training, by which the strongest of several runs is chosen."""
TEST_SEEDS = range(1_000_000, 1_002_000)
"""Held-out seeds of the figures that are reported at the end."""
