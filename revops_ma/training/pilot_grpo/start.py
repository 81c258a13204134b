"""The model as it is before GRPO: made or loaded, cloned, and kept on the disk.

Importing this module imports torch.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from revops_ma import catalog
from revops_ma.rollout import RolloutPool
from revops_ma.run import write_atomically
from revops_ma.training.pilot_grpo.clone import CloneRecipe, clone
from revops_ma.training.pilot_grpo.demonstrations import Demonstrator, Example, demonstrate
from revops_ma.training.pilot_grpo.plan import TINY, Plan
from revops_ma.training.pilot_grpo.recipe import clone_seeds
from revops_ma.training.pilot_grpo.tiny import Shape, load_tiny, save_frame, tiny_writer
from revops_ma.training.pilot_grpo.writer import Writer

READY = "clone.json"
"""Written last: its presence says that the folder is whole."""


def started(plan: Plan, folder: Path, pool: RolloutPool) -> Writer:
    """The model that GRPO starts from: read from `folder`, or made there."""
    if plan.model != TINY:
        writer = _given(plan)
        if plan.clone.teacher:
            _clone_once(plan, writer, folder)
        if plan.is_tiny:
            keep(writer, folder)
        return writer
    if not (folder / READY).is_file():
        examples = examples_of(plan)
        role = plan.scene.world.roles[plan.scene.world.role_index(plan.role)]
        made = tiny_writer(
            [each.text for each in examples], role, plan.seed, Shape(plan.width, plan.layers)
        )
        save_frame(made, folder)
        _clone(plan, made, folder, examples)
    return load_tiny(folder)


def keep(writer: Writer, folder: Path) -> None:
    """Write a model and its tokenizer as a folder that transformers reads."""
    writer.model.save_pretrained(folder)
    writer.tokenizer.save_pretrained(folder)
    save_frame(writer, folder)


def _given(plan: Plan) -> Writer:
    if plan.is_tiny:
        return load_tiny(Path(plan.model))
    from revops_ma.training.pilot_grpo.pretrained import pretrained_writer

    return pretrained_writer(plan)


def examples_of(plan: Plan) -> list[Example]:
    """What the teacher shows."""
    scene = plan.scene
    demonstrator = Demonstrator(
        catalog.agent(plan.clone.teacher, plan.role, scene), plan.clone.noise, plan.clone.stray
    )
    other = next(one.name for one in scene.world.roles if one.name != plan.role)
    # Random crises show every kind of crisis, and so the whole form of the texts.
    names = list(dict.fromkeys([*plan.against, "random"]))
    opponents = [catalog.agent(name, other, scene) for name in names]
    seeds = clone_seeds(plan.seed, plan.clone.games)
    return demonstrate(demonstrator, scene, plan.role, opponents, seeds)


def _clone(plan: Plan, writer: Writer, folder: Path, examples: list[Example]) -> None:
    recipe = CloneRecipe(plan.clone.epochs, plan.clone.batch, plan.clone.learning_rate)
    loss = clone(writer, examples, recipe, plan.seed)
    writer.model.save_pretrained(folder)
    writer.tokenizer.save_pretrained(folder)
    told: dict[str, Any] = {"loss": loss, "examples": len(examples)}
    write_atomically(folder / READY, json.dumps(told) + "\n")


def _clone_once(plan: Plan, writer: Writer, folder: Path) -> None:
    """Clone a pretrained model, or take what an interrupted command has cloned."""
    from revops_ma.training.pilot_grpo import state

    if (found := state.load(folder) if folder.is_dir() else None) is None:
        examples = examples_of(plan)
        recipe = CloneRecipe(plan.clone.epochs, plan.clone.batch, plan.clone.learning_rate)
        clone(writer, examples, recipe, plan.seed)
        folder.mkdir(parents=True, exist_ok=True)
        state.save(folder, {"weights": state.weights_of(writer.model)})
        return
    state.put_weights(writer.model, found["weights"])
