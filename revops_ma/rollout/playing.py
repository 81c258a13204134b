"""Games as work: what a pool is asked to do when it plays matchups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from revops_ma.episode import FAILED, Episode, episodes_of
from revops_ma.rollout.matchup import Matchup
from revops_ma.rollout.work import Pace, Work
from revops_ma.table import Table, play

GAMES_PER_TABLE = 512
"""Games played side by side: enough to keep the kernels busy, few enough to show progress."""
FIRST_TABLE = 16
"""Games of the first recorded table, and the fewest: what talks to a server needs company."""

_NO_SEEDS = range(0)


def works_of(matchups: Sequence[Matchup], *, record: bool) -> list[Work]:
    """One work per matchup, one part per seed; the results are episodes."""
    task = _played_and_recorded if record else _played
    return [
        Work(task, _lost, replace(matchup, seeds=_NO_SEEDS), matchup.seeds) for matchup in matchups
    ]


def growing(most: int = GAMES_PER_TABLE) -> Pace:
    """Tables that start small and grow while they are quick: a kill costs the games in play."""
    first = min(FIRST_TABLE, most)
    return Pace(first, first, most)


def failed_episode(matchup: str, seed: int, reason: str) -> Episode:
    """The record of a game that could not be played: a reason, and no reward."""
    return Episode(
        matchup=matchup,
        seed=seed,
        status=FAILED,
        reason=reason,
        ending="",
        won=False,
        steps=0,
        returns={},
        facts={},
        refused={},
        fallbacks={},
    )


def _played(matchup: Matchup, seeds: Sequence[int]) -> list[Episode]:
    return episodes_of(_table(matchup, seeds), matchup.name, record=False)


def _played_and_recorded(matchup: Matchup, seeds: Sequence[int]) -> list[Episode]:
    return episodes_of(_table(matchup, seeds), matchup.name, record=True)


def _table(matchup: Matchup, seeds: Sequence[int]) -> Table:
    scenario = matchup.scenario
    return play(Table(scenario.world, scenario.settings, seeds), matchup.players)


def _lost(matchup: Matchup, seeds: Sequence[int], reason: str) -> list[Episode]:
    return [failed_episode(matchup.name, seed, reason) for seed in seeds]
