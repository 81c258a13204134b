"""What a set of episodes of one matchup comes to: the figures every table and report is made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revops_ma.arena.costs import costs_to_json, fallback_rate, tally_by_role
from revops_ma.arena.statistics import Estimate, means, share
from revops_ma.calls import Tally
from revops_ma.episode import COMPLETED, Episode
from revops_ma.game import World

_PER_STEP, _RETURN = "reward per step", "episode return"


@dataclass(frozen=True, slots=True)
class Result:
    """Figures of one matchup. Failed episodes are counted and left out of all means."""

    planned: int
    completed: int
    failed: int
    refused: int
    """Moves of either side that were refused."""
    fallbacks: int
    """Turns on which a rule moved because an agent's provider failed."""
    wins: int
    survival: Estimate
    reward_per_step: Estimate
    episode_return: Estimate
    facts: dict[str, Estimate]
    endings: dict[str, int]
    returns: NDArray[np.float64]
    """[completed] returns of the first role in the order of the seeds."""
    seeds: NDArray[np.int64]
    """[completed] their seeds: only what has the same seed is a pair."""
    calls: dict[str, Tally] = field(default_factory=dict)
    """Questions to models by role name; empty where none was asked."""

    @property
    def fallback_rate(self) -> float | None:
        """Share of the models' turns on which a rule moved; None where that cannot be told."""
        return fallback_rate(self.fallbacks, self.calls)

    def to_json(self) -> dict[str, Any]:
        """Give the part of the `match --json` document that this result fills."""
        return {
            "planned": self.planned,
            "completed": self.completed,
            "failed": self.failed,
            "refused_moves": self.refused,
            "fallbacks": self.fallbacks,
            "fallback_rate": self.fallback_rate,
            "survival": self.survival.to_json(),
            "reward_per_step": self.reward_per_step.to_json(),
            "episode_return": self.episode_return.to_json(),
            "facts": {name: fact.to_json() for name, fact in self.facts.items()},
            "endings": self.endings,
            "calls": {
                role: costs_to_json(tally, self.completed) for role, tally in self.calls.items()
            },
        }


def summarise(episodes: Sequence[Episode], planned: int, world: World) -> Result:
    """Work out the figures of a matchup's episodes, from the first role's side."""
    done = [episode for episode in episodes if episode.status == COMPLETED]
    first = world.roles[0].name
    returns = np.array([episode.returns[first] for episode in done], np.float64)
    steps = np.array([episode.steps for episode in done], np.float64)
    wins = sum(episode.won for episode in done)
    facts = {name: [episode.facts[name] for episode in done] for name in world.facts_shown}
    figures = means({**facts, _PER_STEP: returns / np.maximum(steps, 1.0), _RETURN: returns})
    return Result(
        planned=planned,
        completed=len(done),
        failed=len(episodes) - len(done),
        refused=_total(episode.refused for episode in done),
        fallbacks=_total(episode.fallbacks for episode in done),
        wins=wins,
        survival=share(wins, len(done)),
        reward_per_step=figures.pop(_PER_STEP),
        episode_return=figures.pop(_RETURN),
        facts=figures,
        endings=dict(Counter(episode.ending for episode in done).most_common()),
        returns=returns,
        seeds=np.array([episode.seed for episode in done], np.int64),
        calls=tally_by_role(done),
    )


def paired(ours: Result, theirs: Result) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns of both on the seeds that both completed, in the same order."""
    _, mine, yours = np.intersect1d(ours.seeds, theirs.seeds, return_indices=True)
    return ours.returns[mine], theirs.returns[yours]


def _total(counts: Iterable[Any]) -> int:
    return sum(sum(count.values()) for count in counts)
