"""What is asked of a self-play run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from revops_ma.errors import BadInput
from revops_ma.training.job import recipe_of
from revops_ma.training.recipe import Recipe

Mixing = Literal["uniform", "nash", "newest"]
MIXINGS: tuple[str, ...] = get_args(Mixing)

MOST_ROUNDS = 90
MOST_SEEDS = 100
MOST_RESPONSES = 9
MOST_PARTS = 9
_SEEDS_PER_ROUND = MOST_PARTS + MOST_RESPONSES + MOST_PARTS * MOST_RESPONSES
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
    """Fresh best responses to the newest pilot in every round: they differ widely between seeds.
    There are as many sparring partners, which begin as the first responses."""
    parts: int = 4
    """Parts of the pilot's training in a round; before each one its sparring partners learn on."""
    sparring_iterations: int = 6
    """Iterations of each sparring partner before each part; 0: there are no partners."""
    scripts: tuple[str, ...] = ("rule-based", "constants")
    """Scripted opponents; `constants` stands for one that always strikes with the same, per kind.
    Each name has the same share."""
    scripts_share: float = 0.2
    """Share of the games against scripted opponents, once there are trained ones."""
    sparring_share: float = 0.45
    """Share of the games against sparring partners, where there are some."""
    games: int = 1_024
    """Whole games of one iteration of training."""
    payoff_games: int = 400
    """Games behind each cell of the payoff matrix."""
    exact_seeds: int = 10
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
            "parts": (self.parts, 1, min(MOST_PARTS, self.pilot_iterations)),
            "sparring iterations": (self.sparring_iterations, 0, _NEVER),
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
        if not 0 <= self.sparring_share < 1 - self.scripts_share:
            allowed = f"from 0 to below {1 - self.scripts_share:g}, what the scripts leave"
            raise BadInput.of("sparring share", self.sparring_share, allowed)

    def to_json(self) -> dict[str, Any]:
        """All settings by name."""
        found = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {**found, "scripts": list(self.scripts)}

    def recipe(self, role: str) -> Recipe:
        """How a role is trained: its recipe, without evaluations since the matrix tells it all."""
        found = recipe_of(role)
        minibatch = min(found.minibatch, max(64, 2 * self.games))
        return replace(found, games=self.games, minibatch=minibatch, evaluation_games=0)

    def long_recipe(self, role: str, number: int, part: int, last: tuple[float, float]) -> Recipe:
        """How somebody is trained who learns all through the league, in one part of a round.

        Learning rate and weight of the entropy go from the recipe's first to `last` over the whole
        league, so each part goes on where the one before ended.
        """
        recipe = self.recipe(role)
        whole = self.parts * (self.rounds + 1)
        ends = [(self.parts * number + part + more) / whole for more in (0, 1)]
        (rate, bonus), (last_rate, last_bonus) = (recipe.learning_rate[0], recipe.entropy[0]), last
        return replace(
            recipe,
            learning_rate=tuple(rate + end * (last_rate - rate) for end in ends),
            entropy=tuple(bonus + end * (last_bonus - bonus) for end in ends),
        )

    def part_iterations(self, part: int) -> int:
        """Iterations of the pilot in part 0, 1, ... of a round; together `pilot_iterations`."""
        edges = [self.pilot_iterations * edge // self.parts for edge in (part, part + 1)]
        return edges[1] - edges[0]

    def training_seed(
        self,
        number: int,
        *,
        part: int = 0,
        response: int | None = None,
        partner: int | None = None,
    ) -> int:
        """Training seed of the pilot, a response or a partner in a round; none comes twice."""
        place = part
        if response is not None:
            place = MOST_PARTS + response
        if partner is not None:
            place = MOST_PARTS + MOST_RESPONSES * (1 + part) + partner
        return (self.seed * (MOST_ROUNDS + 2) + number) * _SEEDS_PER_ROUND + place
