"""The payoff matrix of a league, filled through a RolloutPool."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revops_ma.arena.campaign import play_plan
from revops_ma.arena.statistics import Estimate, mean, share
from revops_ma.catalog import Scenario
from revops_ma.episode import COMPLETED, Episode
from revops_ma.errors import RunFailed
from revops_ma.game import Agent
from revops_ma.rollout import Matchup, RolloutPool

Pair = tuple[str, str]
"""Names of a pilot (the first role) and an engine (the second one)."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What came of one pairing, from the first role's side."""

    games: int
    wins: int
    episode_return: Estimate

    @property
    def survival(self) -> Estimate:
        """Share of games that the first role won."""
        return share(self.wins, self.games)

    @classmethod
    def of(cls, episodes: Sequence[Episode], role: str) -> Cell:
        """Sum up the episodes of a pairing; RunFailed if one has failed."""
        failed = [episode for episode in episodes if episode.status != COMPLETED]
        if failed:
            raise RunFailed(f"{len(failed)} games of the payoff matrix failed: {failed[0].reason}")
        returns = mean([episode.returns[role] for episode in episodes])
        return cls(len(episodes), sum(episode.won for episode in episodes), returns)

    def to_json(self) -> dict[str, Any]:
        """All figures."""
        figures = {"games": self.games, "wins": self.wins}
        return {**figures, "episode_return": self.episode_return.to_json()}

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> Cell:
        """Read it back."""
        return cls(said["games"], said["wins"], Estimate(**said["episode_return"]))


@dataclass
class Payoff:
    """Cells by pair of names, as far as they are known."""

    cells: dict[Pair, Cell] = field(default_factory=dict)

    def returns(self, pilots: Sequence[str], engines: Sequence[str]) -> NDArray[np.float64]:
        """[pilots, engines] mean returns; KeyError for a pair that was not played."""
        found = [
            [self.cells[pilot, engine].episode_return.mean for engine in engines]
            for pilot in pilots
        ]
        return np.array(found, np.float64)

    def worst(self, pilot: str, engines: Sequence[str]) -> str:
        """The engine against which a pilot survives least; of equals the first."""
        return min(engines, key=lambda engine: self.cells[pilot, engine].wins)


def fill(
    scenario: Scenario, pairs: Sequence[tuple[Agent, Agent]], seeds: range, pool: RolloutPool
) -> tuple[dict[Pair, Cell], str]:
    """Play the pairs on the same seeds: cells by names, and a CSV line per episode."""
    names = [role.name for role in scenario.world.roles]
    matchups = []
    for pair in pairs:
        players = dict(zip(names, pair, strict=True))
        seated = {role: agent.seated(scenario, players) for role, agent in players.items()}
        matchups.append(Matchup(scenario, seated, seeds))
    played = play_plan("selfplay", matchups, None, pool) if matchups else []
    cells = {
        (first.name, second.name): Cell.of(episodes, names[0])
        for (first, second), episodes in zip(pairs, played, strict=True)
    }
    return cells, _lines(names, pairs, played)


def _lines(
    roles: Sequence[str], pairs: Sequence[tuple[Agent, Agent]], played: Sequence[Sequence[Episode]]
) -> str:
    text = io.StringIO()
    write = csv.writer(text, lineterminator="\n").writerow
    write([*roles, "seed", "won", "return", "steps"])
    for (first, second), episodes in zip(pairs, played, strict=True):
        for one in episodes:
            paid = repr(one.returns[roles[0]])
            write([first.identity, second.identity, one.seed, int(one.won), paid, one.steps])
    return text.getvalue()
