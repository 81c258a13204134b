"""`revops-ma audit`: an environment's claims, run as checks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.padding import Padding
from rich.text import Text

from revops_ma.cli.common import AsJson, console, print_json, say_remarks
from revops_ma.cli.tables import table_of
from revops_ma.errors import BadInput

if TYPE_CHECKING:
    from revops_ma.arena.audit import Certificate

JSON_FILE, PAGE_FILE = "audit.json", "audit.html"
CHECK_FAILED = 1
"""Exit code of an audit in which a check fails."""


def audit(
    scenario: Annotated[str, typer.Argument(help="Card name or path of a .toml file.")],
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer seeds: seconds, not a minute or two.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option(help="First seed that figures are measured on.")
    ] = None,
    pilot: Annotated[
        str | None,
        typer.Option(
            help="Only what is claimed about this pilot: how often hostile words turn it."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help=f"Folder for {JSON_FILE} and {PAGE_FILE}.")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Run an environment's own claims as checks; exit code 1 if one fails.

    Example: revops-ma audit revops/normal
    """
    from revops_ma.arena.audit import audit as run

    if out is not None and out.exists() and not out.is_dir():
        raise BadInput.of("--out", str(out), "a folder, there or new")
    say_remarks(scenario)
    certificate = run(scenario, quick=quick, seed=seed, pilot=pilot)
    if out is not None:
        _write(certificate, out)
    if as_json:
        print_json(certificate.to_json())
    else:
        _print(certificate, out)
    return 0 if certificate.holds else CHECK_FAILED


def _write(certificate: Certificate, folder: Path) -> None:
    from revops_ma.report.certificate import certificate_page
    from revops_ma.run import write_atomically

    document = certificate.to_json()
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(document, indent=2, allow_nan=False) + "\n"
    write_atomically(folder / JSON_FILE, text)
    write_atomically(folder / PAGE_FILE, certificate_page(document))


def _print(certificate: Certificate, out: Path | None) -> None:
    screen = console()
    kind = "Quick audit" if certificate.quick else "Audit"
    rules = certificate.scenario.world
    table = table_of(
        f"{kind} of {certificate.scenario.name}, {rules.name} rules version {rules.version}"
    )
    for title in ("check", "", "figure", "bound"):
        table.add_column(title, justify="right" if title in ("figure", "bound") else "left")
    for check in certificate.checks:
        verdict = Text("holds") if check.holds else Text("FAILS", "bold red")
        bound = str(check.finding.bound)
        table.add_row(check.name, verdict, f"{check.finding.figure:.4g}", bound)
    screen.print(table)
    for check in certificate.checks:
        screen.print(Text(check.name, "bold"))
        screen.print(Padding(Text(check.explanation), (0, 0, 1, 2)))
    holding = sum(check.holds for check in certificate.checks)
    screen.print(
        f"{holding} of {len(certificate.checks)} checks hold. {certificate.seconds:.0f} s."
    )
    if certificate.quick:
        screen.print("Quick: fewer seeds than the bounds were made for; it can fail by bad luck.")
    if out is not None:
        screen.print(f"Written: {out / JSON_FILE}, {out / PAGE_FILE}", soft_wrap=True)


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(audit)
