"""Gemini through google-genai: structured output from the role's JSON schema.

The key is GOOGLE_API_KEY or GEMINI_API_KEY, the first one wins; GOOGLE_GEMINI_BASE_URL leads to
another endpoint.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from revops_ma.cards import LanguageCard
from revops_ma.errors import BadInput
from revops_ma.policies.language.clients import client_of
from revops_ma.policies.language.failures import (
    failed,
    finish_of_status,
    retry_after,
    retry_info,
)
from revops_ma.policies.language.keys import find_key, scrubbed
from revops_ma.policies.language.protocol import NO_USAGE, Finish, Request, Response, Usage
from revops_ma.policies.language.providers import model_of, need_library, refuse_options
from revops_ma.policies.language.remote import Attempt, Pace, Remote

KEY_VARIABLES = ("GOOGLE_API_KEY", "GEMINI_API_KEY")
BASE_VARIABLE = "GOOGLE_GEMINI_BASE_URL"
THINKING = {"off": "MINIMAL", "low": "LOW", "high": "HIGH"}

_SCHEMA_KEYS = frozenset(
    {
        *("type", "title", "description", "enum", "format", "required", "anyOf", "oneOf"),
        *("properties", "additionalProperties", "minimum", "maximum"),
        *("items", "prefixItems", "minItems", "maxItems"),
    }
)
"""What of a JSON schema the API understands."""


@dataclass(frozen=True)
class Gemini(Remote):
    """A Gemini model."""

    model: str
    base_url: str = ""
    key_variable: str = ""

    @classmethod
    def from_card(cls, card: LanguageCard) -> Gemini:
        """Read a card; CardError for options that this provider does not have."""
        refuse_options(card)
        pace = Pace(card.deadline, card.retries, card.concurrency)
        return cls(pace, model_of(card), card.base_url, card.key_variable)

    @property
    def identity(self) -> str:
        """Provider and model."""
        return f"gemini:{self.model}"

    @property
    def endpoint(self) -> str:
        """Address and model."""
        return f"{self.identity} at {self._address}"

    def check(self) -> None:
        """Raise BadInput that says which key to set, or what to install."""
        need_library("google.genai", "gemini")
        if not find_key(self._key_names):
            raise BadInput(
                f"no key for {self.model}: set {' or '.join(self._key_names)},"
                " or play a recorded run with --calls DIR"
            )

    def attempt(self, request: Request, seconds: float) -> Attempt:
        """Make one try of at most so many seconds."""
        from google.genai import errors

        key = find_key(self._key_names)
        client = client_of(("gemini", self._address, key), lambda: self._client(key))
        question = self._question(request, seconds)
        try:
            answer = client.models.generate_content(**question)
        except errors.APIError as error:
            return self._refused(error, key)
        except _transport("TimeoutException") as error:
            return failed(Finish.TIMEOUT, self.model, type(error).__name__)
        except (*_transport("HTTPError", "InvalidURL"), OSError) as error:
            return failed(Finish.UNREACHABLE, self.model, scrubbed(_told(error), key))
        except _MISREAD as error:
            return failed(Finish.GARBLED, self.model, scrubbed(_told(error), key))
        return Attempt(_response(answer, self.model))

    def _refused(self, error: Any, key: str) -> Attempt:
        wait = retry_info(error.details)
        if wait is None:
            wait = retry_after(getattr(error.response, "headers", None))
        code = error.code if isinstance(error.code, int) else 0
        detail = scrubbed(f"HTTP {code}: {error.message or error.status}", key)
        return failed(finish_of_status(code), self.model, detail, wait)

    @property
    def _key_names(self) -> tuple[str, ...]:
        return (self.key_variable,) if self.key_variable else KEY_VARIABLES

    @property
    def _address(self) -> str:
        return self.base_url or os.environ.get(BASE_VARIABLE, "").strip()

    def _question(self, request: Request, seconds: float) -> dict[str, Any]:
        """The arguments of a call."""
        from google.genai import types

        system = [message.text for message in request.messages if message.role == "system"]
        contents = [
            types.Content(
                role="model" if message.role == "assistant" else "user",
                parts=[types.Part(text=message.text)],
            )
            for message in request.messages
            if message.role != "system"
        ]
        config = types.GenerateContentConfig(
            system_instruction="\n\n".join(system) or None,
            temperature=request.settings.temperature,
            max_output_tokens=request.settings.max_output_tokens,
            response_mime_type="application/json",
            response_json_schema=known_schema(request.schema),
            thinking_config=types.ThinkingConfig(
                thinking_level=types.ThinkingLevel(THINKING[request.settings.thinking])
            ),
            http_options=types.HttpOptions(timeout=max(int(seconds * 1000), 1)),
        )
        return {"model": self.model, "contents": contents, "config": config}

    def _client(self, key: str) -> Any:
        from google import genai
        from google.genai import types

        # Without retry_options the client does not retry by itself: how often is our business.
        # A redirect is not followed: it would take the key along to wherever it points.
        options = types.HttpOptions(
            base_url=self._address or None, client_args={"follow_redirects": False}
        )
        return genai.Client(api_key=key, vertexai=False, http_options=options)


_MISREAD = (ValueError, TypeError, AttributeError, LookupError)
"""What the client raises on an answer that is not of this API: HTML, a list, other types."""


def _transport(*names: str) -> tuple[type[Exception], ...]:
    """Errors of the HTTP library that the client brings along, by name."""
    found = []
    for module in ("httpx2", "httpx"):
        with suppress(ModuleNotFoundError):
            library = importlib.import_module(module)
            found += [getattr(library, name) for name in names]
    return tuple(found)


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _response(answer: Any, asked: str) -> Response:
    """Read an answer of the API; those without a text have a reason of their own."""
    candidate = (answer.candidates or [None])[0]
    text = _text(candidate)
    usage = _usage(answer.usage_metadata)
    reason = _name(getattr(candidate, "finish_reason", None))
    blocked = _name(getattr(answer.prompt_feedback, "block_reason", None))
    finish = _finish(text, reason, blocked)
    if finish is Finish.EMPTY and usage == NO_USAGE and not (reason or answer.model_version):
        finish, reason = Finish.GARBLED, "nothing that this API answers with"
    text = text if finish.answered else ""
    detail = "" if finish is Finish.STOP else reason or blocked
    return Response(finish, text, answer.model_version or asked, usage, detail=detail)


def _finish(text: str, reason: str, blocked: str) -> Finish:
    """How a call ended that brought an answer of the API."""
    if reason == "MAX_TOKENS":
        return Finish.TRUNCATED
    if blocked or reason not in ("STOP", ""):
        return Finish.BLOCKED
    return Finish.STOP if text.strip() else Finish.EMPTY


def _text(candidate: Any) -> str:
    """The text of an answer, without its thoughts."""
    parts = getattr(getattr(candidate, "content", None), "parts", None) or ()
    return "".join(part.text for part in parts if part.text and not part.thought)


def _usage(found: Any) -> Usage:
    if found is None:
        return Usage()
    return Usage(
        found.prompt_token_count,
        found.candidates_token_count,
        found.thoughts_token_count,
        found.cached_content_token_count,
    )


def _name(reason: Any) -> str:
    return str(getattr(reason, "value", reason) or "")


def known_schema(schema: Any) -> Any:
    """Leave out of a JSON schema what the API does not understand; a constant is an enum of one."""
    if isinstance(schema, Mapping):
        found = {
            key: {name: known_schema(inner) for name, inner in value.items()}
            if key == "properties"
            else known_schema(value)
            for key, value in schema.items()
            if key in _SCHEMA_KEYS
        }
        if "const" in schema:
            found |= {"type": "string", "enum": [schema["const"]]}
        return found
    if isinstance(schema, Sequence) and not isinstance(schema, str):
        return [known_schema(entry) for entry in schema]
    return schema


from_card = Gemini.from_card
