"""The default backend: everything is done in this process, many games at a time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

from revops_ma.progress import track
from revops_ma.rollout.channel import MEASURED, Call, Channel, Died
from revops_ma.rollout.playing import GAMES_PER_TABLE
from revops_ma.rollout.pool import RolloutPool
from revops_ma.rollout.work import Done, Pace, Plan, Sizing, Work, WorkerTime
from revops_ma.rollout.worker import Answer, Worker


class EmbeddedPool(RolloutPool):
    """One worker, which is this process.

    The result does not depend on the batch size: games are independent and their luck is keyed.
    """

    def __init__(self, games_per_table: int = GAMES_PER_TABLE) -> None:
        self.games_per_table = games_per_table
        self._channel = _Here()

    @property
    def channel(self) -> Channel:
        """This process."""
        return self._channel

    @property
    def timings(self) -> list[WorkerTime]:
        """One entry: what has been done here."""
        return [self._channel.time]

    def work(self, works: Sequence[Work], pace: Pace) -> Iterator[Done]:
        """Do all parts in order; an item is begun when its results are asked for."""
        plan, sizing, here = Plan(works), Sizing(pace), self._channel
        with track("episodes", plan.total) as advance:
            while item := plan.cut(sizing.size):
                here.ask("keep", 0, item.work.payload)
                answer = here.ask("work", item.work.task, 0, item.parts)
                sizing.learn(answer.seconds)
                yield Done(item.first, len(item.parts), answer.value)
                advance(len(item.parts))

    def close(self) -> None:
        """Forget all sessions."""
        self._channel.forget()


class _Here:
    """A channel to a worker in this process: it dies only together with its driver."""

    workers = 1

    def __init__(self) -> None:
        self.time = WorkerTime(0)
        self._worker = Worker()
        self._keys = itertools.count(1)

    def ask(self, method: str, *arguments: object) -> Answer:
        """Call the worker and take the time."""
        answer: Answer = getattr(self._worker, method)(*arguments)
        if method in MEASURED:
            self.time.note(answer.seconds, answer.games)
        return answer

    def forget(self) -> None:
        """Start anew; the time goes on."""
        self._worker = Worker()

    def new_key(self) -> int:
        """A key that nothing has."""
        return next(self._keys)

    def call(self, calls: Mapping[int, Call]) -> dict[int, Answer | Died]:
        """Make the one call there can be."""
        return {worker: self.ask(*call) for worker, call in calls.items()}

    def revive(self, worker: int) -> None:
        """Do nothing: it is alive."""
