"""A line of small bars: the shape of a figure over time in one row of text."""

from __future__ import annotations

from collections.abc import Sequence

_BLOCKS = "▁▂▃▄▅▆▇█"
_ASCII = "_.-=+*#@"


def sparkline(values: Sequence[float], encoding: str | None = "utf-8") -> str:
    """Draw values from their lowest to their highest; in ASCII where blocks cannot be encoded."""
    marks = _BLOCKS if _can_encode(_BLOCKS, encoding) else _ASCII
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    top = len(marks) - 1
    return "".join(marks[round((value - low) / span * top)] for value in values)


def _can_encode(text: str, encoding: str | None) -> bool:
    try:
        text.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
