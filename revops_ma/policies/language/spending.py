"""What calls have cost so far in a run, and the limits at which it stops."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass

from revops_ma.calls import Call, Tally
from revops_ma.errors import RunFailed
from revops_ma.policies.language.prices import dollars_of


class LimitReached(RunFailed):
    """The next call would exceed a limit of the run; what is recorded is kept."""


@dataclass(frozen=True)
class Limits:
    """The most that a run may take; None: no limit."""

    calls: int | None = None
    tokens: int | None = None
    dollars: float | None = None

    @property
    def are_set(self) -> bool:
        """Whether there is any."""
        return (self.calls, self.tokens, self.dollars) != (None, None, None)

    def or_else(self, other: Limits) -> Limits:
        """These limits, those of another where there are none."""
        return self if self.are_set else other


NO_LIMITS = Limits()


class Meter:
    """Adds up the calls of a run in this process; safe to share between threads."""

    def __init__(self, before: Tally) -> None:
        """Start with what earlier commands have spent on the run."""
        self._lock = threading.Lock()
        self._spent = Tally()
        self._spent.merge(before)

    def add(self, calls: Iterable[Call]) -> None:
        """Count calls that were made."""
        with self._lock:
            for call in calls:
                self._spent.add_call(call)

    def check(self, limits: Limits) -> None:
        """Raise LimitReached where no further call may be made."""
        spent = self._spent
        cost = dollars_of(spent.models) if limits.dollars is not None else None
        for flag, used, limit, form in (
            ("--max-calls", spent.calls, limits.calls, "{:,} calls"),
            ("--max-tokens", spent.tokens, limits.tokens, "{:,} tokens"),
            ("--max-dollars", cost, limits.dollars, "${:,.4f}"),
        ):
            if limit is not None and used is not None and used >= limit:
                raise LimitReached(
                    f"{flag} {limit:g} is reached: {form.format(used)} so far;"
                    " the same command with a higher limit goes on"
                )

    def room(self, limits: Limits) -> int | None:
        """How many more calls the limit on calls allows; None without one."""
        return None if limits.calls is None else max(limits.calls - self._spent.calls, 0)


_meters: dict[str, Meter] = {}
_lock = threading.Lock()


def meter_of(run: str, before: Tally) -> Meter:
    """The meter of a run in this process; the first caller says what was spent before."""
    with _lock:
        if run not in _meters:
            _meters[run] = Meter(before)
        return _meters[run]
