"""Models that exist already: SmolLM2 from its package, folders, hub ids; whole or with an adapter.

Importing this module imports torch and transformers.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from revops_ma.errors import BadInput
from revops_ma.policies.language.local.sources import Source, source_of
from revops_ma.training.pilot_grpo.plan import LoraPlan, Plan
from revops_ma.training.pilot_grpo.quiet import quiet
from revops_ma.training.pilot_grpo.writer import Encode, Writer

LONGEST = 32
"""Tokens of an answer: the JSON of a move has about twenty."""


def pretrained_writer(plan: Plan) -> Writer:
    """Load a model for training, with a fresh adapter if the plan asks for one.

    Raises BadInput for a model that is not there, or for four bits without a GPU.
    """
    source = source_of(plan.model, Path.cwd())
    options = _options(plan.lora)
    files: dict[str, Any] = {"gguf_file": source.gguf} if source.gguf else {}
    if source.is_local:
        files["local_files_only"] = True
    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(source.model, **files)
        model: Any = AutoModelForCausalLM.from_pretrained(source.model, **files, **options)
    except (OSError, ValueError, ImportError) as error:
        told = " ".join(str(error).split())[:200]
        raise BadInput(f"the model {source.name} cannot be loaded: {told}") from None
    if tokenizer.pad_token_id is None or tokenizer.pad_token_id == tokenizer.eos_token_id:
        # The end of an answer is learned, so it must not look like padding.
        tokenizer.pad_token = tokenizer.unk_token or tokenizer.eos_token
    tokenizer.padding_side = "left"
    if source.gguf:
        model = _without_quantisation(model)
    torch.manual_seed(plan.seed)
    model = _with_adapter(model, plan.lora)
    return Writer(model, tokenizer, encoder(tokenizer, plan.system), LONGEST, batch=_batch(source))


def encoder(tokenizer: Any, system: str) -> Encode:
    """Put texts into the model's chat template, after a system message."""
    before = [{"role": "system", "content": system}] if system else []

    def encode(texts: Sequence[str]) -> list[list[int]]:
        chats = [[*before, {"role": "user", "content": text}] for text in texts]
        told: list[str] = tokenizer.apply_chat_template(
            chats, tokenize=False, add_generation_prompt=True
        )
        ids: list[list[int]] = tokenizer(told, add_special_tokens=False)["input_ids"]
        return ids

    return encode


def _options(lora: LoraPlan | None) -> dict[str, Any]:
    if not torch.cuda.is_available():
        if lora is not None and lora.four_bits:
            raise BadInput("--four-bits needs a GPU and bitsandbytes; leave it out on a CPU")
        # Half precision is many times slower on a CPU.
        return {"dtype": torch.float32}
    options: dict[str, Any] = {"dtype": torch.bfloat16, "device_map": {"": 0}}
    if lora is not None and lora.four_bits:
        from transformers import BitsAndBytesConfig

        options["quantization_config"] = BitsAndBytesConfig(
            load_in_4bit=True,
            bnb_4bit_quant_type="nf4",
            bnb_4bit_compute_dtype=torch.bfloat16,
        )
    return options


def _without_quantisation(model: Any) -> Any:
    """The same weights in a model that can be saved: one read from GGUF refuses that."""
    settings = model.config.to_dict()
    settings.pop("quantization_config", None)
    plain = type(model)(type(model.config).from_dict(settings))
    plain.load_state_dict(model.state_dict())
    plain.generation_config = model.generation_config
    return plain


def _with_adapter(model: Any, lora: LoraPlan | None) -> Any:
    if lora is None:
        return model
    from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training

    if lora.four_bits:
        model = prepare_model_for_kbit_training(model, use_gradient_checkpointing=False)
    settings = LoraConfig(
        r=lora.rank,
        lora_alpha=lora.alpha,
        lora_dropout=0.0,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )
    with quiet():
        return get_peft_model(model, settings)


def _batch(source: Source) -> int:
    return 64 if source.is_local and not torch.cuda.is_available() else 256
