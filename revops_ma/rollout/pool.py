"""The one interface of all backends: work in, results out; seats to hold, sessions out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import Protocol, TypeVar

from revops_ma.adapters.seat import Opponents
from revops_ma.catalog import Scenario
from revops_ma.rollout.channel import Channel
from revops_ma.rollout.held import Spec, hold, specs_of
from revops_ma.rollout.matchup import Matchup
from revops_ma.rollout.playing import GAMES_PER_TABLE, growing, works_of
from revops_ma.rollout.sessions import Sessions
from revops_ma.rollout.work import Done, Pace, Work, WorkerTime

Self = TypeVar("Self", bound="RolloutPool")


class RolloutPool(Protocol):
    """Plays games somewhere. The same results to the last bit on every backend.

    A pool starts its workers when it first needs them and stops them when it is closed.
    """

    games_per_table: int = GAMES_PER_TABLE
    """Most games that a worker plays side by side."""

    def work(self, works: Sequence[Work], pace: Pace) -> Iterator[Done]:
        """Do all parts of all works; yield what is done, in any order, keyed by part id.

        No more is begun than a few items ahead of who takes the results. What an item raises is
        raised here. Parts whose workers die again and again come as their work's `lost`.
        """
        ...

    @property
    def channel(self) -> Channel:
        """The workers, started."""
        ...

    @property
    def timings(self) -> list[WorkerTime]:
        """What each worker has done so far."""
        ...

    def close(self) -> None:
        """Stop the workers. A closed pool may be used again: it starts new ones."""
        ...

    def play(self, matchups: Iterable[Matchup], *, record: bool = False) -> Iterator[Done]:
        """Play every matchup on all of its seeds; the results are episodes.

        An episode's id is its place in the plan: the seeds of the first matchup, of the second, ...
        They come in any order; `in_plan_order` sorts them. With `record` they carry their moves and
        digests. Those that cannot be played are failed episodes with a reason and no reward.
        """
        most = self.games_per_table
        pace = growing(most) if record else Pace.steady(most)
        return self.work(works_of(list(matchups), record=record), pace)

    def open(self, specs: Sequence[Spec]) -> Sessions:
        """Open sessions of one role of one world; scenarios and opponents may differ."""
        return Sessions(self.channel, specs)

    def sessions(
        self, scenario: str | Scenario, role: str, opponents: Opponents, seeds: Sequence[int]
    ) -> Sessions:
        """Open one session per seed with the same opponents.

        Raises BadInput for unknown names and for what is no seed.
        """
        return self.open(specs_of(hold(scenario, role, opponents), seeds))

    def __enter__(self: Self) -> Self:
        """Close on the way out."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close."""
        self.close()
