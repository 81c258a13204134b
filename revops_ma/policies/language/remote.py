"""Calls to somebody far away: several at a time, tried again, and never longer than the deadline.

Every call has a deadline by our own clock: a client's timeouts start anew with every byte that
comes. Worker threads are daemons, so one that hangs is left behind and keeps nobody from ending.
"""

from __future__ import annotations

import random
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from revops_ma.policies.language.breaker import Breaker, breaker_of
from revops_ma.policies.language.clients import retire_clients
from revops_ma.policies.language.protocol import Finish, Request, Response

GRACE = 0.25
"""Seconds that a client gets beyond the deadline to say itself that it timed out."""
FIRST_WAIT, LONGEST_WAIT = 0.5, 20.0
"""Seconds before the first retry, doubled for each further one, and the most."""

RETRIED = frozenset({Finish.RATE_LIMITED, Finish.SERVER_ERROR, Finish.GARBLED, Finish.UNREACHABLE})
"""Failures that may pass by themselves."""
FAILED = RETRIED | {Finish.TIMEOUT, Finish.CLIENT_ERROR}
"""Failures that count for the circuit breaker."""


class Attempt(NamedTuple):
    """What one try came to."""

    response: Response
    wait: float | None = None
    """Seconds that the server asks to wait before the next one."""


@dataclass(frozen=True)
class Pace:
    """How a remote provider is asked."""

    deadline: float = 60.0
    """Seconds of wall clock per call, retries and waits included."""
    retries: int = 3
    concurrency: int = 8


@dataclass(frozen=True)
class Remote(ABC):
    """Base of remote providers: they say how one try is made."""

    pace: Pace

    @property
    @abstractmethod
    def endpoint(self) -> str:
        """Who answers, `provider:model at address`: shares one circuit breaker."""

    @abstractmethod
    def attempt(self, request: Request, seconds: float) -> Attempt:
        """Make one try of at most so many seconds; what goes wrong is a typed response."""

    def complete(self, requests: Sequence[Request]) -> list[Response]:
        """Answer every request, in order; returns within the deadline whatever happens."""
        return _Crowd(self, requests).answers()


class _Crowd:
    """Requests that are worked off by some threads while the caller watches the clock."""

    def __init__(self, provider: Remote, requests: Sequence[Request]) -> None:
        self._provider = provider
        self._breaker: Breaker = breaker_of(provider.endpoint)
        self._todo = deque(enumerate(requests))
        self._count = len(requests)
        self._due: dict[int, float] = {}
        """When each call that is being made is given up."""
        self._answers: dict[int, Response] = {}
        self._bug: BaseException | None = None
        self._changed = threading.Condition()
        self._is_over = threading.Event()

    def answers(self) -> list[Response]:
        try:
            for _ in range(min(self._provider.pace.concurrency, self._count)):
                self._hire()
            with self._changed:
                while not self._is_done:
                    left = self._give_up_late_ones()
                    if not self._is_done:
                        self._changed.wait(left)
        finally:
            self._is_over.set()
        if self._bug is not None:
            raise self._bug
        return [self._answers[position] for position in range(self._count)]

    @property
    def _is_done(self) -> bool:
        return len(self._answers) == self._count or self._bug is not None

    def _hire(self) -> None:
        threading.Thread(target=self._work, daemon=True, name="language-call").start()

    def _give_up_late_ones(self) -> float:
        """Answer for calls past their deadline, and replace who is stuck; seconds to the next."""
        now = time.monotonic()
        for position, due in list(self._due.items()):
            if due <= now:
                del self._due[position]
                seconds = self._provider.pace.deadline
                self._answers[position] = Response(
                    Finish.TIMEOUT, seconds=seconds, detail=f"no answer within {seconds:g} s"
                )
                retire_clients(self._provider.endpoint.partition(":")[0])
                if self._todo:
                    self._hire()
        return max(min(self._due.values(), default=now + 1.0) - now, 0.001)

    def _work(self) -> None:
        while True:
            with self._changed:
                if not self._todo or self._is_over.is_set():
                    return
                position, request = self._todo.popleft()
                self._due[position] = time.monotonic() + self._provider.pace.deadline + GRACE
                self._changed.notify()
            try:
                response = self._call(request)
            except BaseException as error:  # a bug, not a failure: raised again by the caller
                with self._changed:
                    self._bug = error
                    self._changed.notify()
                return
            with self._changed:
                if position not in self._due:
                    return  # given up: somebody else has taken this thread's place
                del self._due[position]
                self._answers[position] = response
                self._changed.notify()

    def _call(self, request: Request) -> Response:
        """Make a call, tries and waits included."""
        began = time.monotonic()
        due = began + self._provider.pace.deadline
        if not self._breaker.allows():
            return Response(Finish.CIRCUIT_OPEN, detail="left alone after repeated failures")
        tries = 0
        while True:
            found, asked = self._provider.attempt(request, max(due - time.monotonic(), 0.01))
            tries += 1
            wait = _wait_before(tries, asked, due - time.monotonic())
            is_last = found.finish not in RETRIED or tries > self._provider.pace.retries
            if is_last or time.monotonic() + wait >= due or self._is_over.wait(wait):
                break
        self._breaker.note(failed=found.finish in FAILED)
        return replace(found, seconds=time.monotonic() - began, retries=tries - 1)


def _wait_before(tries: int, asked: float | None, left: float) -> float:
    """Seconds before the next try, jittered: what the server asks, or twice as long each time.

    Our own waits take at most half of the time that is left; the server's are kept or not at all.
    """
    jitter = random.random()  # noqa: S311 - spreads load, guards no secret
    if asked is not None:
        return asked + 0.1 * FIRST_WAIT * jitter
    return min(FIRST_WAIT * 2 ** (tries - 1) * (0.5 + jitter), LONGEST_WAIT, left / 2)
