"""Workers as Ray actors. A dead one is started again by Ray and pinged before it gets more work."""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping, Sequence
from typing import Any

from revops_ma.errors import RunFailed
from revops_ma.progress import track
from revops_ma.rollout import cluster
from revops_ma.rollout.channel import MEASURED, Call, Died
from revops_ma.rollout.work import WorkerTime
from revops_ma.rollout.worker import Answer, Worker

START_SECONDS = 300.0
"""A worker that does not answer for so long is given up: a cluster may have to add a machine."""
PING_EVERY_SECONDS = 0.2

Ref = Any
"""An answer that is still to come."""


class Crew:
    """A channel to N actors."""

    def __init__(self, workers: int, times: Sequence[WorkerTime]) -> None:
        """Start Ray if need be, and the actors; RunFailed if they do not come up."""
        self.workers = workers
        self._times = times
        self._keys = itertools.count(1)
        self._has_started_ray = cluster.start(workers)
        import ray

        self._ray: Any = ray
        self._actors: list[Any] = []
        try:
            self._actors = [self._hire() for _ in range(workers)]
            with track("workers started", workers) as advance:
                for worker in range(workers):
                    self.revive(worker)
                    advance(1)
        except BaseException:
            self.close()
            raise

    def new_key(self) -> int:
        """A key that nothing on the workers has."""
        return next(self._keys)

    def put(self, payload: Any) -> Any:
        """Hand a payload to Ray once; workers fetch it when a call names it."""
        return self._ray.put(payload)

    def submit(self, worker: int, call: Call) -> Ref:
        """Make a call without waiting for it. A worker carries calls out one by one, in order."""
        method, *arguments = call
        return getattr(self._actors[worker], method).remote(*arguments)

    def ready(self, refs: Sequence[Ref]) -> list[Ref]:
        """Wait until one of the answers is there at least; give those that are."""
        return self._ray.wait(list(refs), num_returns=1)[0]

    def answer(self, worker: int, ref: Ref, call: Call) -> Answer | Died:
        """Wait for an answer. What the call raised is raised here, as it was there."""
        errors = self._ray.exceptions
        try:
            answer: Answer = self._ray.get(ref)
        except errors.RayTaskError as error:
            raise error.cause from error
        except errors.RayError as error:
            self._times[worker].deaths += 1
            return Died(_first_line(error))
        if call[0] in MEASURED:
            self._times[worker].note(answer.seconds, answer.games)
        return answer

    def call(self, calls: Mapping[int, Call]) -> dict[int, Answer | Died]:
        """Make one call on each of some workers, side by side, and wait for all."""
        refs = {worker: self.submit(worker, call) for worker, call in calls.items()}
        return {worker: self.answer(worker, ref, calls[worker]) for worker, ref in refs.items()}

    def pids(self) -> list[int]:
        """Process ids of the workers."""
        answers = self.call(dict.fromkeys(range(self.workers), ("ping",)))
        return [answer.value for answer in answers.values() if isinstance(answer, Answer)]

    def revive(self, worker: int) -> None:
        """Ping until the worker answers."""
        deadline = time.monotonic() + START_SECONDS
        while not self.pong(worker, self.submit(worker, ("ping",)), deadline):
            time.sleep(PING_EVERY_SECONDS)

    def pong(self, worker: int, ref: Ref, deadline: float) -> bool:
        """Whether a ping was answered; RunFailed after the deadline."""
        errors = self._ray.exceptions
        try:
            self._ray.get(ref, timeout=max(deadline - time.monotonic(), 0.0))
        except errors.ActorDiedError:
            # Ray will not start this one again: its node is gone, or somebody killed it for good.
            self._actors[worker] = self._hire()
        except errors.RayError as error:
            if time.monotonic() < deadline:
                return False
            raise RunFailed(
                f"worker {worker} has not answered for {START_SECONDS:.0f} s: has the cluster a CPU"
                f" for each of the {self.workers} workers? ({_first_line(error)})"
            ) from None
        else:
            return True
        return False

    def close(self) -> None:
        """End the actors, and Ray if this crew started it."""
        if self._has_started_ray:
            cluster.stop()
        else:
            for actor in self._actors:
                self._ray.kill(actor)
        self._actors = []

    def _hire(self) -> Any:
        # On a cluster a worker has a CPU to itself; here it never waits for one to be free.
        options = {"num_cpus": cluster.is_remote(), "max_restarts": -1, "max_task_retries": 0}
        return self._ray.remote(Worker).options(**options).remote()


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
