"""What a seat answers: moves, and what has to be said about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from revops_ma.calls import Asked
from revops_ma.game.values import Batch

_EMPTY: Mapping[int, Any] = {}


@dataclass(frozen=True, slots=True)
class Refused:
    """A move that could not be read or is not allowed: data, never an exception.

    The world has already put its fallback move in its place; `reason` is one word of a fixed list.
    """

    reason: str
    detail: str = ""


@dataclass(slots=True)
class Reply:
    """The moves for all rows of a View, with what has to be said about them.

    The mappings go from position in the batch (0..n-1), not from game row.
    """

    batch: Batch
    refused: Mapping[int, Refused] = field(default_factory=lambda: _EMPTY)
    notes: Mapping[int, tuple[str, ...]] = field(default_factory=lambda: _EMPTY)
    """Reason codes of moves that were read although they were untidy: `fenced`, `clamped`, ..."""
    fallbacks: frozenset[int] = frozenset()
    """Positions where a rule moved because the agent's provider failed."""
    asked: Mapping[int, Asked] = field(default_factory=lambda: _EMPTY)
    """What models were asked for these moves, and answered."""
