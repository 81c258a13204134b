"""How an agent does on seeds it was not trained on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from revops_ma.arena.statistics import Estimate, mean, share
from revops_ma.catalog import Scenario
from revops_ma.game import Agent
from revops_ma.table import Table, play
from revops_ma.training.pool import Pool, other_role


@dataclass(frozen=True, slots=True)
class Score:
    """One agent against one opponent, with 95 % intervals; both figures are the first role's."""

    opponent: str
    """Name of the opponent; `identity` tells opponents of one name apart."""
    identity: str
    games: int
    survival: Estimate
    """Share of the games that the first role won."""
    episode_return: Estimate

    def to_json(self) -> dict[str, Any]:
        """All figures by name."""
        return {
            "opponent": self.opponent,
            "identity": self.identity,
            "games": self.games,
            "survival": self.survival.to_json(),
            "episode_return": self.episode_return.to_json(),
        }


def evaluate(
    agent: Agent, role: str, pool: Pool, scenario: Scenario, seeds: Sequence[int]
) -> list[Score]:
    """Play a game per seed against every opponent of the pool; their weights do not matter."""
    other = other_role(scenario, role).name
    scores = []
    for opponent in pool.agents:
        players = {role: agent, other: opponent}
        seated = {name: player.seated(scenario, players) for name, player in players.items()}
        table = play(Table(scenario.world, scenario.settings, seeds), seated)
        won = scenario.world.won(table.games, table.rows)
        survival = share(int(won.sum()), len(seeds))
        paid = mean(table.returns[:, 0])
        scores.append(Score(opponent.name, opponent.identity, len(seeds), survival, paid))
    return scores


def mean_return(scores: Sequence[Score], pool: Pool) -> float:
    """The first role's return over the pool, by its shares."""
    means = [score.episode_return.mean or 0.0 for score in scores]
    return float(pool.shares @ means)
