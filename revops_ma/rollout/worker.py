"""What a worker does, wherever it lives: in this process, or in one of Ray's."""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from revops_ma.rollout.hall import Hall
from revops_ma.rollout.messages import Orders, Report, Seated

PAYLOADS_KEPT = 4
"""Payloads that a worker remembers; an older one is sent again when it is needed."""


@dataclass(frozen=True)
class Answer:
    """What came of a call, and the seconds that it took inside the worker."""

    value: Any
    seconds: float = 0.0
    games: int = 0
    """Games that were finished."""


@dataclass(frozen=True)
class Missing:
    """The worker has not been given what it needs: it is new, or has forgotten it."""

    key: int


class Worker:
    """Works off items and hosts sessions. Nothing in it that its driver could not rebuild."""

    def __init__(self) -> None:
        self._payloads: OrderedDict[int, Any] = OrderedDict()
        self._halls: dict[int, Hall] = {}

    def ping(self) -> Answer:
        """Tell the process id: whoever answers is alive."""
        return Answer(os.getpid())

    def keep(self, key: int, payload: Any) -> Answer:
        """Remember a payload."""
        self._payloads[key] = payload
        while len(self._payloads) > PAYLOADS_KEPT:
            self._payloads.popitem(last=False)
        return Answer(None)

    def work(self, task: Callable[..., list[Any]], key: int, parts: Sequence[Any]) -> Answer:
        """Do an item; the value is the list of results, or Missing where the payload is unknown."""
        if key not in self._payloads:
            return Answer(Missing(key))
        began = time.perf_counter()
        results = task(self._payloads[key], parts)
        return Answer(results, time.perf_counter() - began, len(parts))

    def open(self, key: int, seated: Seated) -> Answer:
        """Deal sessions and bring them to where they stood, in place of any of this key."""
        began = time.perf_counter()
        self._halls[key] = Hall(seated)
        return Answer(None, time.perf_counter() - began)

    def step(self, key: int, orders: Orders) -> Answer:
        """Play a turn of some sessions; the value is a list of reports, or Missing."""
        if key not in self._halls:
            return Answer(Missing(key))
        began = time.perf_counter()
        reports: list[Report] = self._halls[key].step(orders)
        finished = sum(len(report.episodes) for report in reports)
        return Answer(reports, time.perf_counter() - began, finished)

    def drop(self, key: int) -> Answer:
        """Forget sessions."""
        self._halls.pop(key, None)
        return Answer(None)
