"""Before and after, on seeds that nothing was chosen by: agents play as anybody would play them.

All agents meet all adversaries on the same seeds, so differences are paired.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from revops_ma.arena.match import Match, play_match
from revops_ma.arena.statistics import Estimate, difference
from revops_ma.episode import COMPLETED
from revops_ma.progress import track
from revops_ma.rollout import RolloutPool
from revops_ma.training.recipe import TEST_SEEDS

ADVERSARIES = ("rule-based", "random", "best-constant", "hunter")
"""Whom every run is tested against, beside its own opponents."""
REFERENCES = ("heuristic", "heuristic-tuned")
BEFORE, AFTER = "before", "after"


@dataclass(frozen=True)
class Table:
    """Matches by (agent, adversary)."""

    scenario: str
    seeds: range
    agents: Mapping[str, str]
    """Card by the name in the table."""
    adversaries: tuple[str, ...]
    matches: Mapping[tuple[str, str], Match]

    def survival(self, agent: str, adversary: str) -> Estimate:
        """Share of won episodes."""
        return self.matches[agent, adversary].result.survival

    def gain(self, adversary: str) -> dict[str, Estimate]:
        """Paired differences after - before on the seeds that both completed."""
        before, after = (
            {e.seed: e for e in self.matches[agent, adversary].episodes if e.status == COMPLETED}
            for agent in (BEFORE, AFTER)
        )
        common = sorted(before.keys() & after.keys())
        role = next(iter(self.matches[AFTER, adversary].players))
        return {
            "survival": difference(
                [float(after[seed].won) for seed in common],
                [float(before[seed].won) for seed in common],
            ),
            "episode_return": difference(
                [after[seed].returns[role] for seed in common],
                [before[seed].returns[role] for seed in common],
            ),
        }

    def to_json(self) -> dict[str, Any]:
        """All figures."""
        return {
            "scenario": self.scenario,
            "seeds": [self.seeds.start, len(self.seeds)],
            "agents": dict(self.agents),
            "figures": {
                agent: {
                    adversary: self.matches[agent, adversary].result.to_json()
                    for adversary in self.adversaries
                }
                for agent in self.agents
            },
            "gain": {
                adversary: {
                    name: estimate.to_json() for name, estimate in self.gain(adversary).items()
                }
                for adversary in self.adversaries
            },
        }


def compare(  # noqa: PLR0913, PLR0917 - who, whom, where, how often
    before: Path,
    after: Path,
    adversaries: Sequence[str],
    scenario: str,
    games: int,
    pool: RolloutPool,
    role: str = "pilot",
    references: Sequence[str] = REFERENCES,
) -> Table:
    """Play the cards `before` and `after` and the references against every adversary."""
    agents = {
        BEFORE: str(before),
        AFTER: str(after),
        **{name: name for name in references},
    }
    seeds = TEST_SEEDS[:games]
    pairs = [(agent, adversary) for agent in agents for adversary in adversaries]
    other = "crisis" if role == "pilot" else "pilot"
    matches = {}
    with track("matches on test seeds", len(pairs)) as advance:
        for agent, adversary in pairs:
            players = {role: agents[agent], other: adversary}
            matches[agent, adversary] = play_match(
                players, scenario, len(seeds), seeds.start, None, pool
            )
            advance(1)
    return Table(scenario, seeds, agents, tuple(adversaries), matches)
