"""Before and after, on seeds that nothing was chosen by: agents play as anybody would play them.

All agents meet all adversaries on the same seeds, so differences are paired.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from revops_ma import catalog
from revops_ma.arena.match import Match, play_match
from revops_ma.arena.statistics import Estimate, difference
from revops_ma.cards import NumericCard
from revops_ma.catalog import Scenario
from revops_ma.episode import COMPLETED
from revops_ma.progress import track
from revops_ma.rollout import RolloutPool
from revops_ma.run import write_atomically
from revops_ma.training.recipe import TEST_SEEDS

REFERENCES = ("heuristic", "heuristic-tuned")
BEFORE, AFTER = "before", "after"
BEST_CONSTANT = "best-constant"
ADVERSARIES = ("rule-based", "random", BEST_CONSTANT, "hunter")
"""Whom every run is tested against, beside its own opponents and trained engines."""
CHOSEN_ON = 100
"""Seeds on which `best-constant` looks for the worst crisis: the card's 2,000 take a slow pilot
half an hour."""
_CARD = """\
kind = "scripted"
bot = "{name}"
world = "{world}"
role = "{role}"
about = "The same bot, which looks for its crisis on {seeds} dev seeds: its pilots are slow."

[params]
seeds = {seeds}
known = []
"""


@dataclass(frozen=True)
class Table:
    """Matches by (agent, adversary)."""

    scenario: str
    seeds: range
    agents: Mapping[str, str]
    """Card by the name in the table."""
    adversaries: Mapping[str, str]
    """Card by the name in the table."""
    matches: Mapping[tuple[str, str], Match]
    worst: Mapping[str, Any] = field(default_factory=dict)
    """By agent: what at most three strikes of an engine that knows all leave it; see `worst`."""

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
            "adversaries": dict(self.adversaries),
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
            "worst": dict(self.worst),
        }


def adversaries_of(
    against: Sequence[str], scene: Scenario, role: str, folder: Path
) -> dict[str, str]:
    """Cards by name: a run's own opponents, the usual ones, and all trained ones of the catalog."""
    trained = [
        card.name
        for card in catalog.agents()
        if isinstance(card, NumericCard) and card.world == scene.world.name and card.role == role
    ]
    usual = [name for name in ADVERSARIES if name in catalog.fitting(role, scene.world)]
    found = {Path(name).stem: name for name in [*against, *usual, *trained]}
    if BEST_CONSTANT in found:
        path = folder / f"{BEST_CONSTANT}.toml"
        told = _CARD.format(name=BEST_CONSTANT, world=scene.world.name, role=role, seeds=CHOSEN_ON)
        write_atomically(path, told)
        found[BEST_CONSTANT] = str(path)
    return found


def compare(  # noqa: PLR0913, PLR0917 - who, whom, where, how often
    before: Path,
    after: Path,
    adversaries: Mapping[str, str],
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
            players = {role: agents[agent], other: adversaries[adversary]}
            matches[agent, adversary] = play_match(
                players, scenario, len(seeds), seeds.start, None, pool
            )
            advance(1)
    return Table(scenario, seeds, agents, dict(adversaries), matches)
