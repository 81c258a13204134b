"""Optional accelerators, guarded. Neither could be run where this was written: no GPU there.

Unsloth must be imported before trl and transformers, and pins older versions of both; so it is used
only where CUDA is there and trl has not been imported yet.
"""

from __future__ import annotations

import importlib.util
import sys
import warnings

from revops_ma.errors import BadInput

CHOICES = ("auto", "on", "off")
UNSLOTH_AT_LEAST = (2026, 10, 9)
"""Older ones do not know `env_mask`."""


def use_unsloth(choice: str) -> bool:
    """Import Unsloth if it may and can be used; BadInput if it was asked for and cannot."""
    if choice not in CHOICES:
        raise BadInput.of("--unsloth", choice, ", ".join(CHOICES))
    if choice == "off":
        return False
    reason = _unsloth_hindrance()
    if not reason:
        importlib.import_module("unsloth")
        return True
    if choice == "on":
        raise BadInput(f"--unsloth on: {reason}")
    if importlib.util.find_spec("unsloth") is not None:
        warnings.warn(f"Unsloth is left out: {reason}", stacklevel=2)
    return False


def use_vllm(choice: bool) -> bool:
    """Whether vLLM generates in the trainer's process; BadInput if it was asked for and cannot."""
    if choice and (importlib.util.find_spec("vllm") is None or not _has_cuda()):
        raise BadInput("--vllm needs the package vllm and a GPU; without it our own sampler writes")
    return choice


def _unsloth_hindrance() -> str:
    if importlib.util.find_spec("unsloth") is None:
        return 'it is not installed: pip install "revops-ma[gpu]"'
    if {"trl", "transformers"} & sys.modules.keys():
        return "trl or transformers were imported before it"
    if not _has_cuda():
        return "there is no GPU"
    from importlib.metadata import version

    found = tuple(int(part) for part in version("unsloth").split(".")[:3] if part.isdecimal())
    if found < UNSLOTH_AT_LEAST:
        return f"version {version('unsloth')} is too old for env_mask"
    return ""


def _has_cuda() -> bool:
    if importlib.util.find_spec("torch") is None:
        return False
    import torch

    return bool(torch.cuda.is_available())
