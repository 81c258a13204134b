"""Workers in other processes, here or on a cluster, by Ray: for slow players and many cores."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from revops_ma.errors import RunFailed
from revops_ma.progress import track
from revops_ma.rollout import cluster
from revops_ma.rollout.channel import REDOS, Call, Died
from revops_ma.rollout.crew import PING_EVERY_SECONDS, START_SECONDS, Crew, Ref
from revops_ma.rollout.playing import FIRST_TABLE, GAMES_PER_TABLE
from revops_ma.rollout.pool import RolloutPool
from revops_ma.rollout.work import Done, Item, Pace, Plan, Sizing, Work, WorkerTime
from revops_ma.rollout.worker import Missing

AHEAD = 4
"""Finished items per worker that may wait for an earlier one: results are kept in plan order, and
what is finished but not passed on is lost when the driver is killed."""
MOST_DEATHS = 30
"""Deaths without a finished item in between after which the work is given up as a whole."""


class RayPool(RolloutPool):
    """N workers, each a process of its own."""

    def __init__(self, workers: int | None = None, games_per_table: int = GAMES_PER_TABLE) -> None:
        """Plan for so many workers, one per core if None; they are started when first needed."""
        cluster.check_installed()
        self.workers = workers or os.cpu_count() or 1
        self.games_per_table = games_per_table
        self._times = [WorkerTime(worker) for worker in range(self.workers)]
        self._crew: Crew | None = None

    @property
    def channel(self) -> Crew:
        """The workers."""
        if self._crew is None:
            self._crew = Crew(self.workers, self._times)
        return self._crew

    @property
    def timings(self) -> list[WorkerTime]:
        """What each worker has done so far, by its number."""
        return [replace(each) for each in self._times]

    def work(self, works: Sequence[Work], pace: Pace) -> Iterator[Done]:
        """Do all parts, one item per worker at a time."""
        plan = Plan(works)
        if not plan.total:
            return
        first = min(pace.first, FIRST_TABLE)
        sizing = Sizing(Pace(first, min(pace.least, first), pace.most))
        shift = _Shift(self.channel, plan, sizing)
        with track("episodes", plan.total) as advance:
            for done in shift.run():
                yield done
                advance(done.size)

    def close(self) -> None:
        """End the workers, and Ray if this pool started it."""
        if self._crew is not None:
            self._crew.close()
            self._crew = None


@dataclass(frozen=True)
class _Busy:
    """What a worker is doing: an item, or coming back to life."""

    worker: int
    call: Call
    item: Item | None = None
    deadline: float = 0.0


class _Shift:
    """One plan being worked off: the wait loop."""

    def __init__(self, crew: Crew, plan: Plan, sizing: Sizing) -> None:
        self._crew, self._plan, self._sizing = crew, plan, sizing
        self._idle = deque(range(crew.workers))
        self._again: deque[Item] = deque()
        """Items whose workers died."""
        self._busy: dict[Ref, _Busy] = {}
        self._payloads: dict[int, tuple[int, Ref]] = {}
        """Key and reference of each work's payload, by the id of the work."""
        self._sent: set[tuple[int, int]] = set()
        """(worker, key) of payloads that a worker has been given."""
        self._expected = 0
        """Id of the first part that is not finished."""
        self._early: dict[int, int] = {}
        """Items that are finished while an earlier one is not: their `after` by their `first`."""
        self._deaths = 0

    def run(self) -> Iterator[Done]:
        """Yield what is done until all is."""
        while self._fill() or self._busy:
            for ref in self._crew.ready(list(self._busy)):
                yield from self._finish(ref)

    def _fill(self) -> bool:
        """Give every idle worker an item; whether somebody got one."""
        gave = False
        while self._idle and (item := self._next()):
            self._give(self._idle.popleft(), item)
            gave = True
        return gave

    def _next(self) -> Item | None:
        if self._again:
            return self._again.popleft()
        if len(self._early) >= AHEAD * self._crew.workers:
            return None
        left = -(-(self._plan.total - self._plan.next_id) // (2 * self._crew.workers))
        return self._plan.cut(min(self._sizing.size, max(left, FIRST_TABLE)))

    def _give(self, worker: int, item: Item) -> None:
        work = item.work
        if id(work) not in self._payloads:
            self._payloads[id(work)] = (self._crew.new_key(), self._crew.put(work.payload))
        key, payload = self._payloads[id(work)]
        if (worker, key) not in self._sent:
            self._crew.submit(worker, ("keep", key, payload))
            self._sent.add((worker, key))
        call = ("work", work.task, key, item.parts)
        self._busy[self._crew.submit(worker, call)] = _Busy(worker, call, item)

    def _finish(self, ref: Ref) -> Iterator[Done]:
        busy = self._busy.pop(ref)
        if busy.item is None:
            self._welcome(busy, ref)
            return
        answer = self._crew.answer(busy.worker, ref, busy.call)
        if isinstance(answer, Died):
            self._ping(busy.worker, time.monotonic() + START_SECONDS)
            yield from self._bury(busy.item, answer.reason)
            return
        self._idle.append(busy.worker)
        if isinstance(answer.value, Missing):
            self._sent.discard((busy.worker, answer.value.key))
            self._again.append(busy.item)
            return
        self._deaths = 0
        self._sizing.learn(answer.seconds)
        yield self._done(busy.item, answer.value)

    def _done(self, item: Item, results: list[Any]) -> Done:
        self._early[item.first] = item.after
        while self._expected in self._early:
            self._expected = self._early.pop(self._expected)
        return Done(item.first, len(item.parts), results)

    def _bury(self, item: Item, reason: str) -> Iterator[Done]:
        """Have an item done again, in halves once it has cost too many workers, or give it up."""
        self._deaths += 1
        if self._deaths > MOST_DEATHS:
            raise RunFailed(f"workers died {self._deaths} times in a row, the last one: {reason}")
        if item.deaths < REDOS:
            self._again.append(replace(item, deaths=item.deaths + 1))
        elif len(item.parts) > 1:
            self._again.extend(item.halves(REDOS))
        else:
            lost = item.work.lost(item.work.payload, item.parts, f"worker died: {reason}")
            yield self._done(item, lost)

    def _ping(self, worker: int, deadline: float) -> None:
        self._sent = {(other, key) for other, key in self._sent if other != worker}
        call = ("ping",)
        self._busy[self._crew.submit(worker, call)] = _Busy(worker, call, deadline=deadline)

    def _welcome(self, busy: _Busy, ref: Ref) -> None:
        """Take a worker back that answered its ping; ping it again if it did not."""
        if self._crew.pong(busy.worker, ref, busy.deadline):
            self._idle.append(busy.worker)
        else:
            time.sleep(PING_EVERY_SECONDS)
            self._ping(busy.worker, busy.deadline)
