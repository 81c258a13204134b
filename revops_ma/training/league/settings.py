"""What is asked of a self-play run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from revops_ma.errors import BadInput
from revops_ma.training.job import recipe_of
from revops_ma.training.recipe import Budget, Recipe

Mixing = Literal["uniform", "nash", "newest"]
MIXINGS: tuple[str, ...] = get_args(Mixing)

MOST_ROUNDS = 90
MOST_SEEDS = 1_000
MOST_RESPONSES = 9
_SEEDS_PER_LEAGUE, _SEEDS_PER_ROUND = 1_000, 10
_NEVER = 1_000_000


@dataclass(frozen=True)
class Settings:
    """Everything that decides the result of a self-play run but the scenario.

    All budgets are iterations, so a run comes out the same on a busy machine and on an idle one.
    """

    rounds: int = 8
    """Times that the pilot is trained on against the league as it has become."""
    mixing: Mixing = "uniform"
    """How the trained engines share their part of the games; see `mixing.py`."""
    seed: int = 0
    pilot_iterations: int = 40
    crisis_iterations: int = 30
    responses: int = 3
    """Fresh best responses to the newest pilot in every round: they differ widely between seeds."""
    scripts: tuple[str, ...] = ("rule-based", "constants")
    """Scripted opponents; `constants` stands for one that always strikes with the same, per kind.
    Each name has the same share."""
    scripts_share: float = 0.4
    """Share of the games against scripted opponents, once there are trained ones."""
    games: int = 1_024
    """Whole games of one iteration of training."""
    payoff_games: int = 400
    """Games behind each cell of the payoff matrix."""
    exact_seeds: int = 20
    """Seeds a round on which the exact worst case is searched; 0 leaves it out."""
    exact_crises: int = 3
    """Strikes that the exact search may place."""

    def __post_init__(self) -> None:
        """Check what can be checked without a scenario."""
        limits = {
            "rounds": (self.rounds, 1, MOST_ROUNDS),
            "seed": (self.seed, 0, MOST_SEEDS - 1),
            "responses": (self.responses, 1, MOST_RESPONSES),
            "pilot iterations": (self.pilot_iterations, 1, _NEVER),
            "crisis iterations": (self.crisis_iterations, 1, _NEVER),
            "games per iteration": (self.games, 1, 2**20),
            "games per payoff cell": (self.payoff_games, 1, 100_000),
        }
        for name, (got, low, high) in limits.items():
            if not low <= got <= high:
                raise BadInput.of(name, got, f"a whole number from {low} to {high:,}")
        if self.mixing not in MIXINGS:
            raise BadInput.of("mixing", self.mixing, ", ".join(MIXINGS))
        if not self.scripts or not 0 < self.scripts_share < 1:
            got = (self.scripts, self.scripts_share)
            raise BadInput.of("scripts and their share", got, "names, and a share between 0 and 1")

    def to_json(self) -> dict[str, Any]:
        """All settings by name."""
        found = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {**found, "scripts": list(self.scripts)}

    def recipe(self, role: str) -> Recipe:
        """How a role is trained: its recipe, evaluated once at the end since rounds are short."""
        found = recipe_of(role)
        minibatch = min(found.minibatch, max(64, 2 * self.games))
        return replace(
            found,
            games=self.games,
            minibatch=minibatch,
            evaluate_every=_NEVER,
            evaluation_games=100,
        )

    def budget(self, *, responds: bool) -> Budget:
        """Budget of one response, or of the pilot's training in one round."""
        return Budget(self.crisis_iterations if responds else self.pilot_iterations)

    def training_seed(self, number: int, response: int | None = None) -> int:
        """Training seed of the pilot in a round, or of one response to it; none comes twice."""
        place = 0 if response is None else 1 + response
        return self.seed * _SEEDS_PER_LEAGUE + number * _SEEDS_PER_ROUND + place
