"""`revops-ma exploit` and `revops-ma what-if`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from revops_ma.cli.common import AsJson, ScenarioName, Seed, console, print_json, say_remarks
from revops_ma.cli.tables import plain, table_of
from revops_ma.errors import BadInput

if TYPE_CHECKING:
    from revops_ma.arena.exploit import Exploit
    from revops_ma.arena.whatif import Comparison

SHOWN_SEEDS = 5
"""Seeds whose worst sequence is told in words; --json tells all."""


def exploit(
    pilot: Annotated[str, typer.Argument(help="Agent card of the pilot.")],
    scenario: ScenarioName = "revops/normal",
    crises: Annotated[int, typer.Option("--crises", "-k", help="Most strikes an episode.")] = 3,
    seeds: Annotated[int, typer.Option(help="Seeds to search.")] = 20,
    seed: Seed = 1_000_000,
    node_limit: Annotated[
        int, typer.Option(min=1, help="Games a seed may cost before it gives up being exact.")
    ] = 20_000_000,
    beam: Annotated[
        int | None, typer.Option(min=1, help="Quick search for slow pilots: a bound, not exact.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Search the exact worst case of a pilot: every way to place K crises.

    Example: revops-ma exploit heuristic --crises 3 --seeds 100
    """
    from revops_ma.arena.campaign import seed_range
    from revops_ma.arena.exploit import exploit as search

    if seeds < 1:
        raise BadInput.of("--seeds", seeds, "a whole number from 1")
    found = search(
        pilot, scenario, crises, seed_range(seed, seeds), node_limit=node_limit, beam=beam
    )
    if as_json:
        print_json(found.to_json())
    else:
        say_remarks(scenario)
        _print_exploit(found)


def _print_exploit(found: Exploit) -> None:
    document = found.to_json()
    screen = console()
    table = table_of(f"Worst case of {found.pilot} on {found.scenario}")
    table.add_column("figure")
    table.add_column("value [95 % interval]", justify="right")
    table.add_row("sequences per seed", f"{found.sequences:,}")
    table.add_row(f"survive all of at most {found.crises} crises", plain(found.survival, ".1%"))
    if document["undecided"]:
        table.add_row("of these not decided", f"{document['undecided']:,}")
    low, high = document["worst_return"]["low"], document["worst_return"]["high"]
    table.add_row(
        "return of the worst", f"{document['worst_return']['mean']:.2f} [{low:.2f}, {high:.2f}]"
    )
    table.add_row("seeds proven exact", f"{document['exact_seeds']} of {len(found.seeds)}")
    table.add_row("games searched", f"{document['nodes']:,}")
    screen.print(table)
    lowest = sorted(found.seeds, key=lambda worst: worst.episode_return)[:SHOWN_SEEDS]
    for worst in lowest:
        told = [f"{found.names[entry]} in month {step}" for step, entry in worst.sequence] or [
            "no crisis at all"
        ]
        end = f"dead in month {worst.died_at}" if worst.died_at else "alive to the end"
        gap = (
            "" if worst.bound >= worst.episode_return else f" (proven: not below {worst.bound:.2f})"
        )
        screen.print(
            f"Seed {worst.seed}: {', '.join(told)}: {end}, return {worst.episode_return:.2f}{gap}",
            soft_wrap=True,
        )
    screen.print(f"{found.seconds:.1f} s.")


def what_if(
    run: Annotated[Path, typer.Argument(help="Run directory that --out wrote.")],
    episode: Annotated[int, typer.Argument(help="Number of the episode in the run, from 0.")],
    at: Annotated[
        int | None, typer.Option("--at", help="First step that is different, from 1.")
    ] = None,
    move: Annotated[str | None, typer.Option(help="Another move of the pilot, as JSON.")] = None,
    crisis: Annotated[str | None, typer.Option(help="Another crisis, as JSON.")] = None,
    pilot: Annotated[str | None, typer.Option(help="Another pilot from that step on.")] = None,
    seeds: Annotated[
        int | None, typer.Option(help="Ask it over so many paired seeds from the episode's on.")
    ] = None,
    regret: Annotated[
        bool, typer.Option("--regret", help="What the best other move of every step had gained.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Fork an episode: the same luck and players, one decision changed.

    Example: revops-ma what-if runs/first 7 --at 12 --move '{"action_type": "cut_costs"}'

    With --regret, instead of --at, every other move of every step is tried.
    """
    from revops_ma.arena.whatif import ask

    if regret:
        if any(given is not None for given in (at, move, crisis, pilot, seeds)):
            raise BadInput("--regret tries every move of every step: give it without other options")
        _print_regret(run, episode, as_json=as_json)
        return
    if at is None:
        raise BadInput("nothing to ask: give --at with --move, --crisis or --pilot, or --regret")
    if seeds is not None and seeds < 1:
        raise BadInput.of("--seeds", seeds, "a whole number from 1")
    answer = ask(
        run, episode, at, {"move": move, "crisis": crisis, "pilot": pilot}, seeds=seeds or 1
    )
    if as_json:
        print_json(answer.to_json())
    else:
        _print_what_if(answer)


def _print_regret(run: Path, episode: int, *, as_json: bool) -> None:
    from revops_ma.arena.regret import regret
    from revops_ma.arena.whatif import episode_of

    cast, told = episode_of(run, episode)
    found = regret(cast, told)
    if as_json:
        print_json(found.to_json())
        return
    screen = console()
    step = cast.scenario.world.step_name
    table = table_of(f"Regret of seed {found.seed}, return {found.episode_return:.2f}")
    for column in (step, "played", "best alternative", "gain"):
        table.add_column(column, justify="right" if column in (step, "gain") else "left")
    for decision in found.decisions:
        best = decision.best if decision.gain else "-"
        table.add_row(str(decision.step), decision.played, best, f"{decision.gain:+.3f}")
    screen.print(table)
    screen.print(
        f"Gain of the return if only that {step} had been different: the same luck, the same"
        f" players after it; best of {found.alternatives} moves.",
        soft_wrap=True,
    )


def _print_what_if(answer: Comparison) -> None:
    screen = console()
    count = len(answer.seeds)
    where = f"seed {answer.seeds.start}" if count == 1 else f"{count} seeds from {answer.seeds[0]}"
    table = table_of(f"What if, on {answer.scenario}, {where}")
    for column in ("figure", "as it was", "changed", "difference [95 % interval]"):
        table.add_column(column, justify="left" if column == "figure" else "right")
    document = answer.to_json()
    for name, effect in answer.effects().items():
        base, fork = _side(document["base"][name]), _side(document["fork"][name])
        difference = f"{effect.mean:+,.3f}" if count == 1 else plain(effect, "+,.3f")
        table.add_row(name.replace("_", " "), base, fork, difference)
    screen.print(table)
    if count == 1:
        screen.print(_side_by_side(answer))
    elif (gain := answer.pairing_gain()) is not None:
        screen.print(
            f"Pairing makes the standard error of the return's difference {gain:.1f} times smaller"
            " than independent seeds would: the more, the less of the episode comes after the"
            " change.",
            soft_wrap=True,
        )


def _side(value: Any) -> str:
    return f"{value['mean'] if isinstance(value, dict) else value:,.3f}"


def _side_by_side(answer: Comparison) -> Any:
    """Both lines of one episode, month by month, from the step before the change on."""
    names = [name for name in answer.base.traces[0] if name != "step"][:4]
    table = table_of("Step by step: as it was / changed")
    table.add_column("step", justify="right")
    for name in names:
        table.add_column(name, justify="right")
    base, fork = (_by_step(line.traces) for line in (answer.base, answer.fork))
    for step in sorted({*base, *fork}):
        if step < answer.at - 1:
            continue
        cells = [_cell(base.get(step), fork.get(step), name) for name in names]
        table.add_row(f"{step:.0f}", *cells)
    return table


def _by_step(traces: list[Any]) -> dict[float, Any]:
    """The first look at each step: later ones show the next month half done."""
    found: dict[float, Any] = {}
    for trace in traces:
        found.setdefault(float(trace["step"][0]), trace)
    return found


def _cell(base: Any, fork: Any, name: str) -> str:
    return " / ".join("over" if side is None else _figure(side[name][0]) for side in (base, fork))


def _figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.3g}"


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command()(exploit)
    app.command("what-if")(what_if)
