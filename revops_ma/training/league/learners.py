"""Somebody who learns in a round of a league, in one training run or in several."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from revops_ma.catalog import Scenario
from revops_ma.policies.network import Network
from revops_ma.policies.numeric import NumericAgent
from revops_ma.training.pool import Pool
from revops_ma.training.recipe import Recipe
from revops_ma.training.sampling import as_agent
from revops_ma.training.trained import Trained


@dataclass(frozen=True)
class Lesson:
    """One training run."""

    pool: Pool
    recipe: Recipe
    iterations: int
    seed: int


@dataclass
class Learner:
    """What somebody is now, and the runs of this round that made it so."""

    name: str
    role: str
    scenario: Scenario
    first: Network | None = None
    """The weights that it begins the round with, None if it begins anew."""
    runs: list[Trained] = field(default_factory=list)

    @property
    def network(self) -> Network | None:
        """Its weights."""
        return self.runs[-1].network if self.runs else self.first

    @property
    def agent(self) -> NumericAgent:
        """It as an opponent of others, as it is now."""
        assert self.network is not None, f"{self.name} has learnt nothing yet"
        return as_agent(self.network, self.role, self.scenario.world.name, self.name)

    @property
    def outcome(self) -> Trained:
        """The last run, with the iterations, months and seconds of all."""
        return replace(
            self.runs[-1],
            seed=self.runs[0].seed,
            iterations=sum(run.iterations for run in self.runs),
            months=sum(run.months for run in self.runs),
            seconds=sum(run.seconds for run in self.runs),
        )
