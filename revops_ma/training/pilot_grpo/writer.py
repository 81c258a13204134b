"""A model that answers many texts at once: one pass over the prompts, then token by token.

Importing this module imports torch.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import DynamicCache

Encode = Callable[[Sequence[str]], list[list[int]]]
Choose = Callable[[torch.Tensor, int], torch.Tensor]
"""From [n, tokens] scores and the place in the answer to [n] tokens."""


@dataclass(frozen=True)
class Written:
    """Answers side by side."""

    prompts: list[list[int]]
    answers: list[list[int]]
    """Sampled ids, the one that ends the answer included."""
    texts: list[str]


@dataclass
class Writer:
    """Samples from a causal language model with a cache; no top-k, no top-p."""

    model: Any
    tokenizer: Any
    encode: Encode
    """From texts of a role to prompts, chat template and system message included."""
    longest: int
    """Most tokens of an answer."""
    batch: int = 512
    """Most prompts at a time."""
    must_end: bool = False
    """Whether an answer that is not ended by then is no answer: its text is empty, so refused."""

    def write(
        self, texts: Sequence[str], generator: torch.Generator, *, greedy: bool = False
    ) -> Written:
        """Answer all texts, in order. `generator` is used row after row, token after token."""
        return self.answer(texts, lambda _: likeliest if greedy else _drawn_by(generator))

    def answer(self, texts: Sequence[str], chooser: Callable[[slice], Choose]) -> Written:
        """Answer all texts, in order; `chooser` says how tokens of some of the rows are chosen."""
        prompts = self.encode(texts)
        answers: list[list[int]] = []
        with torch.inference_mode():
            for start in range(0, len(prompts), self.batch):
                rows = slice(start, start + self.batch)
                answers += self._answer(prompts[rows], chooser(rows))
        told = self._decode(answers)
        return Written(prompts, answers, told)

    def _answer(self, prompts: list[list[int]], choose: Choose) -> list[list[int]]:
        pad, end = self.tokenizer.pad_token_id, self.tokenizer.eos_token_id
        ids, read = _left_padded(prompts, pad, self.model.device)
        name, cache = _cache_keyword(self.model), DynamicCache()
        done = torch.zeros(len(prompts), dtype=torch.bool, device=ids.device)
        columns: list[torch.Tensor] = []
        step, mask = ids, read
        for place in range(self.longest):
            output = self.model(
                input_ids=step,
                attention_mask=mask,
                use_cache=True,
                logits_to_keep=1,
                **{name: cache},
            )
            token = choose(output.logits[:, -1].float(), place).masked_fill(done, pad)
            columns.append(token)
            done |= token == end
            if bool(done.all()):
                break
            step = token[:, None]
            if mask is not None:
                mask = torch.cat([mask, torch.ones_like(step)], dim=1)
        rows: list[list[int]] = torch.stack(columns, dim=1).tolist()
        return [_cut(row, end) for row in rows]

    def _decode(self, answers: list[list[int]]) -> list[str]:
        """Texts of answers; a tiny vocabulary gives few different ones, so each is decoded once."""
        end = self.tokenizer.eos_token_id
        known: dict[tuple[int, ...], str] = {}
        for answer in answers:
            key = tuple(answer)
            if self.must_end and answer[-1] != end:
                known[key] = ""
            if key not in known:
                known[key] = self.tokenizer.decode(
                    answer, skip_special_tokens=True, clean_up_tokenization_spaces=False
                )
        return [known[tuple(answer)] for answer in answers]


def likeliest(logits: torch.Tensor, place: int) -> torch.Tensor:
    """Greedy decoding."""
    return logits.argmax(dim=-1)


def drawn_by_luck(luck: torch.Tensor) -> Choose:
    """Samples by [n, longest] numbers in [0, 1): each row's answer depends on its own alone."""

    def choose(logits: torch.Tensor, place: int) -> torch.Tensor:
        edges = logits.double().softmax(dim=-1).cumsum(dim=-1)
        drawn = luck[:, place, None] * edges[:, -1:]
        return torch.searchsorted(edges, drawn, right=True)[:, 0].clamp(max=logits.shape[1] - 1)

    return choose


def _drawn_by(generator: torch.Generator) -> Choose:
    def choose(logits: torch.Tensor, place: int) -> torch.Tensor:
        return torch.multinomial(logits.softmax(dim=-1), 1, generator=generator)[:, 0]

    return choose


def _cache_keyword(model: Any) -> str:
    """What the forward pass calls its cache: transformers renamed it on the way."""
    inner = model.get_base_model() if hasattr(model, "get_base_model") else model
    return "cache" if "cache" in inspect.signature(inner.forward).parameters else "past_key_values"


def _left_padded(
    prompts: list[list[int]], pad: int, device: Any
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Ids and mask; no mask where all prompts have one length."""
    most = max(map(len, prompts))
    if min(map(len, prompts)) == most:
        return torch.tensor(prompts, device=device), None
    ids = [[pad] * (most - len(prompt)) + prompt for prompt in prompts]
    read = [[0] * (most - len(prompt)) + [1] * len(prompt) for prompt in prompts]
    return torch.tensor(ids, device=device), torch.tensor(read, device=device)


def _cut(row: list[int], end: int) -> list[int]:
    return row[: row.index(end) + 1] if end in row else row
