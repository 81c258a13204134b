"""What asking models came to: a Call for every question, an Asked for every turn, Tallies of many.

These are plain values that any agent may hand over with its Reply. A Table keeps them by game, an
Episode holds their tally, and a run directory the texts.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self

TOKEN_CLASSES = ("prompt", "output", "thoughts", "cached")
"""Classes of tokens: of the question; of the answer without thoughts; of thoughts; and those of the
question that came from a cache (they are among `prompt` too)."""


@dataclass(frozen=True, slots=True)
class Call:
    """One question to a model and its answer, or what became of it."""

    model: str
    """The version that was really served; the one asked for where nobody answered."""
    finish: str
    """How it ended: `stop`, `truncated`, `blocked`, `timeout`, ..."""
    tokens: tuple[int | None, int | None, int | None, int | None] = (None, None, None, None)
    """By class; None where the provider does not say."""
    milliseconds: int = 0
    """Wall time, retries and waits included."""
    retries: int = 0
    text: Mapping[str, Any] | None = None
    """Key, question and answer as JSON values; None where only figures are kept."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One turn of a seat in one game: the calls it took, and whose move was played."""

    calls: Sequence[Call]
    source: Literal["model", "rule"]
    """`rule` where a rule moved in place of the model."""
    outcome: str
    """`read`, the reason of a refusal, or how the last call failed."""

    def to_json(self) -> dict[str, Any]:
        """Give the turn as it is recorded."""
        calls = [call.text for call in self.calls if call.text is not None]
        return {"source": self.source, "outcome": self.outcome, "calls": calls}

    @property
    def has_texts(self) -> bool:
        """Whether the questions and answers are kept."""
        return all(call.text is not None for call in self.calls)


@dataclass(slots=True)
class ModelTally:
    """What one model version took."""

    calls: int = 0
    tokens: list[int] = field(default_factory=lambda: [0] * len(TOKEN_CLASSES))
    untold: int = 0
    """Answered calls whose tokens the provider did not tell."""

    def add(self, call: Call) -> None:
        """Count a call."""
        self.calls += 1
        for index, count in enumerate(call.tokens):
            self.tokens[index] += count or 0
        self.untold += call.finish == "stop" and call.tokens[0] is None

    def merge(self, other: ModelTally) -> None:
        """Add what another one counted."""
        self.calls += other.calls
        self.untold += other.untold
        self.tokens = [a + b for a, b in zip(self.tokens, other.tokens, strict=True)]

    def to_json(self) -> dict[str, int]:
        """Give calls and tokens by class."""
        tokens = dict(zip(TOKEN_CLASSES, self.tokens, strict=True))
        return {"calls": self.calls, **tokens, "untold": self.untold}

    @classmethod
    def from_json(cls, found: Mapping[str, int]) -> Self:
        """Read what `to_json` gave."""
        tokens = [found[name] for name in TOKEN_CLASSES]
        return cls(found["calls"], tokens, found["untold"])


@dataclass(slots=True)
class Tally:
    """Totals of many turns of one seat."""

    turns: int = 0
    fallbacks: int = 0
    """Turns on which a rule moved in place of the model."""
    retries: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    """What came of each turn."""
    finish: Counter[str] = field(default_factory=Counter)
    """How each call ended."""
    models: dict[str, ModelTally] = field(default_factory=dict)
    milliseconds: list[int] = field(default_factory=list)
    """Of every call."""

    @property
    def calls(self) -> int:
        """Questions asked."""
        return len(self.milliseconds)

    @property
    def tokens(self) -> int:
        """Tokens of all questions and answers, thoughts included."""
        return sum(sum(model.tokens[:3]) for model in self.models.values())

    def add(self, asked: Asked) -> None:
        """Count a turn."""
        self.turns += 1
        self.fallbacks += asked.source == "rule"
        self.outcomes[asked.outcome] += 1
        for call in asked.calls:
            self.add_call(call)

    def add_call(self, call: Call) -> None:
        """Count a call that belongs to no turn yet, or is part of one."""
        self.retries += call.retries
        self.finish[call.finish] += 1
        self.milliseconds.append(call.milliseconds)
        self.models.setdefault(call.model, ModelTally()).add(call)

    def merge(self, other: Tally) -> None:
        """Add what another one counted."""
        self.turns += other.turns
        self.fallbacks += other.fallbacks
        self.retries += other.retries
        self.outcomes.update(other.outcomes)
        self.finish.update(other.finish)
        self.milliseconds += other.milliseconds
        for name, model in other.models.items():
            self.models.setdefault(name, ModelTally()).merge(model)

    def to_json(self) -> dict[str, Any]:
        """Give the totals as they stand in the record of an episode."""
        return {
            "turns": self.turns,
            "fallbacks": self.fallbacks,
            "retries": self.retries,
            "outcomes": dict(sorted(self.outcomes.items())),
            "finish": dict(sorted(self.finish.items())),
            "models": {name: model.to_json() for name, model in sorted(self.models.items())},
            "ms": self.milliseconds,
        }

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Self:
        """Read what `to_json` gave."""
        models = {name: ModelTally.from_json(model) for name, model in found["models"].items()}
        counts = (found["turns"], found["fallbacks"], found["retries"])
        outcomes, finish = Counter(found["outcomes"]), Counter(found["finish"])
        return cls(*counts, outcomes, finish, models, list(found["ms"]))


def tallies(turns: Iterable[tuple[str, Asked]]) -> dict[str, Tally]:
    """Totals by role of (role name, turn) pairs."""
    found: dict[str, Tally] = {}
    for role, asked in turns:
        found.setdefault(role, Tally()).add(asked)
    return found


def record_of(turns: Sequence[tuple[str, Asked]] | None, matchup: str, seed: int) -> dict[str, Any]:
    """What the record of an episode says of its (role name, turn) pairs; {} where there are none.

    `asked` and `transcript` are there only if all texts are.
    """
    if not turns:
        return {}
    told: dict[str, Any] = {
        "calls": {role: tally.to_json() for role, tally in sorted(tallies(turns).items())}
    }
    if all(asked.has_texts for _, asked in turns):
        about = {"matchup": matchup, "seed": int(seed)}
        told["asked"] = [{**about, "role": role, **asked.to_json()} for role, asked in turns]
        told["transcript"] = transcript_hash(told["asked"])
    return told


def transcript_text(turn: Mapping[str, Any]) -> str:
    """One turn of `Episode.asked` as strict, compact JSON."""
    return json.dumps(turn, separators=(",", ":"), allow_nan=False)


def transcript_hash(turns: Sequence[Mapping[str, Any]]) -> str:
    """16 hex digits of what was asked and answered in a game."""
    content = hashlib.blake2b(digest_size=8)
    for turn in turns:
        content.update(transcript_text(turn).encode())
    return content.hexdigest()
