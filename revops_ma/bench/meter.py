"""Timing subjects side by side: interleaved rounds, the median rate of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from time import perf_counter
from typing import Any

ROUNDS = 5
"""Every subject is timed this often, in turns with the others: a machine's busy moment then hits
all of them, and the median leaves it out."""

Work = Callable[[], int]
"""Do a little of something and return how many units of it were done."""


class NotMeasured(Exception):
    """A subject cannot run here; the message says what to do about it."""


@dataclass(frozen=True)
class Line:
    """One figure of the report; a value of None was not measured, and the note says why."""

    name: str
    unit: str
    value: float | None
    note: str

    def to_json(self) -> dict[str, Any]:
        """As in `revops-ma bench --json`."""
        return asdict(self)


@dataclass(frozen=True)
class Subject:
    """Something to be timed. `make` imports, deals and compiles; what it returns is timed."""

    name: str
    unit: str
    note: str
    make: Callable[[], Work]


def measure(subjects: Sequence[Subject], seconds: float) -> list[Line]:
    """One line per subject, in order: units per second over about `seconds` each."""
    works = [_ready(subject) for subject in subjects]
    rates: list[list[float]] = [[] for _ in subjects]
    for _ in range(ROUNDS):
        for work, seen in zip(works, rates, strict=True):
            if not isinstance(work, NotMeasured):
                seen.append(_rate(work, seconds / ROUNDS))
    return [
        Line(subject.name, subject.unit, None, f"not measured: {work}")
        if isinstance(work, NotMeasured)
        else Line(subject.name, subject.unit, median(seen), subject.note)
        for subject, work, seen in zip(subjects, works, rates, strict=True)
    ]


def ratio(name: str, over: Line, under: Line, note: str) -> Line:
    """How many times faster one line is than another; None where either was not measured."""
    if over.value is None or under.value is None:
        missing = over.name if over.value is None else under.name
        return Line(name, "x", None, f"not measured: it needs the line {missing!r}")
    return Line(name, "x", over.value / under.value, note)


def _ready(subject: Subject) -> Work | NotMeasured:
    try:
        work = subject.make()
        work()  # compiles, fills caches
    except NotMeasured as reason:
        return reason
    return work


def _rate(work: Work, seconds: float) -> float:
    done, begun = 0, perf_counter()
    while True:
        done += work()
        spent = perf_counter() - begun
        if spent >= seconds:
            return done / spent
