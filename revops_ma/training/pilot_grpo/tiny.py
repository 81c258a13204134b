"""A tiny language model from scratch: 64 wide, 2 layers, 0.13 M parameters.

The architecture is Llama's with biases in the attention: what Qwen2 computes. A folder of Qwen2
itself would be read with Qwen2's own tokenizer rules, whatever its tokenizer.json says.

Importing this module imports torch.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

from revops_ma.game import Role
from revops_ma.run import write_atomically
from revops_ma.training.pilot_grpo.frame import Frame, learn
from revops_ma.training.pilot_grpo.plan import FRAME
from revops_ma.training.pilot_grpo.reader import Reader
from revops_ma.training.pilot_grpo.tokens import answer_fields, tokenizer_of
from revops_ma.training.pilot_grpo.writer import Writer


@dataclass(frozen=True)
class Shape:
    """Size of a tiny model."""

    width: int = 64
    layers: int = 2
    heads: int = 4

    @property
    def inner(self) -> int:
        """Width of the gated layer."""
        return 3 * self.width


def tiny_writer(texts: Sequence[str], role: Role, seed: int, shape: Shape | None = None) -> Writer:
    """A new model whose tokenizer is read off example texts of a role."""
    frame, fields = learn(texts), answer_fields(role.schema)
    tokenizer = tokenizer_of(frame, fields)
    reader = Reader(frame, tokenizer)
    torch.manual_seed(seed)
    model = LlamaForCausalLM(_config(tokenizer, shape or Shape(), len(frame.slots)))
    return Writer(model, tokenizer, reader.encode, longest=len(fields) + 1, must_end=True)


def save_frame(writer: Writer, folder: Path) -> None:
    """Write what `load_tiny` needs beside model and tokenizer; nothing for other models."""
    reader = getattr(writer.encode, "__self__", None)
    if not isinstance(reader, Reader):
        return
    told = {"frame": asdict(reader.frame), "longest": writer.longest}
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / FRAME, json.dumps(told) + "\n")


def load_tiny(folder: Path) -> Writer:
    """Read a tiny model back."""
    told = json.loads((folder / FRAME).read_text(encoding="utf-8"))
    frame = Frame.of(told["frame"])
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = LlamaForCausalLM.from_pretrained(folder, local_files_only=True, dtype=torch.float32)
    return Writer(model, tokenizer, Reader(frame, tokenizer).encode, told["longest"], must_end=True)


def _config(tokenizer: Any, shape: Shape, slots: int) -> LlamaConfig:
    return LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=shape.width,
        intermediate_size=shape.inner,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.heads,
        max_position_embeddings=max(128, 16 * slots),
        tie_word_embeddings=True,
        attention_bias=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
