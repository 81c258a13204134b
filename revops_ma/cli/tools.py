"""`revops-ma report` and `bench`."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Annotated

import typer

from revops_ma.cli.common import AsJson, console, print_json

NOTE_WIDTH = 74


def report(
    run: Annotated[Path, typer.Argument(help="Run directory that --out wrote.")],
    as_json: AsJson = False,
) -> None:
    """Write the report of a run: one HTML file that needs no network.

    Example: revops-ma report runs/first
    """
    from revops_ma.report import write

    page = write(run)
    if as_json:
        print_json({"run": str(run), "report": str(page), "bytes": page.stat().st_size})
    else:
        console().print(f"Report: {page}", soft_wrap=True)


def bench(
    seconds: Annotated[float, typer.Option(min=0.01, help="Time spent on each line.")] = 1.0,
    rllib: Annotated[
        bool, typer.Option("--rllib", help="Training beside RLlib's own runner instead.")
    ] = False,
    server: Annotated[
        bool, typer.Option("--server", help="The server beside OpenEnv's own instead.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Measure this machine: kernel, adapters and well-known peers in the same run.

    Example: revops-ma bench --seconds 2
    """
    from revops_ma import bench as benches

    wanted = {"rllib": rllib, "server": server}
    extra = [benches.EXTRA_FAMILIES[name] for name, wished in wanted.items() if wished]
    families = extra or benches.FAMILIES
    lines = []
    for line in benches.run(seconds, families):
        lines.append(line.to_json())
        if not as_json:
            value = "not measured" if line.value is None else f"{line.value:,.4g}"
            console().print(f"{line.name:<46} {value:>14} {line.unit}", soft_wrap=True)
            for text in textwrap.wrap(line.note, NOTE_WIDTH):
                console().print(f"    {text}", style="dim")
    if as_json:
        print_json(lines)


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command()(report)
    app.command()(bench)
