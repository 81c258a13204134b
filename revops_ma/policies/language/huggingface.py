"""Models of the transformers library, run in this process: folders, GGUF files, hub ids, `smollm2`.

Requests are answered in left-padded batches; all of a batch take its time. A request has its own
seed, made of its messages, its settings and the card's `seed`, so the same question gets the same
answer whoever else asks. What can still turn a close choice: the batch's padding and size move the
scores in their last bits (`batch = 1` leaves that out), and so do another number of threads and
another machine.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from revops_ma.cards import LanguageCard
from revops_ma.errors import BadInput, CardError
from revops_ma.policies.language.local.generation import Prompt, Written, generate, threads
from revops_ma.policies.language.local.grammar import automaton_of
from revops_ma.policies.language.local.sources import GET_EXTRA, SMOLLM2, Source, source_of
from revops_ma.policies.language.local.weights import Loaded, loaded
from revops_ma.policies.language.protocol import Finish, Message, Request, Response, Usage
from revops_ma.policies.language.providers import model_of


class Options(BaseModel):
    """The `[options]` table of a card with `provider = "huggingface"`."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    adapter: str = ""
    """Folder of a PEFT adapter, relative to the card, or its hub id."""
    constrained: bool = False
    """Whether answers are bound to the JSON schema of the role, token by token."""
    batch: int = Field(default=16, ge=1, le=512)
    """Most requests that are answered together."""
    seed: int = Field(default=0, ge=0, lt=1 << 63)
    """Another one draws other answers."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    threads: int | None = Field(default=None, ge=1, le=1024)
    """Of the CPU; PyTorch's own choice if absent."""


@dataclass(frozen=True)
class HuggingFace:
    """Asks a model in this process. Holds no weights: they are shared by all that ask for them."""

    model: str
    """`smollm2`, a .gguf file, a folder, a hub id."""
    folder: Path
    """Of the card, for relative paths."""
    options: Options
    deadline: float
    """Seconds that a batch may take; loading the model is not counted."""

    @classmethod
    def from_card(cls, card: LanguageCard) -> HuggingFace:
        """Read a card; CardError for options that this provider does not have."""
        try:
            options = Options.model_validate(card.options)
        except ValidationError as error:
            issue = error.errors(include_url=False)[0]
            name = ".".join(str(part) for part in issue["loc"])
            allowed = ", ".join(Options.model_fields)
            raise CardError(
                f"agent {card.name}, [options] {name}: {issue['msg']}; allowed: {allowed}"
            ) from None
        # The small model's cards mean that very model.
        model = card.model if card.model == SMOLLM2 else model_of(card)
        return cls(model, card.folder, options, card.deadline)

    @property
    def source(self) -> Source:
        """Where the weights lie; BadInput that says what to install or which path is wrong."""
        return source_of(self.model, self.folder, self.options.adapter)

    @cached_property
    def identity(self) -> str:
        """Provider, weights, and the options that make answers differ.

        Where the weights are missing, as on a machine that only lists agents, their name stands in.
        """
        try:
            weights = self.source.identity
            weights = f"{SMOLLM2}/{weights}" if self.model == SMOLLM2 else weights
        except BadInput:
            weights = self.model
        bound = " constrained" if self.options.constrained else ""
        seed = f" seed {self.options.seed}" if self.options.seed else ""
        return f"huggingface:{weights}{bound}{seed}"

    def check(self) -> None:
        """Raise BadInput that says what to install, or which path is not there."""
        missing = [module for module in self.source.modules if find_spec(module) is None]
        if missing:
            raise BadInput(f"the huggingface provider needs {', '.join(missing)}: {GET_EXTRA}")

    def complete(self, requests: Sequence[Request]) -> list[Response]:
        """Answer all requests, `batch` at a time; loads the model on the first call."""
        self.check()
        model = loaded(self.source, self.options.device)
        found: list[Response] = []
        for start in range(0, len(requests), self.options.batch):
            found += self._answer(model, requests[start : start + self.options.batch])
        return found

    def _answer(self, model: Loaded, requests: Sequence[Request]) -> list[Response]:
        began = time.monotonic()
        prompts = [self._prompt(model, request) for request in requests]
        fitting = [prompt for prompt in prompts if prompt.limit > 0]
        with model.lock, threads(self.options.threads):
            answers = generate(model, fitting, began + self.deadline) if fitting else []
        seconds = time.monotonic() - began
        written = iter(answers)
        return [
            self._response(prompt, next(written) if prompt.limit > 0 else None, model, seconds)
            for prompt in prompts
        ]

    def _prompt(self, model: Loaded, request: Request) -> Prompt:
        settings = request.settings
        automaton = automaton_of(request.schema) if self.options.constrained else None
        begun = automaton.forced() if automaton else ""
        text = _chat(model.tokenizer, request.messages, settings.thinking != "off") + begun
        has_template = model.tokenizer.chat_template is not None
        tokens = model.tokenizer(text, add_special_tokens=not has_template)["input_ids"]
        limit = min(settings.max_output_tokens, model.context - len(tokens))
        seed = _seed_of(request, self.options.seed)
        return Prompt(tokens, seed, settings.temperature, limit, automaton, begun)

    def _response(
        self, prompt: Prompt, written: Written | None, model: Loaded, seconds: float
    ) -> Response:
        name, count = self.source.name, len(prompt.tokens)
        if written is None:
            detail = f"the question has {count} tokens; the model reads at most {model.context}"
            return Response(Finish.CLIENT_ERROR, "", name, Usage(), seconds, 0, detail)
        usage = Usage(count, written.tokens, cached=0)
        if not (written.ended or written.full):
            detail = f"{written.tokens} tokens in {self.deadline:g} s"
            return Response(Finish.TIMEOUT, "", name, usage, seconds, 0, detail)
        finish = Finish.STOP if written.ended else Finish.TRUNCATED
        if not written.text.strip():
            finish = Finish.EMPTY
        return Response(finish, written.text, name, usage, seconds)


def _chat(tokenizer: Any, messages: Sequence[Message], thinks: bool) -> str:
    """The conversation in the model's own form, ready for its answer; plain where it has none."""
    if tokenizer.chat_template is None:
        return "\n\n".join(message.text for message in messages) + "\n\n"
    from jinja2.exceptions import TemplateError

    options = {"tokenize": False, "add_generation_prompt": True, "enable_thinking": thinks}
    try:
        text = tokenizer.apply_chat_template(_dicts(messages), **options)
    except TemplateError:  # some models know no system message
        text = tokenizer.apply_chat_template(_dicts(_without_system(messages)), **options)
    return str(text)


def _dicts(messages: Sequence[Message]) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.text} for message in messages]


def _without_system(messages: Sequence[Message]) -> list[Message]:
    """The same with the system message put before the first question."""
    system = [message.text for message in messages if message.role == "system"]
    others = [message for message in messages if message.role != "system"]
    first = Message(others[0].role, "\n\n".join([*system, others[0].text]))
    return [first, *others[1:]]


def _seed_of(request: Request, seed: int) -> int:
    """128 bits of everything that makes the request."""
    settings = request.settings
    told = [seed, request.messages, settings.temperature, settings.max_output_tokens]
    content = json.dumps([*told, settings.thinking, request.schema], sort_keys=True)
    return int.from_bytes(hashlib.blake2b(content.encode(), digest_size=16).digest())


from_card = HuggingFace.from_card
