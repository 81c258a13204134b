"""Loaded models: made when first used, shared by all agents of a process, never pickled."""

from __future__ import annotations

import importlib
import warnings
from collections import OrderedDict
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from threading import Lock, RLock
from typing import Any

from revops_ma.errors import BadInput
from revops_ma.policies.language.local.sources import Source
from revops_ma.policies.language.local.vocabulary import Vocabulary

MAX_LOADED = 3
"""Models of a process that are kept in memory; the one used longest ago goes."""

_NO_LIMIT = 1 << 30

_loaded: OrderedDict[tuple[Source, str], Loaded] = OrderedDict()
_lock = Lock()


@dataclass(eq=False)
class Loaded:
    """A model with its tokenizer. Take `lock` while you generate."""

    model: Any
    tokenizer: Any
    ends: list[int]
    """Tokens that end an answer."""
    lock: RLock = field(default_factory=RLock)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The tokens by their characters."""
        return Vocabulary(self.tokenizer)

    @property
    def context(self) -> int:
        """Most tokens that the model reads."""
        return int(getattr(self.model.config, "max_position_embeddings", _NO_LIMIT))


def loaded(source: Source, device: str) -> Loaded:
    """The model of a source, loaded on the first call; BadInput if it cannot be."""
    key = (source, device)
    with _lock:
        if key not in _loaded:
            while len(_loaded) >= MAX_LOADED:
                _loaded.popitem(last=False)
            _loaded[key] = _load(source, device)
        _loaded.move_to_end(key)
        return _loaded[key]


def forget() -> None:
    """Drop all loaded models."""
    with _lock:
        _loaded.clear()


def _load(source: Source, device: str) -> Loaded:
    import torch

    where = device if device != "auto" else "cuda" if torch.cuda.is_available() else "cpu"
    # Half precision is many times slower on a CPU.
    options: dict[str, Any] = {"dtype": torch.float32 if where == "cpu" else "auto"}
    if source.is_local:
        options["local_files_only"] = True
    if source.gguf:
        options["gguf_file"] = source.gguf
    try:
        with _quiet():
            return _read(source, where, options)
    except (OSError, ValueError, ImportError) as error:
        told = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise BadInput(f"the model {source.name} cannot be loaded: {told}") from error


def _read(source: Source, device: str, options: dict[str, Any]) -> Loaded:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(
        source.model, **{name: value for name, value in options.items() if name != "dtype"}
    )
    tokenizer.padding_side = "left"
    model = AutoModelForCausalLM.from_pretrained(source.model, **options)
    if source.adapter:
        from peft import PeftModel

        model = PeftModel.from_pretrained(model, source.adapter).merge_and_unload()
    return Loaded(model.to(device).eval(), tokenizer, _take_ends(model, tokenizer))


def _take_ends(model: Any, tokenizer: Any) -> list[int]:
    """The tokens that end an answer; the model's other wishes for sampling are dropped.

    `generate` would mix them, such as a penalty on repeats, into whatever it is told.
    """
    from transformers import GenerationConfig

    told = model.generation_config.eos_token_id
    ends = {*(told if isinstance(told, list) else [told]), tokenizer.eos_token_id} - {None}
    if not ends:
        raise ValueError("neither the tokenizer nor the model says which token ends a text")
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token_id = min(ends)
    model.generation_config = GenerationConfig(
        eos_token_id=sorted(ends), pad_token_id=tokenizer.pad_token_id
    )
    return sorted(ends)


@contextmanager
def _quiet() -> Generator[None]:
    """Keep what libraries tell each other and their progress bars out of the output."""
    from transformers.utils import logging

    # The reader of GGUF files asks nobody whether it may draw its bar.
    gguf: Any = importlib.import_module("transformers.modeling_gguf_pytorch_utils")
    shown, bar = logging.is_progress_bar_enabled(), gguf.tqdm
    logging.disable_progress_bar()
    gguf.tqdm = partial(bar, disable=True)
    try:
        with warnings.catch_warnings():
            # peft asks transformers for names that are going away.
            warnings.simplefilter("ignore", FutureWarning)
            yield
    finally:
        gguf.tqdm = bar
        if shown:
            logging.enable_progress_bar()
