"""What a language agent asks of a model and what it gets: `complete(requests) -> responses`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal, NamedTuple, Protocol


class Message(NamedTuple):
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Settings:
    """How a model is asked; the same settings, messages and schema are the same request."""

    temperature: float = 1.0
    """0 (greedy) to 2."""
    max_output_tokens: int = 4096
    """Tokens of an answer, thoughts included."""
    thinking: Literal["off", "low", "high"] = "low"
    """For models that think; the others ignore it."""


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model."""

    messages: tuple[Message, ...]
    schema: Mapping[str, Any]
    """JSON schema of the answer: a wish, the reader checks what comes."""
    settings: Settings


class Finish(StrEnum):
    """How a call ended."""

    STOP = "stop"
    """The model said all it wanted to say."""
    TRUNCATED = "truncated"
    """The limit on tokens cut the answer off."""
    BLOCKED = "blocked"
    """A filter of the provider withheld the question or the answer."""
    EMPTY = "empty"
    """The call succeeded and brought no text."""
    RATE_LIMITED = "rate_limited"
    """The provider asked to wait, longer than the deadline allows."""
    SERVER_ERROR = "server_error"
    """The provider failed (5xx)."""
    CLIENT_ERROR = "client_error"
    """The provider refused the request (4xx): a wrong key, an unknown model."""
    GARBLED = "garbled"
    """What came back is no answer of this provider: HTML, broken JSON."""
    UNREACHABLE = "unreachable"
    """No connection."""
    TIMEOUT = "timeout"
    """No answer within the deadline."""
    CIRCUIT_OPEN = "circuit_open"
    """Not asked: the provider failed so often that it is left alone for a while."""

    @property
    def answered(self) -> bool:
        """Whether there is a text to read (it may be cut off)."""
        return self in (Finish.STOP, Finish.TRUNCATED)


class Usage(NamedTuple):
    """Tokens of one call, by class; None where the provider does not say."""

    prompt: int | None = None
    output: int | None = None
    """Of the answer, without thoughts."""
    thoughts: int | None = None
    cached: int | None = None
    """Of the prompt, served from a cache."""


NO_USAGE = Usage()
"""What is known of a call that told nothing."""


@dataclass(frozen=True, slots=True)
class Response:
    """What came of one call: a text, or a typed failure. Providers raise nothing for the latter."""

    finish: Finish
    text: str = ""
    model: str = ""
    """The model version that was really served, where the provider says."""
    usage: Usage = NO_USAGE
    seconds: float = 0.0
    """Wall time of the call, retries and waits included."""
    retries: int = 0
    detail: str = ""
    """What went wrong, in one line, without anything secret."""


class Provider(Protocol):
    """Somebody who can be asked. Pickles and deep-copies: clients are made lazily per process."""

    @property
    def identity(self) -> str:
        """Provider, model and whatever else makes answers differ; nothing secret."""
        ...

    def complete(self, requests: Sequence[Request]) -> list[Response]:
        """Answer every request, in order; returns within the deadline whatever happens."""
        ...

    def check(self) -> None:
        """Raise BadInput that says what to set or install when the provider cannot be asked."""
        ...
