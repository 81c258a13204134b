"""What can go wrong, as one tree: every error a user can cause is a `RevopsError`.

RevopsError
├── BadInput            wrong input: what, got, allowed, the way out (exit code 2)
│   ├── CardError       a card that cannot be read
│   ├── HiddenState     an agent asked for more than its card says it sees
│   └── UnknownName     a name the catalog does not have
├── ClosedView          a View was read after its move had been played
└── RunFailed           the work itself failed (exit code 1)
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class RevopsError(Exception):
    """Base of all errors this package raises on purpose."""


class BadInput(RevopsError, ValueError):
    """Input that is wrong; the message says what, got, allowed and the way out."""

    @classmethod
    def of(cls, what: str, got: object, allowed: str) -> BadInput:
        """Say in one line what was given, what was received and what is allowed."""
        return cls(f"{what}: got {got!r}; allowed: {allowed}")


class CardError(BadInput):
    """A card file that is missing a field, has one too many, or holds a wrong value."""


class UnknownName(BadInput, LookupError):
    """A name that the catalog does not know."""

    @classmethod
    def among(cls, kind: str, name: str, known: Iterable[str], way_out: str) -> UnknownName:
        """Name the nearest known name, all known names, and how to add one."""
        names = sorted(known)
        near = get_close_matches(str(name), names, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        return cls(f"no {kind} called {name!r}{hint} Known: {', '.join(names)}. {way_out}")


class ClosedView(RevopsError):
    """A View was read after its move: it would describe the next state, not the asked one."""


class HiddenState(BadInput):
    """An agent whose card says `sees = "dashboard"` asked for the full state."""


class RunFailed(RevopsError):
    """The work could not be finished although the input was right."""
