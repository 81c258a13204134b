"""What the cards in agents/ and scenarios/ may say: frozen, strict models of their TOML."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Decoding = Literal["sample", "greedy"]
"""How a numeric agent comes from the shares of its choices to one of them."""


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
    def file(self) -> Path:
        """The card's own file."""
        return self.folder / f"{self.name.rsplit('/', 1)[-1]}.toml"

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


class Provenance(BaseModel):
    """How the weights of an agent were trained: told, not checked."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    command: str
    """The command that trains such an agent again."""
    against: dict[str, float]
    """Share of the games by the identity of the opponent."""
    scenario: str
    seed: int
    months: int = Field(ge=0)
    """Scored steps of training."""
    seconds: float = Field(ge=0)
    """Seconds of training, evaluation left out."""
    figures: dict[str, float] = Field(default_factory=dict)
    """What it did on held-out seeds, by name."""


class NumericCard(SeatCard):
    """An agent that is a small network over the numbers of its role's observation.

    Weights are of one seat, so `world` and `role` must be there.
    """

    kind: Literal["numeric"]
    world: str
    role: str
    weights: str
    """File of the weights (.npz), relative to the card."""
    decoding: Decoding = "sample"
    """Whether moves are drawn as in training, by keyed luck, or the likeliest is played."""
    trained: Provenance | None = None


class LanguageCard(SeatCard):
    """An agent that is a language model: it reads texts and answers with JSON.

    What a run may cost (`max_calls`, `max_tokens`, `max_dollars`) is no part of who the agent is:
    the same run goes on under another limit.
    """

    kind: Literal["language"]
    provider: Literal["gemini", "openai", "huggingface", "replay"]
    """Module of `revops_ma.policies.language` that is asked."""
    model: str = Field(min_length=1)
    """Model id, or the path of one; of a recorded run where the provider is `replay`. The variable
    REVOPS_MA_<PROVIDER>_MODEL overrides it, `replay` aside."""
    prompt: str = Field(default="prompts/{world}-{role}.md", min_length=1)
    """Markdown file of the system message, relative to the card; `{world}` and `{role}` are put in.
    The card can only sit where the file exists."""
    sees: Literal["dashboard", "everything"] = "dashboard"
    """Whether the hidden figures of the world are added to the text of the role."""
    base_url: str = ""
    """Address of the endpoint; else the provider's own variable, else the provider's own."""
    key_variable: str = ""
    """Environment variable that holds the key; else the provider's own."""
    temperature: float = Field(default=1.0, ge=0.0, le=2.0)
    max_output_tokens: int = Field(default=4096, ge=16)
    """Tokens of an answer, thoughts included."""
    thinking: Literal["off", "low", "high"] = "low"
    memory: int = Field(default=0, ge=0, le=100)
    """Past turns of the game that the model is shown again, as a conversation."""
    repair: bool = True
    """Whether an answer that was refused is asked for once more, with the reason."""
    deadline: float = Field(default=60.0, gt=0.0, le=3600.0)
    """Seconds of wall clock that a call may take, retries and waits included."""
    retries: int = Field(default=3, ge=0, le=20)
    """Most times that a call is tried again within the deadline."""
    concurrency: int = Field(default=8, ge=1, le=256)
    """Most calls to a remote provider at a time."""
    max_calls: int | None = Field(default=None, ge=0, exclude=True)
    max_tokens: int | None = Field(default=None, ge=0, exclude=True)
    max_dollars: float | None = Field(default=None, ge=0.0, exclude=True)
    options: dict[str, Any] = Field(default_factory=dict)
    """Further settings of the provider, checked by it."""


AgentCard = Annotated[ScriptedCard | NumericCard | LanguageCard, Field(discriminator="kind")]
"""Any agent card; `kind` names the module in `revops_ma/policies` that brings it to life."""
