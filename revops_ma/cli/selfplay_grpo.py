"""`revops-ma selfplay --pilot grpo`: the pilot is a tiny language model, the engines are PPO's."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from revops_ma.cli.common import console, print_json, say_remarks
from revops_ma.errors import BadInput

if TYPE_CHECKING:
    from revops_ma.training.pilot_grpo.joint import Told

_ROUNDS, _ROLLOUTS = 3, 60
_JOINT = {
    "rounds": "rounds",
    "responses": "responses",
    "crisis_iterations": "iterations",
    "games": "games",
    "payoff_games": "payoff_games",
}
"""Options that mean the same as in a league, and what they are called here."""
_OTHERS = {"pilot", "scenario", "seed", "out", "scripts", "pilot_iterations", "as_json"}


def selfplay_grpo(ctx: typer.Context) -> None:
    """Play with the options that were typed; the rest has values that suit a slow pilot.

    Raises BadInput for options of a league that mean nothing here.
    """
    from revops_ma.cli.train_pilot import need_library

    said = {name: value for name, value in ctx.params.items() if _was_typed(ctx, name)}
    if unknown := sorted(said.keys() - _JOINT.keys() - _OTHERS):
        names = ", ".join("--" + name.replace("_", "-") for name in unknown)
        raise BadInput(f"{names}: only with --pilot ppo")
    need_library()
    say_remarks(ctx.params["scenario"])
    seed = ctx.params["seed"]
    out = said.get("out") or Path("runs") / f"selfplay-grpo-{seed}"
    told = _play(said, ctx.params["scenario"], seed, out)
    if ctx.params["as_json"]:
        print_json({**told.to_json(), "run": str(out)})
    else:
        _show(told, out)


def _was_typed(ctx: typer.Context, name: str) -> bool:
    # By its name: typer may bring a copy of click with an enum of its own.
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")


def _play(said: dict[str, Any], scenario: str, seed: int, out: Path) -> Told:
    from revops_ma.rollout import open_pool
    from revops_ma.training.pilot_grpo import Plan, Recipe
    from revops_ma.training.pilot_grpo.joint import Joint, play_joint

    scripts = tuple(name.strip() for name in said.get("scripts", "rule-based").split(","))
    plan = Plan(
        scenario=scenario,
        against=scripts,
        seed=seed,
        recipe=Recipe(rollouts=said.get("pilot_iterations", _ROLLOUTS)),
    )
    plan.check()
    told = {_JOINT[name]: value for name, value in said.items() if name in _JOINT}
    joint = Joint(**{"rounds": _ROUNDS, **told})
    with open_pool("embedded", None) as pool:
        return play_joint(plan, joint, out, pool, _say)


def _show(told: Told, out: Path) -> None:
    from revops_ma.cli.tables import table_of

    columns = list(told.survival[told.pilots[-1]])
    table = table_of(title="Survival on validation seeds")
    table.add_column("pilot")
    for name in columns:
        table.add_column(name, justify="right")
    table.add_column("worst", justify="right")
    for pilot in told.pilots:
        cells = [f"{told.survival[pilot][name]:.0%}" for name in columns]
        table.add_row(pilot, *cells, f"{told.worst(pilot)[1]:.0%}")
    console().print(table)
    console().print(f"Run: {out}", soft_wrap=True)
