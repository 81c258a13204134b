"""The default backend: games are played in this process, many at a time."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from revops_ma.episode import Episode, episodes_of
from revops_ma.progress import track
from revops_ma.rollout.matchup import Matchup
from revops_ma.table import Table, play

GAMES_PER_TABLE = 512
"""Games played side by side: enough to keep the kernels busy, few enough to show progress."""
FIRST_TABLE = 16
"""Games of the first recorded table, and the fewest: what talks to a server needs company."""
LONG_SECONDS, SHORT_SECONDS = 1.0, 0.25
"""Recorded tables that take longer are made smaller, those that take less are made larger: a kill
costs the games in play, and those shall be about a second's work."""


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
        size = min(FIRST_TABLE, self.games_per_table) if self.record else self.games_per_table
        with track("episodes", sum(len(matchup.seeds) for matchup in planned)) as advance:
            for matchup in planned:
                start = 0
                while start < len(matchup.seeds):
                    seeds = matchup.seeds[start : start + size]
                    began = time.perf_counter()
                    episodes = self._batch(matchup, seeds)
                    if self.record:
                        size = self._next_size(size, time.perf_counter() - began)
                    yield episodes
                    advance(len(seeds))
                    start += len(seeds)

    def _next_size(self, size: int, seconds: float) -> int:
        if seconds < SHORT_SECONDS:
            size *= 2
        elif seconds > LONG_SECONDS:
            size = max(size // 2, FIRST_TABLE)
        return min(size, self.games_per_table)

    def _batch(self, matchup: Matchup, seeds: range) -> list[Episode]:
        scenario = matchup.scenario
        table = Table(scenario.world, scenario.settings, seeds)
        play(table, matchup.players)
        return episodes_of(table, matchup.name, record=self.record)
