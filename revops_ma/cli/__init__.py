"""The command line: `revops-ma <command>`. Exit code 0 fine, 1 the run failed, 2 wrong input."""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated, Any

import typer
from pydantic import ValidationError

import revops_ma
from revops_ma.cli import (
    arena,
    audit,
    doctor,
    listing,
    play,
    records,
    search,
    selfplay,
    serve,
    tools,
    train,
    train_pilot,
)
from revops_ma.cli.common import show_progress
from revops_ma.errors import BadInput, RevopsError
from revops_ma.progress import listening

app = typer.Typer(
    help="A laboratory for adversarial self-play on business operations.",
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
UsageError: Any = typer.BadParameter.__bases__[0]
"""Typer ships its own copy of click and does not export the base of its usage errors."""


@app.callback()
def _welcome(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Tell the version and leave.")] = False,
) -> None:
    if version:
        typer.echo(f"revops-ma {revops_ma.__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


listing.add_to(app)
play.add_to(app)
arena.add_to(app)
tools.add_to(app)
doctor.add_to(app)
search.add_to(app)
records.add_to(app)
audit.add_to(app)
serve.add_to(app)
train.add_to(app)
selfplay.add_to(app)
train_pilot.add_to(app)

WRONG_INPUT, RUN_FAILED, INTERRUPTED = 2, 1, 130


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit; user mistakes are one line on stderr."""
    for stream in (sys.stdout, sys.stderr):
        # A log in ASCII must not kill a run that took hours.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    sys.exit(_run(arguments))


def _run(arguments: list[str] | None) -> int:
    try:
        with listening(show_progress):
            code = app(args=arguments, standalone_mode=False)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except (UsageError, RevopsError, OSError) as error:
        return _fail(error)
    if code == INTERRUPTED:  # typer turns Ctrl-C into this exit code
        return _complain("interrupted; a run with --out goes on with the same command", code)
    return code if isinstance(code, int) else 0


def _fail(error: Exception) -> int:
    """Say what went wrong in one line and give the exit code."""
    if isinstance(error, UsageError):
        return _complain(_usage(error), WRONG_INPUT)
    if isinstance(error, BadInput):
        return _complain(str(error), WRONG_INPUT)
    if isinstance(error, BrokenPipeError):
        # Who read our output has gone: nobody is left to tell, and the last flush must not fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return RUN_FAILED
    return _complain(str(error), RUN_FAILED)


def _usage(error: Any) -> str:
    """What was wrong with the arguments, what was given, and where to read what is allowed."""
    message = error.format_message().rstrip(".")
    if isinstance(error.__cause__, ValidationError):
        message += f" (got {error.__cause__.errors()[0]['input']!r})"
    command = error.ctx.command_path if error.ctx else "revops-ma"
    return f"{message}. See `{command} --help`"


def _complain(message: str, code: int) -> int:
    line = " ".join(message.split())
    sys.stderr.write(f"revops-ma: {line}\n")
    return code
