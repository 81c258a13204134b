"""The state of a run on the disk: replaced in one step, read without running code that it holds.

Importing this module imports torch.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from revops_ma.errors import RunFailed

STATE = "checkpoint.pt"


def save(folder: Path, state: Mapping[str, Any]) -> None:
    """Replace the checkpoint: at every instant the old one or the new one is whole."""
    partial = folder / f".{STATE}.{os.getpid()}.partial"
    with partial.open("wb") as file:
        torch.save(dict(state), file)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(folder / STATE)


def load(folder: Path) -> dict[str, Any] | None:
    """The last checkpoint; None before the first one."""
    path = folder / STATE
    if not path.is_file():
        return None
    try:
        found: dict[str, Any] = torch.load(path, weights_only=True)
    except Exception as error:  # torch raises whatever its unpickler meets
        told = " ".join(str(error).split())[:200]
        raise RunFailed(f"{path} is not readable: {told}; remove it to begin anew") from None
    return found


def weights_of(model: Any) -> dict[str, torch.Tensor]:
    """Copies of what is trained: all weights, or those of an adapter."""
    return {
        name: value.detach().clone()
        for name, value in model.named_parameters()
        if value.requires_grad
    }


def put_weights(model: Any, weights: Mapping[str, torch.Tensor]) -> None:
    """Put trained weights back."""
    own = dict(model.named_parameters())
    with torch.no_grad():
        for name, value in weights.items():
            own[name].copy_(value)
