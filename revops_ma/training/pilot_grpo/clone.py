"""Behaviour cloning: the likelihood of a teacher's answers, nothing else.

Importing this module imports torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from revops_ma.progress import track
from revops_ma.training.pilot_grpo.demonstrations import Example
from revops_ma.training.pilot_grpo.writer import Writer

IGNORED = -100
"""Label of tokens that are not learned: the prompt and the padding."""


@dataclass(frozen=True)
class CloneRecipe:
    """How long and how fast is cloned."""

    epochs: float = 3.0
    batch: int = 256
    learning_rate: float = 2e-3
    warm_up: float = 0.05
    """Share of the steps in which the learning rate rises; afterwards it falls to a tenth."""


def clone(writer: Writer, examples: Sequence[Example], recipe: CloneRecipe, seed: int) -> float:
    """Teach the model the examples; gives the mean loss of the last tenth of the steps."""
    rows = _rows(writer, examples)
    steps = max(1, round(recipe.epochs * len(rows) / recipe.batch))
    generator = torch.Generator().manual_seed(seed)
    parameters = [each for each in writer.model.parameters() if each.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=recipe.learning_rate, weight_decay=0.01)
    losses = []
    writer.model.train()
    with track("steps of cloning", steps) as advance:
        for step in range(steps):
            picked = torch.randint(len(rows), (recipe.batch,), generator=generator).tolist()
            for group in optimizer.param_groups:
                group["lr"] = recipe.learning_rate * _rate(step / steps, recipe.warm_up)
            losses.append(_step(writer, [rows[at] for at in picked], optimizer))
            advance(1)
    writer.model.eval()
    last = losses[-max(1, steps // 10) :]
    return sum(last) / len(last)


def _rate(done: float, warm_up: float) -> float:
    if done < warm_up:
        return done / warm_up
    return 1.0 - 0.9 * (done - warm_up) / (1.0 - warm_up)


def _rows(writer: Writer, examples: Sequence[Example]) -> list[tuple[list[int], list[int]]]:
    prompts = writer.encode([example.text for example in examples])
    known: dict[str, list[int]] = {}
    for example in examples:
        if example.answer not in known:
            ids = writer.tokenizer(example.answer, add_special_tokens=False)["input_ids"]
            known[example.answer] = [*ids, writer.tokenizer.eos_token_id]
    return [(prompt, known[one.answer]) for prompt, one in zip(prompts, examples, strict=True)]


def _step(
    writer: Writer, rows: Sequence[tuple[list[int], list[int]]], optimizer: torch.optim.Optimizer
) -> float:
    most = max(len(prompt) + len(answer) for prompt, answer in rows)
    pad = writer.tokenizer.pad_token_id
    gaps = [most - len(prompt) - len(answer) for prompt, answer in rows]
    ids = [[pad] * gap + prompt + answer for gap, (prompt, answer) in zip(gaps, rows, strict=True)]
    labels = [
        [IGNORED] * (gap + len(prompt)) + answer
        for gap, (prompt, answer) in zip(gaps, rows, strict=True)
    ]
    masks = [[0] * gap + [1] * (most - gap) for gap in gaps]
    device = writer.model.device
    read = torch.tensor(masks, device=device) if any(gaps) else None
    keep = max(len(answer) for _, answer in rows) + 1
    logits = writer.model(
        input_ids=torch.tensor(ids, device=device), attention_mask=read, logits_to_keep=keep
    ).logits
    told = torch.tensor([row[-keep + 1 :] for row in labels], device=device)
    loss = torch.nn.functional.cross_entropy(
        logits[:, :-1].flatten(0, 1).float(), told.flatten(), ignore_index=IGNORED
    )
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(writer.model.parameters(), 1.0)
    optimizer.step()
    return float(loss.detach())
