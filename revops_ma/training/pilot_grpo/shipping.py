"""What a run leaves for others: its card, its run card, and a copy of a tiny model's weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from revops_ma import catalog
from revops_ma.training.pilot_grpo.card import hash_of, ship, write_card, write_pretrained_card
from revops_ma.training.pilot_grpo.dryrun import versions, weights_in
from revops_ma.training.pilot_grpo.loop import BEST, START, Trained
from revops_ma.training.pilot_grpo.plan import Plan
from revops_ma.training.pool import other_role


def ship_best(plan: Plan, run: Trained, folder: Path, name: str, command: str) -> Path:
    """Copy a run's best model to `folder`, with its card and the clone's (`before.toml`)."""
    about = (
        f"A language model of {weights_in(run.best_model) / 1e6:.2f} M parameters, trained by GRPO"
        f" against {', '.join(Path(name).stem for name in plan.against)}: {_origin(plan)}, then"
        f" {plan.recipe.rollouts} rollouts, credit {plan.recipe.credit}, seed {plan.seed}."
    )
    shown = run_card(plan, run, command)
    folder.mkdir(parents=True, exist_ok=True)
    fields = _fields(plan)
    write_card(folder / "before.toml", run.folder / START, about="The clone before GRPO.", **fields)
    return ship(run.folder / BEST, folder, name, shown, about=about, command=command, **fields)


def card_of_pretrained(plan: Plan, run: Trained, folder: Path, name: str, command: str) -> Path:
    """A card that plays the best weights where they lie; it is not tested here: that takes hours.

    With an adapter it names the model and the adapter, else the folder of all weights.
    """
    from revops_ma.training.pilot_grpo.pretrained import LONGEST

    best = run.best_model
    adapter = best if plan.lora is not None else None
    return write_pretrained_card(
        folder / f"{name}.toml",
        plan.model if adapter else str(best),
        adapter,
        plan.system,
        longest=LONGEST,
        about=f"{plan.model}, trained by GRPO against {', '.join(plan.against)}.",
        command=command,
        **_fields(plan),
    )


def run_card(plan: Plan, run: Trained, command: str) -> dict[str, Any]:
    """What was trained, by what, against whom."""
    scene = plan.scene
    other = other_role(scene, plan.role).name
    return {
        "command": command,
        "plan": plan.to_json(),
        "scenario": scene.identity,
        "teacher": _teacher(plan),
        "adversaries": [catalog.agent(each, other, scene).identity for each in plan.against],
        "weights": {START: hash_of(run.folder / START), BEST: hash_of(run.folder / BEST)},
        "validation": run.best,
        "warning": run.warning,
        "cpu_seconds": round(run.cpu_seconds, 1),
        "versions": versions(),
    }


def _teacher(plan: Plan) -> dict[str, str]:
    """Who was cloned, and how to train it again if it was trained."""
    if not plan.clone.teacher:
        return {}
    teacher = catalog.agent(plan.clone.teacher, plan.role, plan.scene)
    trained = getattr(getattr(teacher, "card", None), "trained", None)
    return {"identity": teacher.identity, "command": trained.command if trained else ""}


def _origin(plan: Plan) -> str:
    clone = plan.clone
    if not clone.teacher:
        return f"begun with {Path(plan.model).name}"
    noisy = f" with {clone.noise:.0%} random moves" if clone.noise else ""
    return f"clone of {Path(clone.teacher).stem}{noisy}"


def _fields(plan: Plan) -> dict[str, Any]:
    return {"world": plan.scene.world.name, "role": plan.role}
