"""`revops-ma replay`, `diff` and `export`: what can be done with a run once it is there."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from revops_ma.cli.common import AsJson, Backend, Workers, console, print_json
from revops_ma.cli.tables import plain, table_of
from revops_ma.errors import RunFailed

RunFolder = Annotated[Path, typer.Argument(help="Run directory that --out wrote.")]
SHOWN = 10
"""Mismatches that are told one by one."""


def replay(
    run: RunFolder,
    backend: Backend = "embedded",
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Compute every episode of a run anew and compare; exit 1 if one differs.

    Example: revops-ma replay runs/first
    """
    from revops_ma.rollout import open_pool
    from revops_ma.rollout.verify import verify

    with open_pool(backend, workers) as pool:
        verdict = verify(run, pool)
    if as_json:
        print_json(verdict.to_json())
    else:
        _print_verdict(verdict)
    if not verdict.holds:
        first = verdict.mismatches[0]
        raise RunFailed(
            f"{len(verdict.mismatches):,} of {verdict.episodes:,} episodes differ; the first is"
            f" episode {first.episode} (seed {first.seed}) at step {first.step}: {first.what}"
        )


def _print_verdict(verdict: Any) -> None:
    screen = console()
    if verdict.rules.change:
        screen.print(f"Note: {verdict.rules.change}.", soft_wrap=True, markup=False)
    told = f"{verdict.identical:,} of {verdict.episodes:,} episodes are identical"
    failed = f", {verdict.failed:,} had failed" if verdict.failed else ""
    screen.print(f"{told}{failed}; {verdict.seconds:.1f} s.")
    for each in verdict.mismatches[:SHOWN]:
        where = f"episode {each.episode} ({each.matchup}, seed {each.seed}), step {each.step}"
        screen.print(f"{where}: {each.what}", soft_wrap=True, markup=False)
    if len(verdict.mismatches) > SHOWN:
        screen.print(f"... and {len(verdict.mismatches) - SHOWN:,} more; see --json")


def diff(
    a: Annotated[Path, typer.Argument(help="Run directory.")],
    b: Annotated[Path, typer.Argument(help="Another one on the same seeds.")],
    as_json: AsJson = False,
) -> None:
    """Tell where two runs part, and their differences paired by seed.

    Example: revops-ma diff runs/heuristic runs/tuned
    """
    from revops_ma.arena.compare import compare_runs

    told = compare_runs(a, b)
    if as_json:
        print_json(told.to_json())
        return
    screen = console()
    screen.print(f"{told.equal:,} of {told.compared:,} common episodes are equal.")
    for name, count in ((a, told.only_a), (b, told.only_b)):
        if count:
            screen.print(f"{count:,} are only in {name}.", soft_wrap=True, markup=False)
    if told.first:
        _print_parting(told.first)
    for matchup in told.matchups:
        screen.print(_difference_table(matchup))


def _print_parting(first: Any) -> None:
    screen = console()
    screen.print(
        f"They part at matchup {first.position}, seed {first.seed:,}, step {first.step}"
        f" (move {first.move}):"
    )
    for name, side in (("A", first.a), ("B", first.b)):
        who = f"{side.role} " if side.role else ""
        states = f"state {side.before} -> {side.after}"
        screen.print(f"  {name}: {who}{side.caption}; {states}", soft_wrap=True, markup=False)


def _difference_table(matchup: Any) -> Any:
    title = f"B - A: {matchup.b} minus {matchup.a}" if matchup.a != matchup.b else matchup.a
    table = table_of(title=f"{title}, {matchup.pairs:,} pairs")
    table.add_column("figure")
    table.add_column("difference [95 % interval]", justify="right")
    for name, estimate in matchup.differences.items():
        form = "+,.2f" if name not in ("survival", "episode_return") else "+.3f"
        table.add_row(name.replace("_", " "), plain(estimate, form))
    return table


def export(
    run: RunFolder,
    to: Annotated[str, typer.Option("--to", help="parquet, minari or hf.")],
    out: Annotated[
        Path | None, typer.Option(help="New directory; RUN/export/FORMAT if absent.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a run as a data set: Parquet tables, Minari or Hugging Face chats.

    Example: revops-ma export runs/first --to parquet
    """
    from revops_ma.arena.export import export_run

    made = export_run(run, to, out)
    if as_json:
        print_json(made.to_json())
        return
    screen = console()
    screen.print(
        f"{made.rows:,} moves of {made.episodes:,} episodes: {made.out} ({made.seconds:.1f} s)",
        soft_wrap=True,
        markup=False,
    )
    for what, count in made.left_out.items():
        if count:
            screen.print(f"Left out: {count:,} {what}.")


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command()(replay)
    app.command()(diff)
    app.command()(export)
