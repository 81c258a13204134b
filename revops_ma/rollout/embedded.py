"""The default backend: games are played in this process, many at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from revops_ma.episode import Episode, episodes_of
from revops_ma.progress import track
from revops_ma.rollout.matchup import Matchup
from revops_ma.table import Table, play

GAMES_PER_TABLE = 512
"""Games played side by side: enough to keep the kernels busy, few enough to show progress."""


@dataclass(frozen=True)
class EmbeddedPool:
    """Plays matchups in order, in batches of games.

    The result does not depend on the batch size: games are independent and their luck is keyed.
    """

    record: bool = False
    """Whether episodes carry their moves and digests."""
    games_per_table: int = GAMES_PER_TABLE

    def play(self, matchups: Iterable[Matchup]) -> Iterator[list[Episode]]:
        """Play every matchup on all of its seeds; yield the episodes batch by batch, in order."""
        planned = list(matchups)
        with track("episodes", sum(len(matchup.seeds) for matchup in planned)) as advance:
            for matchup in planned:
                for start in range(0, len(matchup.seeds), self.games_per_table):
                    seeds = matchup.seeds[start : start + self.games_per_table]
                    yield self._batch(matchup, seeds)
                    advance(len(seeds))

    def _batch(self, matchup: Matchup, seeds: range) -> list[Episode]:
        scenario = matchup.scenario
        table = Table(scenario.world, scenario.settings, seeds)
        play(table, matchup.players)
        return episodes_of(table, matchup.name, record=self.record)
