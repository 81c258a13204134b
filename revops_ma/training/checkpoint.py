"""A training run on the disk: what was asked, the last checkpoint, the metrics so far.

    train.json       what was asked; another request in the same directory is refused
    train.lock       locked while a process trains here
    checkpoint.pt    learner (weights, optimizer) and counters, replaced in one step
    metrics.jsonl    a line per iteration; metrics.csv, tensorboard/ say the same
    network.npz, trained.json     the result; once they are there, training is over

A kill at any instant costs what came after the checkpoint, and the same request goes on from there.
Checkpoints are read without running code that they hold (`weights_only`), but are for this
directory; policies travel as .npz.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from revops_ma.errors import BadInput, RunFailed
from revops_ma.run import dumps, write_atomically

REQUEST, LOCK, CHECKPOINT, RESULT = "train.json", "train.lock", "checkpoint.pt", "trained.json"
NETWORK, METRICS = "network.npz", "metrics.jsonl"


@dataclass(frozen=True)
class Counters:
    """How far a run is."""

    iterations: int = 0
    months: int = 0
    games: int = 0
    seconds: float = 0.0

    def to_json(self) -> dict[str, float]:
        """All counters by name."""
        return asdict(self)


@contextmanager
def training_in(folder: Path, request: Mapping[str, Any]) -> Generator[None]:
    """Hold a directory for one request; BadInput if it is another's, or a process trains there."""
    file = folder / REQUEST
    if not file.is_file() and folder.exists() and any(_strangers(folder)):
        raise BadInput.of(
            "training directory", str(folder), "a new or empty one, or an earlier run"
        )
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BadInput(f"{folder} is being trained in by another process") from None
        _check_request(file, request)
        yield


def _strangers(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.name != LOCK]


def _check_request(file: Path, request: Mapping[str, Any]) -> None:
    if not file.is_file():
        write_atomically(file, json.dumps(request, indent=2, sort_keys=True) + "\n")
        return
    try:
        earlier = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RunFailed(f"{file} is not readable: {error}; remove the directory") from None
    if dumps(earlier) != dumps(request):
        keys = {*earlier, *request}
        other = sorted(key for key in keys if earlier.get(key) != request.get(key))
        raise BadInput(
            f"{file.parent} holds another training run: {', '.join(other)} differ;"
            " name another directory with --out"
        )


def save(folder: Path, learner: Mapping[str, Any], counters: Counters) -> None:
    """Replace the checkpoint in one step: at every instant the old one or the new one is whole."""
    import torch
    import tree

    tensors = tree.map_structure(_to_tensor, learner)
    partial = folder / f".{CHECKPOINT}.{os.getpid()}.partial"
    with partial.open("wb") as file:
        torch.save({"learner": tensors, "counters": counters.to_json()}, file)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(folder / CHECKPOINT)


def load(folder: Path) -> tuple[dict[str, Any], Counters] | None:
    """The learner's state and the counters, None before the first checkpoint."""
    import torch
    import tree

    if not (folder / CHECKPOINT).is_file():
        return None
    try:
        found = torch.load(folder / CHECKPOINT, weights_only=True)
        counters = Counters(**found["counters"])
    except Exception as error:  # torch raises whatever its unpickler meets
        raise RunFailed(
            f"{folder / CHECKPOINT} is not readable: {' '.join(str(error).split())[:200]};"
            " remove it to begin anew"
        ) from None
    return tree.map_structure(_to_array, found["learner"]), counters


def _to_tensor(value: Any) -> Any:
    import torch

    return torch.from_numpy(value.copy()) if isinstance(value, np.ndarray) else value


def _to_array(value: Any) -> Any:
    import torch

    return value.numpy() if isinstance(value, torch.Tensor) else value
