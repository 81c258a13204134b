"""What all commands share: options, exit codes, progress, the two consoles."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from revops_ma import catalog
from revops_ma.progress import Advance

QUIET_SECONDS = 2.0
"""Work shorter than this shows no progress."""
LOG_EVERY_SECONDS = 10.0
"""How often progress is told where stderr is no terminal."""

AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on stdout and no more.")]
Seed = Annotated[
    int | None,
    typer.Option(help="First seed; games play seed, seed + 1, ... Drawn if absent."),
]
Out = Annotated[
    Path | None,
    typer.Option(help="Run directory to write; the same command resumes it after a kill."),
]
Backend = Annotated[
    str,
    typer.Option(
        help="`embedded` plays in this process, `ray` in others, or where RAY_ADDRESS is."
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(help="Processes of --backend ray; one per core if absent. Results don't change."),
]
ScenarioName = Annotated[
    str, typer.Option("--scenario", "-s", help="Card name or path of a .toml file.")
]


def console() -> Console:
    """Console of stdout: 80 columns wide where it is no terminal. It takes no markup in texts."""
    width = None if sys.stdout.isatty() else 80
    return Console(highlight=False, markup=False, emoji=False, width=width)


def print_json(document: Any) -> None:
    """Write one strict JSON document."""
    sys.stdout.write(json.dumps(document, indent=2, allow_nan=False) + "\n")


def say_remarks(scenario: str) -> None:
    """Tell on stderr what a user should know of a scenario's settings."""
    scene = catalog.scenario(scenario)
    for remark in scene.world.remarks(scene.settings):
        sys.stderr.write(f"Note: {remark}\n")


@contextmanager
def show_progress(what: str, total: float) -> Generator[Advance]:
    """Draw a bar on stderr, or lines in a log; nothing for work that is done at once."""
    shown = _bar(what, total) if sys.stderr.isatty() else _log(what, total)
    with shown as advance:
        yield advance


@contextmanager
def _bar(what: str, total: float) -> Generator[Advance]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    started = time.monotonic()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total, visible=False)

        def advance(done: float) -> None:
            late = time.monotonic() - started > QUIET_SECONDS
            progress.update(task, advance=done, visible=late)

        yield advance


@contextmanager
def _log(what: str, total: float) -> Generator[Advance]:
    started = told = time.monotonic()
    done = 0.0

    def advance(more: float) -> None:
        nonlocal done, told
        done += more
        now = time.monotonic()
        if now - told > (LOG_EVERY_SECONDS if told > started else QUIET_SECONDS):
            left = (now - started) * (total - done) / max(done, 1e-9)
            sys.stderr.write(f"{what}: {done:,.0f} of {total:,.0f}, about {left:.0f} s left\n")
            sys.stderr.flush()
            told = now

    yield advance
