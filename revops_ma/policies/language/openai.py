"""Any endpoint that speaks the OpenAI chat API: hosted ones, vLLM, llama.cpp, Ollama.

OPENAI_BASE_URL says where it is, OPENAI_API_KEY is its key; one on this machine needs none. How it
takes a JSON schema is found out with the first call and remembered for the process.
"""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from revops_ma.cards import LanguageCard
from revops_ma.errors import BadInput
from revops_ma.policies.language.clients import client_of
from revops_ma.policies.language.failures import failed, finish_of_status, retry_after
from revops_ma.policies.language.keys import find_key, scrubbed
from revops_ma.policies.language.protocol import Finish, Request, Response, Usage
from revops_ma.policies.language.providers import model_of, need_library, refuse_options
from revops_ma.policies.language.remote import Attempt, Pace, Remote

KEY_VARIABLE = "OPENAI_API_KEY"
BASE_VARIABLE = "OPENAI_BASE_URL"
NO_KEY = "none"
"""Sent to endpoints that want no key."""
HOSTED = "https://api.openai.com/v1"

FORMS = ("json_schema", "json_object with schema", "json_object", "plain")
"""Ways to ask for JSON, best first; endpoints understand different ones."""
_NOT_UNDERSTOOD = frozenset({400, 415, 422, 501})
"""How endpoints refuse a way to ask. llama.cpp's server answers `json_schema` with 500 instead."""

_forms: dict[str, int] = {}
"""Form that an endpoint understands."""
_suspects: set[str] = set()
"""Endpoints that have answered `json_schema` with 500 once: it may have been bad luck."""
_lock = threading.Lock()


@dataclass(frozen=True)
class OpenAI(Remote):
    """A model behind a chat endpoint."""

    model: str
    base_url: str = ""
    key_variable: str = ""

    @classmethod
    def from_card(cls, card: LanguageCard) -> OpenAI:
        """Read a card; CardError for options that this provider does not have."""
        refuse_options(card)
        pace = Pace(card.deadline, card.retries, card.concurrency)
        return cls(pace, model_of(card), card.base_url, card.key_variable)

    @property
    def identity(self) -> str:
        """Provider and model."""
        return f"openai:{self.model}"

    @property
    def endpoint(self) -> str:
        """Address and model."""
        return f"{self.identity} at {self._address}"

    def check(self) -> None:
        """Raise BadInput that says which address or key to set, or what to install."""
        need_library("openai", "openai")
        if not self._address.startswith(("http://", "https://")):
            raise BadInput.of("base_url", self._address, "an http:// or https:// address")
        needs_key = bool(self.key_variable) or self._address == HOSTED
        if needs_key and not find_key((self._key_name,)):
            raise BadInput(
                f"no key for {self.model}: set {self._key_name}; or set {BASE_VARIABLE} to an"
                " endpoint that needs none, or play a recorded run with --calls DIR"
            )

    def attempt(self, request: Request, seconds: float) -> Attempt:
        """Make one try of at most so many seconds, in the best form that is understood here."""
        due = time.monotonic() + seconds
        known = _forms.get(self.endpoint)
        found = failed(Finish.TIMEOUT, self.model, "no time left")
        for form in range(len(FORMS)) if known is None else (known,):
            left = due - time.monotonic()
            if left <= 0:
                break
            found, status = self._try(request, left, form)
            if known is None and found.response.finish.answered:
                with _lock:
                    _forms.setdefault(self.endpoint, form)
            if not self._steps_down(form, status):
                break
        return found

    def _steps_down(self, form: int, status: int) -> bool:
        """Whether an endpoint does not understand a form, rather than having failed."""
        if status == HTTPStatus.INTERNAL_SERVER_ERROR and form == 0:
            with _lock:
                is_suspect = self.endpoint in _suspects
                _suspects.add(self.endpoint)
            return is_suspect
        return status in _NOT_UNDERSTOOD

    def _try(self, request: Request, seconds: float, form: int) -> tuple[Attempt, int]:
        """One try in one form, and the HTTP status; 0 where there was none."""
        import openai

        key = find_key((self._key_name,)) or NO_KEY
        client = client_of(("openai", self._address, key), lambda: self._client(key))
        question = self._question(request, form)
        try:
            answer = client.chat.completions.create(**question, timeout=seconds)
        except openai.APIStatusError as error:
            detail = scrubbed(f"HTTP {error.status_code}: {error.message}", key)
            wait = retry_after(error.response.headers)
            finish = finish_of_status(error.status_code)
            return failed(finish, self.model, detail, wait), error.status_code
        except openai.APITimeoutError as error:
            return failed(Finish.TIMEOUT, self.model, type(error).__name__), 0
        except openai.APIConnectionError as error:
            why = error.__cause__ or error
            detail = scrubbed(f"{type(why).__name__}: {why}", key)
            return failed(Finish.UNREACHABLE, self.model, detail), 0
        except (openai.APIError, ValueError, TypeError) as error:
            detail = scrubbed(f"{type(error).__name__}: {error}", key)
            return failed(Finish.GARBLED, self.model, detail), 0
        return Attempt(_response(answer, self.model)), HTTPStatus.OK

    def _question(self, request: Request, form: int) -> dict[str, Any]:
        """The arguments of a call."""
        settings = request.settings
        is_hosted = self._address == HOSTED
        limit = "max_completion_tokens" if is_hosted else "max_tokens"
        question: dict[str, Any] = {
            "model": self.model,
            "messages": [
                {"role": message.role, "content": message.text} for message in request.messages
            ],
            limit: settings.max_output_tokens,
        }
        if not (is_hosted and settings.temperature == 1.0):
            # Models that think take no temperature there, not even the one that they use.
            question["temperature"] = settings.temperature
        schema = dict(request.schema)
        formats: dict[int, dict[str, Any]] = {
            0: {"type": "json_schema", "json_schema": {"name": "move", "schema": schema}},
            1: {"type": "json_object", "schema": schema},
            2: {"type": "json_object"},
        }
        return question | ({"response_format": formats[form]} if form in formats else {})

    @property
    def _key_name(self) -> str:
        return self.key_variable or KEY_VARIABLE

    @property
    def _address(self) -> str:
        return (self.base_url or os.environ.get(BASE_VARIABLE, "").strip() or HOSTED).rstrip("/")

    def _client(self, key: str) -> Any:
        import openai

        # A redirect is not followed: nobody but the address that was given shall be asked.
        http = openai.DefaultHttpxClient(follow_redirects=False)
        return openai.OpenAI(api_key=key, base_url=self._address, max_retries=0, http_client=http)


def forget_forms() -> None:
    """Find out anew what endpoints understand."""
    with _lock:
        _forms.clear()
        _suspects.clear()


def _response(answer: Any, asked: str) -> Response:
    """Read an answer of the API; what has no choices is none."""
    choices = getattr(answer, "choices", None)
    if not isinstance(choices, list):
        return Response(
            Finish.GARBLED, model=asked, detail=f"no chat completion: {str(answer)[:80]}"
        )
    served = answer.model if isinstance(answer.model, str) else asked
    usage = _usage(answer.usage)
    if not choices:
        return Response(Finish.EMPTY, model=served, usage=usage, detail="no choice")
    choice = choices[0]
    text = getattr(choice.message, "content", None) or ""
    refusal = getattr(choice.message, "refusal", None)
    if choice.finish_reason == "content_filter" or refusal:
        return Response(Finish.BLOCKED, "", served, usage, detail=str(refusal or "content_filter"))
    if choice.finish_reason == "length":
        return Response(Finish.TRUNCATED, text, served, usage, detail="length")
    return Response(Finish.STOP if text.strip() else Finish.EMPTY, text, served, usage)


def _usage(found: Any) -> Usage:
    if found is None:
        return Usage()
    thoughts = getattr(found.completion_tokens_details, "reasoning_tokens", None)
    cached = getattr(found.prompt_tokens_details, "cached_tokens", None)
    output = found.completion_tokens
    answer = output - (thoughts or 0) if isinstance(output, int) else None
    return Usage(found.prompt_tokens, answer, thoughts, cached)


from_card = OpenAI.from_card
