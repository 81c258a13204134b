"""`revops-ma report`, `bench` and `doctor`."""

from __future__ import annotations

import importlib.util
import os
import platform
import textwrap
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

import typer

from revops_ma.cli.common import AsJson, console, print_json
from revops_ma.cli.tables import table_of
from revops_ma.errors import RunFailed

EXTRAS = {
    "llm": ("google.genai", "openai"),
    "ray": ("ray", "torch"),
    "grpo": ("trl", "transformers", "peft", "datasets", "torch", "gguf"),
    "gpu": ("unsloth",),
    "serve": ("openenv", "fastapi", "uvicorn"),
    "report": ("matplotlib", "pyarrow"),
    "export": ("minari", "h5py", "datasets", "pyarrow"),
}
"""Modules that each optional extra brings."""
NOTE_WIDTH = 74
CORE = ("numpy", "numba", "pydantic", "pettingzoo", "gymnasium", "typer", "rich", "scipy")


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
    as_json: AsJson = False,
) -> None:
    """Measure this machine: kernel, adapters and well-known peers in the same run.

    Example: revops-ma bench --seconds 2
    """
    from revops_ma import bench as benches

    lines = []
    for line in benches.run(seconds):
        lines.append(line.to_json())
        if not as_json:
            value = "not measured" if line.value is None else f"{line.value:,.4g}"
            console().print(f"{line.name:<46} {value:>14} {line.unit}", soft_wrap=True)
            for text in textwrap.wrap(line.note, NOTE_WIDTH):
                console().print(f"    {text}", style="dim")
    if as_json:
        print_json(lines)


def doctor(as_json: AsJson = False) -> None:
    """Tell what is installed and whether the core works here; exit 1 if it does not.

    Example: revops-ma doctor
    """
    document = {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpus": os.cpu_count(),
        "core": {name: _version(name) for name in ("revops-ma", *CORE)},
        "extras": {extra: _missing(modules) for extra, modules in EXTRAS.items()},
        "kernel": _kernel_check(),
    }
    if as_json:
        print_json(document)
    else:
        _print_doctor(document)
    if document["kernel"] != "ok":
        raise RunFailed(f"the kernel check failed: {document['kernel']}")


def _print_doctor(document: dict[str, Any]) -> None:
    table = table_of(title="revops-ma doctor")
    table.add_column("what")
    table.add_column("found")
    table.add_row("Python", f"{document['python']} on {document['platform']}")
    table.add_row("CPUs", str(document["cpus"]))
    for name, found in document["core"].items():
        table.add_row(name, found or "MISSING")
    for extra, missing in document["extras"].items():
        way_out = f'missing {", ".join(missing)}: pip install "revops-ma[{extra}]"'
        table.add_row(f"extra {extra}", way_out if missing else "ready")
    table.add_row("kernel", document["kernel"])
    console().print(table)


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _missing(modules: tuple[str, ...]) -> list[str]:
    return [module for module in modules if not _is_there(module)]


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _kernel_check() -> str:
    """Deal a known company twice and compare it with its first dashboard."""
    from revops_ma import catalog

    scene = catalog.scenario("revops/normal")
    games = scene.world.deal(scene.settings, [5_000, 5_000])
    if games[0].tobytes() != games[1].tobytes():
        return "the same seed dealt two companies"
    # The first golden episode of the rulebook starts with this MRR.
    return "ok" if games["mrr"][0] == 56298.981080931204 else "seed 5000 dealt another company"


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command()(report)
    app.command()(bench)
    app.command()(doctor)
