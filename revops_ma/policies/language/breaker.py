"""A circuit breaker: who failed again and again is left alone for a while, then probed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

FAILURES = 5
"""Calls in a row that fail before the circuit opens."""
COOLDOWN = 2.0
"""Seconds until the first probe; each probe that fails doubles it."""
LONGEST_COOLDOWN = 60.0


class Breaker:
    """Counts failures of one endpoint in this process; safe to share between threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._cooldown = COOLDOWN
        self._closed_at = 0.0
        """When the next probe may go."""

    @property
    def is_open(self) -> bool:
        """Whether calls are being turned away."""
        return self._failures >= FAILURES

    def allows(self) -> bool:
        """Whether a call may be made; while the circuit is open, one probe per cooldown."""
        with self._lock:
            if not self.is_open:
                return True
            if self._clock() < self._closed_at:
                return False
            self._closed_at = self._clock() + self._cooldown
            return True

    def note(self, *, failed: bool) -> None:
        """Take note of how a call ended."""
        with self._lock:
            if not failed:
                self._failures, self._cooldown = 0, COOLDOWN
                return
            self._failures += 1
            if self._failures > FAILURES:
                self._cooldown = min(2 * self._cooldown, LONGEST_COOLDOWN)
            if self.is_open:
                self._closed_at = self._clock() + self._cooldown


_breakers: dict[str, Breaker] = {}
_lock = threading.Lock()


def breaker_of(endpoint: str) -> Breaker:
    """The breaker of an endpoint; one per process."""
    with _lock:
        return _breakers.setdefault(endpoint, Breaker())


def forget_failures() -> None:
    """Close all circuits."""
    with _lock:
        _breakers.clear()
