"""What the cards in agents/ and scenarios/ may say: frozen, strict models of their TOML."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Card(BaseModel):
    """Base of all cards. Unknown keys and wrong types are errors; a card never changes."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    name: str
    """File name without .toml, relative to its folder: `heuristic`, `revops/normal`."""
    about: str = Field(min_length=10, max_length=400)
    """One or two sentences for lists and reports."""
    folder: Path = Field(default=Path(), exclude=True, repr=False)
    """Where the card's file lies, for the files that it names; no part of what it says."""

    @property
    def digest(self) -> str:
        """16 hex digits of the content: equal digests say the same."""
        said = self.model_dump(mode="json", exclude_defaults=True)
        content = json.dumps(said, sort_keys=True)
        return hashlib.blake2b(content.encode(), digest_size=8).hexdigest()


class ScenarioCard(Card):
    """What the players face: a world and its rule settings."""

    world: str
    """Folder name in `revops_ma/worlds`."""
    title: str = Field(min_length=1, max_length=80)
    rules: dict[str, Any] = Field(default_factory=dict)
    """Checked by the world's own settings model."""
    against: str = "none"
    """Agent card that takes the other side when a person plays and names nobody."""


class SeatCard(Card):
    """What the cards of all kinds of agents share: where they may sit."""

    world: str | None = None
    """Restricts the card to one world."""
    role: str | None = None
    """Restricts the card to one role."""
    in_all: bool = True
    """Whether `all` on the command line means this agent too; a very slow one is asked by name."""


class ScriptedCard(SeatCard):
    """An agent that is a Python function over the observation.

    A function named `module:function` needs `world` and `role`.
    """

    kind: Literal["scripted"]
    bot: str
    """Function `<role>_<bot>` of `revops_ma.worlds.<world>.bots`, or `module:function`."""
    sees: Literal["dashboard", "everything"] = "dashboard"
    """Whether the agent may read the full state or only what its role observes."""
    params: dict[str, Any] = Field(default_factory=dict)
    """Keyword arguments of the function, checked against its signature."""


class NumericCard(SeatCard):
    """An agent that is a small network over the numbers of its role's observation."""

    kind: Literal["numeric"]
    weights: str
    """File of the weights (.npz), relative to the card."""


class LanguageCard(SeatCard):
    """An agent that is a language model: it reads texts and answers with JSON."""

    kind: Literal["language"]
    provider: Literal["gemini", "openai", "huggingface", "replay"]
    model: str
    """Model id, or the path of one."""


AgentCard = Annotated[ScriptedCard | NumericCard | LanguageCard, Field(discriminator="kind")]
"""Any agent card; `kind` names the module in `revops_ma/policies` that brings it to life."""
