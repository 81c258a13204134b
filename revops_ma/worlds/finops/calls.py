"""Moves as data: what a pilot asks of the desk, and what the crisis side does to it."""

from __future__ import annotations

from typing import Any, NamedTuple


class Call(NamedTuple):
    """One tool call of the pilot."""

    tool: str
    args: Any = {}  # noqa: RUF012  # never written to: the desk only reads arguments
    """An object by parameter name, or that object as JSON text; anything else is invalid."""
    slot: int | None = None
    """Instead of `args`: the number of an argument among those that reads have shown so far."""
    unreadable: str = ""
    """Why an answer held no call at all; the desk answers it as an error of the caller."""


def unreadable(reason: str) -> Call:
    """The call that stands in for an answer that could not be read."""
    return Call("", {}, None, reason)


class Disturbance(NamedTuple):
    """One move of the crisis side."""

    kind: str
    """Name of a disturbance, or PASS."""
    target: str = ""
    """What it hits: a tool name or an id; empty where luck shall pick."""
    amount_cents: int = 0
    """Size of a late invoice; 0 where luck shall pick."""
    slot: int | None = None
    """Instead of `target`: a number among the possible targets, wrapped around."""


PASS = "pass"  # noqa: S105  # a move, not a word to log in with
"""Kind of the move that does nothing."""

NOTHING = Disturbance(PASS)
