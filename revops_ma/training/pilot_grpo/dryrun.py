"""What a run would do, told before it does it. Nothing heavy is imported or loaded."""

from __future__ import annotations

import json
import math
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from revops_ma.policies.language.local.sources import SMOLLM2, source_of
from revops_ma.training.pilot_grpo.credit import WARNINGS
from revops_ma.training.pilot_grpo.plan import TINY, Plan

LIBRARIES = ("torch", "trl", "transformers", "peft", "datasets", "numpy", "numba", "revops-ma")
TINY_SECONDS = {"rollout": 2.6, "validated game": 0.012, "cloned answer": 0.0013}
"""CPU seconds on one busy core, a slow figure; a pretrained model's are only known by trying."""
BYTES_FULL, BYTES_FROZEN = 16, 4
"""Per weight in single precision: with gradient and optimizer, and without."""
LORA_SHARE = 0.01
"""Of the weights that a low-rank adapter trains, roughly."""


def told(plan: Plan, seeds: int) -> dict[str, Any]:
    """The plan, the model, rows, memory, versions and expected time."""
    recipe = plan.recipe
    weights = parameters(plan)
    return {
        "plan": {**plan.to_json(), "training_seeds": seeds},
        "model": {"name": plan.model, "parameters": weights},
        "per_rollout": {
            "episodes": recipe.groups * recipe.copies,
            "groups": recipe.groups,
            "rows": recipe.rows,
            "optimizer_steps": recipe.steps,
            "rows_per_step": recipe.rows // recipe.steps,
        },
        "memory_mb": memory_mb(plan, weights),
        "expected_cpu_seconds": cpu_seconds(plan, seeds),
        "versions": versions(),
        "warning": WARNINGS.get(recipe.credit, ""),
    }


def parameters(plan: Plan) -> int | None:
    """Weights of the model; None where only the hub knows."""
    if plan.model == TINY:
        inner = 3 * plan.width
        block = 4 * plan.width * plan.width + 3 * plan.width * inner
        return plan.layers * block + 330 * plan.width
    if plan.model == SMOLLM2:
        return 134_515_008
    source = source_of(plan.model, Path.cwd())
    return weights_in(Path(source.model)) if source.is_local else None


def memory_mb(plan: Plan, weights: int | None) -> int | None:
    """Of weights, gradients and optimizer, and of the libraries themselves."""
    if weights is None:
        return None
    if plan.lora is None:
        held = weights * BYTES_FULL
    else:
        frozen = 0.5 if plan.lora.four_bits else BYTES_FROZEN
        held = int(weights * (frozen + LORA_SHARE * BYTES_FULL))
    return 600 + held // 2**20


def cpu_seconds(plan: Plan, seeds: int) -> float | None:
    """Of a tiny model on one core; None for others: measure a few rollouts."""
    if plan.model != TINY:
        return None
    recipe, size = plan.recipe, (plan.width / 64) ** 2 * plan.layers / 2
    answers = plan.clone.games * 28 * plan.clone.epochs if plan.clone.teacher else 0
    validations = recipe.rollouts // recipe.validate_every + 1
    each = (
        answers * TINY_SECONDS["cloned answer"]
        + recipe.rollouts * TINY_SECONDS["rollout"]
        + validations * recipe.validation_games * TINY_SECONDS["validated game"]
    )
    return round(seeds * each * max(size, 0.5))


def versions() -> dict[str, str]:
    """Of what computes a run; absent ones are told as such."""
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def weights_in(folder: Path) -> int:
    """Numbers in the safetensors files of a folder, as their headers tell; 0 without any."""
    return sum(map(_numbers_in, folder.glob("*.safetensors")))


def _numbers_in(file: Path) -> int:
    with file.open("rb") as opened:
        header = json.loads(opened.read(int.from_bytes(opened.read(8), "little")))
    return sum(math.prod(one["shape"]) for name, one in header.items() if name != "__metadata__")
