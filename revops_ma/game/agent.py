"""Who decides for a seat."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, runtime_checkable

from revops_ma.game.reply import Reply
from revops_ma.game.view import View


def slow(bot: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a scripted player that searches: one decision takes more than a tenth of a millisecond.

    What asks agents about thousands of imagined games leaves such players out.
    """
    bot.__dict__["is_slow"] = True
    return bot


@runtime_checkable
class Agent(Protocol):
    """Decides for one seat. Keeps no hidden state between calls; pickles and deep-copies."""

    @property
    def name(self) -> str:
        """Name of the card."""
        ...

    @property
    def identity(self) -> str:
        """Name and content hash: equal identities decide alike."""
        ...

    def act(self, view: View) -> Reply:
        """Answer for every row of the view."""
        ...

    def seated(self, scenario: Any, players: Mapping[str, Agent]) -> Agent:
        """Get ready for a matchup: who sits where, by role name. Most agents return themselves."""
        ...
