"""A provider that asks nobody: a card whose `model` is the path of a recorded run.

The answers are found by question, game and turn, whoever gave them and against whom; so the card
plays what the recorded model played, as long as the games are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from revops_ma.cards import LanguageCard
from revops_ma.errors import BadInput
from revops_ma.policies.language.protocol import Request, Response
from revops_ma.policies.language.providers import refuse_options
from revops_ma.run import CALLS


@dataclass(frozen=True)
class Replay:
    """The answers of a run."""

    run: Path

    @classmethod
    def from_card(cls, card: LanguageCard) -> Replay:
        """Take the path of the run from the card, relative to its folder."""
        refuse_options(card)
        return cls(card.folder / card.model)

    @property
    def identity(self) -> str:
        """The name of the run."""
        return f"replay:{self.run.name}"

    def check(self) -> None:
        """Raise BadInput where the run recorded no calls."""
        if not (self.run / CALLS).is_file():
            raise BadInput(f"{self.run} holds no recorded calls: there is no {CALLS}")

    def complete(self, requests: Sequence[Request]) -> list[Response]:
        """Never asked: answers are found by game and turn, which a request does not tell."""
        raise NotImplementedError


from_card = Replay.from_card
