"""Calls as a run records them, and the keys under which they are found again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from revops_ma.calls import Call
from revops_ma.policies.language.protocol import Finish, Request, Response, Usage
from revops_ma.run import dumps


@dataclass(frozen=True)
class Question:
    """A request with its place in a run: the same request may be made again and again."""

    request: Request
    matchup: str
    occurrence: str
    """Turn and attempt."""


def call_of(
    identity: str, question: Question, key: str, response: Response, *, with_text: bool
) -> Call:
    """What is counted of a call, and on demand what is recorded."""
    model = response.model or identity.partition(":")[2]
    milliseconds = round(response.seconds * 1000)
    text = recorded(identity, question, key, response) if with_text else None
    return Call(
        model, response.finish.value, tuple(response.usage), milliseconds, response.retries, text
    )


def recorded(identity: str, question: Question, key: str, response: Response) -> dict[str, Any]:
    """A call as it stands in a run directory: nothing in it is secret."""
    request = question.request
    return {
        "key": key,
        "provider": identity,
        "request": request_hash(request),
        "occurrence": question.occurrence,
        "settings": settings_of(request),
        "messages": [list(message) for message in request.messages],
        "response": {
            "finish": response.finish.value,
            "text": response.text,
            "model": response.model,
            "usage": list(response.usage),
            "ms": round(response.seconds * 1000),
            "retries": response.retries,
            "detail": response.detail,
        },
    }


def response_of(found: Mapping[str, Any]) -> Response:
    """Read a recorded response back."""
    return Response(
        Finish(found["finish"]),
        found["text"],
        found["model"],
        Usage(*found["usage"]),
        found["ms"] / 1000,
        found["retries"],
        found["detail"],
    )


def settings_of(request: Request) -> dict[str, Any]:
    """The settings of a request as JSON values."""
    settings = request.settings
    return {
        "temperature": settings.temperature,
        "max_output_tokens": settings.max_output_tokens,
        "thinking": settings.thinking,
    }


def request_hash(request: Request) -> str:
    """32 hex digits over messages, settings and schema."""
    asked = [[list(message) for message in request.messages], settings_of(request), request.schema]
    return _hash(dumps(asked))


def key_of(identity: str, question: Question) -> str:
    """32 hex digits over provider, model, messages, settings, schema and occurrence."""
    parts = (identity, request_hash(question.request), question.matchup, question.occurrence)
    return _hash(dumps(parts))


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def call_from(text: Mapping[str, Any]) -> Call:
    """Make a call from what is recorded of it."""
    response = response_of(text["response"])
    model = response.model or text["provider"].partition(":")[2]
    tokens = tuple(response.usage)
    return Call(
        model, response.finish.value, tokens, text["response"]["ms"], response.retries, text
    )
