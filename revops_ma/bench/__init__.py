"""How fast this machine runs the laboratory, beside well-known peers in the same run.

`run` is what `revops-ma bench` prints. Each family of lines is a function that times its subjects
in turns, so what is compared met the same busy moments. Nothing is timed before it was compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from revops_ma.bench.company import kernel, match, search
from revops_ma.bench.environments import single, turns, vectors
from revops_ma.bench.meter import Line
from revops_ma.bench.records import durability
from revops_ma.bench.serving import serving
from revops_ma.bench.support import desk
from revops_ma.bench.training import training

Family = Callable[[float], list[Line]]
"""Times some lines, `seconds` each."""

FAMILIES: tuple[Family, ...] = (kernel, match, search, durability, turns, desk, single, vectors)


EXTRA_FAMILIES: dict[str, Family] = {"rllib": training, "server": serving}
"""Measured on demand only: they need an extra and take long to load."""


def run(seconds: float = 1.0, families: Sequence[Family] = FAMILIES) -> Iterator[Line]:
    """Measure everything, about `seconds` a line, and yield the lines as they come."""
    for family in families:
        yield from family(seconds)


__all__ = ["EXTRA_FAMILIES", "FAMILIES", "Line", "run"]
