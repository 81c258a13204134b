"""What the cards in agents/ and scenarios/ may say: frozen, strict models of their TOML."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Card(BaseModel):
    """Base of all cards. Unknown keys and wrong types are errors; a card never changes."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    name: str
    """File name without .toml, relative to its folder: `heuristic`, `revops/normal`."""
    about: str = Field(min_length=10, max_length=400)
    """One or two sentences for lists and reports."""

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


class ScriptedCard(Card):
    """An agent that is a Python function over the observation."""

    kind: Literal["scripted"]
    bot: str
    """Function `<role>_<bot>` of `revops_ma.worlds.<world>.bots`, or `module:function`."""
    world: str | None = None
    """Restricts the card to one world; needed for `module:function`."""
    role: str | None = None
    """Restricts the card to one role; needed for `module:function`."""
    sees: Literal["dashboard", "everything"] = "dashboard"
    """Whether the agent may read the full state or only what its role observes."""
    in_all: bool = True
    """Whether `all` on the command line means this agent too; a very slow one is asked by name."""
    params: dict[str, Any] = Field(default_factory=dict)
    """Keyword arguments of the function, checked against its signature."""


AgentCard = ScriptedCard
"""Any agent card; `kind` names the module in `revops_ma/policies` that brings it to life."""
