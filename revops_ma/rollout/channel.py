"""How a driver reaches its workers, one call at a time each, and what it hears when one dies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from revops_ma.rollout.worker import Answer

REDOS = 2
"""How often an item is done again as it is after its worker died. After that it is halved, each
half having one attempt, down to the single game: that one is given up and counted as failed."""

MEASURED = ("work", "step")
"""Methods of Worker that play: their calls are counted and timed."""

Call = tuple[Any, ...]
"""Name of a method of Worker, and its arguments."""


@dataclass(frozen=True)
class Died:
    """A worker died, or was out of reach, before it answered. It may have done what was asked."""

    reason: str
    """One line."""


class Channel(Protocol):
    """Workers that can be called. What a call raises, is raised here: a bug is a crash."""

    @property
    def workers(self) -> int:
        """How many there are; they are numbered from 0."""
        ...

    def new_key(self) -> int:
        """A key that nothing on the workers has."""
        ...

    def call(self, calls: Mapping[int, Call]) -> dict[int, Answer | Died]:
        """Make one call on each of some workers, side by side, and wait for all."""
        ...

    def revive(self, worker: int) -> None:
        """Wait until a worker answers again; RunFailed if it does not."""
        ...
