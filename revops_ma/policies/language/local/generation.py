"""One batched generation: every row with its own seed, temperature, limit and form.

What is drawn for a row depends on its seed alone, never on the other rows: the noise of each token
comes from the row's own stream (Gumbel's trick: the likeliest of noisy scores is an exact sample of
all tokens, no top-k, no top-p). What is left is rounding: the model's scores move in their last
bits with the padding and the size of the batch, which turns a choice only where two tokens are that
close.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from revops_ma.policies.language.local.automaton import DEAD, Automaton
from revops_ma.policies.language.local.weights import Loaded

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Prompt:
    """One row to go on from."""

    tokens: list[int]
    seed: int
    temperature: float
    limit: int
    """Most tokens to write."""
    automaton: Automaton | None = None
    """Binds the row to a form; `begun` of it stands in the prompt already."""
    begun: str = ""


@dataclass(frozen=True, slots=True)
class Written:
    """What a row wrote."""

    text: str
    tokens: int
    """Written, the one that ends the text included."""
    ended: bool
    """Whether the model ended its text."""
    full: bool
    """Whether the limit cut it off; neither: the time was over."""


def generate(loaded: Loaded, prompts: Sequence[Prompt], until: float) -> list[Written]:
    """Go on from all prompts in one left-padded batch, until `time.monotonic()` is `until`.

    The clock is looked at between tokens, so reading the prompts is never cut short.
    """
    import torch
    from transformers import GenerationConfig

    most = max(len(prompt.tokens) for prompt in prompts)
    pad = loaded.tokenizer.pad_token_id
    device = loaded.model.device
    rows = [[pad] * (most - len(prompt.tokens)) + prompt.tokens for prompt in prompts]
    read = [[0] * (most - len(prompt.tokens)) + [1] * len(prompt.tokens) for prompt in prompts]
    chooser = _Chooser(loaded, prompts, most)
    config = GenerationConfig(
        do_sample=False,  # the chooser has drawn already
        max_new_tokens=max(prompt.limit for prompt in prompts),
        eos_token_id=loaded.ends,
        pad_token_id=pad,
    )
    with torch.inference_mode():
        output = loaded.model.generate(
            input_ids=torch.tensor(rows, device=device),
            attention_mask=torch.tensor(read, device=device),
            generation_config=config,
            logits_processor=[chooser],
            stopping_criteria=[_Limits([prompt.limit for prompt in prompts], most, until)],
        )
    answers = output[:, most:].tolist()
    return [_cut(loaded, *pair) for pair in zip(prompts, answers, strict=True)]


def _cut(loaded: Loaded, prompt: Prompt, tokens: list[int]) -> Written:
    """Cut a row off at its end or its limit: what follows is padding."""
    ends = [place for place, token in enumerate(tokens) if token in loaded.ends]
    ended = bool(ends) and ends[0] < prompt.limit
    kept = tokens[: ends[0]] if ended else tokens[: prompt.limit]
    text = loaded.tokenizer.decode(
        kept, skip_special_tokens=True, clean_up_tokenization_spaces=False
    )
    count = len(kept) + ended
    return Written(prompt.begun + text, count, ended, not ended and count == prompt.limit)


class _Limits:
    """Stops each row at its own limit, and all of them when the time is over."""

    def __init__(self, limits: list[int], start: int, until: float) -> None:
        self.limits = limits
        self.start = start
        self.until = until

    def __call__(self, input_ids: torch.Tensor, scores: Any, **kwargs: Any) -> torch.Tensor:
        import torch

        late = time.monotonic() >= self.until
        written = input_ids.shape[1] - self.start
        done = [late or written >= limit for limit in self.limits]
        return torch.tensor(done, device=input_ids.device)


class _Chooser:
    """Binds the scores of each row to its form and adds the noise of its own stream."""

    def __init__(self, loaded: Loaded, prompts: Sequence[Prompt], start: int) -> None:
        self.loaded = loaded
        self.prompts = prompts
        self.start = start
        self.streams = [np.random.Generator(np.random.Philox(prompt.seed)) for prompt in prompts]
        self.states = [
            prompt.automaton.read(prompt.begun) if prompt.automaton else 0 for prompt in prompts
        ]

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        import torch

        if input_ids.shape[1] > self.start:
            self._follow(input_ids[:, -1].tolist())
        chosen = torch.empty_like(scores, dtype=torch.float64)
        for row, prompt in enumerate(self.prompts):
            chosen[row] = self._noisy(scores[row].double(), row, prompt.temperature)
            if prompt.automaton is not None:
                chosen[row] = self._bound(chosen[row], prompt.automaton, self.states[row])
        return chosen

    def _noisy(self, scores: torch.Tensor, row: int, temperature: float) -> torch.Tensor:
        import torch

        if temperature == 0:
            return scores
        drawn = torch.from_numpy(self.streams[row].random(len(scores))).to(scores.device)
        return scores / temperature - torch.log(-torch.log(drawn))

    def _bound(self, scores: torch.Tensor, automaton: Automaton, state: int) -> torch.Tensor:
        import torch

        allowed = self.loaded.vocabulary.allowed(automaton, state) if state != DEAD else []
        if state == DEAD or automaton.may_end(state):
            allowed = allowed + self.loaded.ends
        bound = torch.full_like(scores, -torch.inf)
        bound[allowed] = scores[allowed]
        return bound

    def _follow(self, tokens: list[int]) -> None:
        for row, token in enumerate(tokens):
            automaton = self.prompts[row].automaton
            if automaton is not None:
                text = self.loaded.vocabulary.texts.get(token)
                self.states[row] = automaton.read(text, self.states[row]) if text else DEAD


@contextmanager
def threads(count: int | None) -> Generator[None]:
    """Let PyTorch use so many threads inside the block; None: as many as it wants."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)
