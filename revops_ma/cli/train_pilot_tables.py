"""What `revops-ma train pilot` prints at its end: runs, before and after, worst cases, habits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from revops_ma.cli.common import console
from revops_ma.cli.tables import table_of

if TYPE_CHECKING:
    from revops_ma.arena.statistics import Estimate
    from revops_ma.training.pilot_grpo.contest import Contest
    from revops_ma.training.pilot_grpo.evidence import Table


def tell(contest: Contest) -> None:
    """Print everything."""
    _tell_runs(contest)
    if contest.table is not None:
        _tell_test(contest.table)
        _tell_worst(contest.table.worst)
    if contest.habits:
        _tell_moves(contest.habits)
        _tell_states(contest.habits)
    if contest.card is not None:
        console().print(f"Agent: {contest.card}", soft_wrap=True)


def _tell_runs(contest: Contest) -> None:
    table = table_of(title=f"GRPO on {contest.plan.scenario}, {contest.plan.recipe.credit}")
    for heading in ("seed", "best rollout", "validation survival", "return", "CPU-s"):
        table.add_column(heading, justify="right")
    for at, run in enumerate(contest.runs):
        star = "*" if at == contest.winner else ""
        table.add_row(
            f"{star}{contest.plan.seed + at}",
            f"{run.best['iteration']}",
            f"{run.best['survival']:.1%}",
            f"{run.best['return']:.2f}",
            f"{run.cpu_seconds:.0f}",
        )
    console().print(table)
    console().print("* the best by the return on validation seeds.")


def _tell_test(found: Table) -> None:
    """A line per adversary: the agents are few, and so every cell has room for its interval."""
    title = f"Survival on {len(found.seeds)} held-out seeds from {found.seeds.start:,}, percent"
    table = table_of(title=title)
    table.add_column("against")
    for agent in found.agents:
        table.add_column(agent, justify="right")
    table.add_column("gain", justify="right")
    for other in found.adversaries:
        cells = [_percent(found.survival(agent, other)) for agent in found.agents]
        table.add_row(other, *cells, _percent(found.gain(other)["survival"], "+"))
    console().print(table)
    console().print("In brackets: 95 % intervals; gain: after - before, paired by seed.")


def _percent(estimate: Estimate, sign: str = "") -> str:
    told = [each for each in (estimate.mean, estimate.low, estimate.high) if each is not None]
    figures = [f"{100 * each:{sign}.0f}" for each in told]
    return f"{figures[0]} [{figures[1]}, {figures[2]}]" if len(figures) == 3 else "".join(figures)


def _tell_worst(worst: Mapping[str, Any]) -> None:
    if not worst:
        return
    one = next(iter(worst.values()))
    table = table_of(
        title=f"At most {one['crises']} strikes by an engine that knows all, {one['seeds']} seeds"
    )
    for heading in ("pilot", "survival", "95 %", "searched"):
        table.add_column(heading, justify="left" if heading == "pilot" else "right")
    for name, case in worst.items():
        told = case["survival"]
        table.add_row(
            name,
            f"{'' if case['exact'] else 'at most '}{told['mean']:.0%}",
            f"{told['low']:.0%} to {told['high']:.0%}",
            "exactly" if case["exact"] else "by a beam",
        )
    console().print(table)


def _tell_moves(habits: Mapping[str, Any]) -> None:
    """The most frequent moves after each strike, before and after."""
    table = table_of(title="Most frequent moves in the month after a strike")
    table.add_column("strike")
    for name in habits:
        table.add_column(name)
    strikes = dict.fromkeys(strike for each in habits.values() for strike in each["by_strike"])
    for strike in strikes:
        cells = [_three(each["by_strike"].get(strike, {})) for each in habits.values()]
        table.add_row(strike, *cells)
    console().print(table)


def _three(shares: Mapping[str, float]) -> str:
    most = sorted(shares.items(), key=lambda pair: -pair[1])[:3]
    return ", ".join(f"{name} {share:.0%}" for name, share in most)


def _tell_states(habits: Mapping[str, Any]) -> None:
    for name, each in habits.items():
        strengths = ", ".join(f"{mean:.2f} at {part}" for part, mean in each["strength"].items())
        states = ", ".join(
            f"{share:.0%} of months {state}" for state, share in each["states"].items()
        )
        console().print(f"{name}: strength of moves {strengths}; {states}", soft_wrap=True)
