"""`revops-ma doctor`: what is installed, which models can be asked, whether the core works."""

from __future__ import annotations

import os
import platform
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

import typer

from revops_ma.cli.common import AsJson, console, print_json
from revops_ma.cli.tables import table_of
from revops_ma.errors import BadInput, RunFailed

CORE = ("numpy", "numba", "pydantic", "pettingzoo", "gymnasium", "typer", "rich", "scipy")
EXTRAS = {
    "llm": ("google-genai", "openai"),
    "ray": ("ray", "torch", "tensorboard"),
    "sb3": ("stable-baselines3",),
    "grpo": ("trl", "transformers", "peft", "datasets", "torch", "gguf", "tensorboard"),
    "gpu": ("unsloth",),
    "serve": ("openenv", "fastapi", "uvicorn"),
    "report": ("matplotlib", "pyarrow"),
    "export": ("minari", "h5py", "pillow", "datasets", "pyarrow"),
}
"""Packages that each optional extra brings."""
MODULES = {
    "google-genai": "google.genai",
    "pillow": "PIL",
    "stable-baselines3": "stable_baselines3",
}
"""What packages are called when they are imported, where it is something else."""


@dataclass(frozen=True, slots=True)
class Extra:
    """An optional extra: versions of what is there, names of what is not."""

    versions: dict[str, str]
    missing: list[str]


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether a provider of language models can be asked; never a key itself."""

    ready: bool
    told: str
    """What makes it ready, or what to do."""
    key: bool | None = None
    """Whether a key is set; None where the provider has none."""
    found: dict[str, str] = field(default_factory=dict)
    """Models that lie on this machine, by name."""


def doctor(as_json: AsJson = False) -> None:
    """Tell what is installed and whether the core works here; exit 1 if it does not.

    Example: revops-ma doctor
    """
    extras = {name: _extra(packages) for name, packages in EXTRAS.items()}
    document = {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpus": os.cpu_count(),
        "core": {name: _version(name) for name in ("revops-ma", *CORE)},
        "extras": {name: asdict(extra) for name, extra in extras.items()},
        "providers": {name: asdict(found) for name, found in providers().items()},
        "kernel": _kernel_check(),
    }
    if as_json:
        print_json(document)
    else:
        _print_doctor(document)
    if document["kernel"] != "ok":
        raise RunFailed(f"the kernel check failed: {document['kernel']}")


def providers() -> dict[str, Readiness]:
    """Which providers of language models can be asked here. Nobody is asked."""
    return {
        "gemini": _gemini(),
        "openai": _openai(),
        "huggingface": _huggingface(),
        "replay": Readiness(True, "plays the answers of a run again: --calls DIR"),
    }


def _gemini() -> Readiness:
    from revops_ma.policies.language.gemini import KEY_VARIABLES

    return _by_key("google-genai", KEY_VARIABLES)


def _openai() -> Readiness:
    from revops_ma.policies.language.openai import BASE_VARIABLE, KEY_VARIABLE

    found = _by_key("openai", (KEY_VARIABLE,))
    if found.key or not _is_there("openai"):
        return found
    if os.environ.get(BASE_VARIABLE, "").strip():
        return Readiness(True, f"the endpoint of {BASE_VARIABLE}, without a key", False)
    return Readiness(False, f"{found.told} or {BASE_VARIABLE}", False)


def _by_key(package: str, variables: tuple[str, ...]) -> Readiness:
    """Whether a package and the key of the first variable that is set are there."""
    from revops_ma.policies.language.keys import find_key

    given = [name for name in variables if os.environ.get(name, "").strip()]
    if not _is_there(package):
        return Readiness(False, f"missing {package}: {_install('llm')}", bool(given))
    if not given:
        return Readiness(False, f"set {' or '.join(variables)}", False)
    try:
        find_key(variables)
    except BadInput as error:
        return Readiness(False, str(error), True)
    beaten = f"; it wins over {', '.join(given[1:])}" if given[1:] else ""
    return Readiness(True, f"the key in {given[0]}{beaten}", True)


def _huggingface() -> Readiness:
    from revops_ma.policies.language.local.sources import GET_SMOLLM2, SMOLLM2, smollm2_file

    file = smollm2_file()
    found = {SMOLLM2: file.name} if file else {}
    missing = [name for name in ("torch", "transformers", "gguf") if not _is_there(name)]
    if missing:
        return Readiness(False, f"missing {', '.join(missing)}: {_install('grpo')}", None, found)
    small = f"smollm2 is {file.name}" if file else f"smollm2 is missing: {GET_SMOLLM2}"
    return Readiness(True, small, None, found)


def _print_doctor(document: dict[str, Any]) -> None:
    table = table_of(title="revops-ma doctor")
    table.add_column("what", no_wrap=True)
    table.add_column("found")
    table.add_row("Python", f"{document['python']} on {document['platform']}")
    table.add_row("CPUs", str(document["cpus"]))
    for name, found in document["core"].items():
        table.add_row(name, found or "MISSING")
    for name, extra in document["extras"].items():
        table.add_row(f"extra {name}", _extra_in_words(name, extra))
    for name, found in document["providers"].items():
        table.add_row(f"provider {name}", f"{'ready' if found['ready'] else 'no'}: {found['told']}")
    table.add_row("kernel", document["kernel"])
    console().print(table)


def _extra_in_words(name: str, extra: dict[str, Any]) -> str:
    if extra["missing"]:
        return f"missing {', '.join(extra['missing'])}: {_install(name)}"
    return "ready: " + ", ".join(f"{name} {found}" for name, found in extra["versions"].items())


def _extra(packages: tuple[str, ...]) -> Extra:
    there = [name for name in packages if _is_there(name)]
    versions = {name: _version(name) or "unknown version" for name in there}
    return Extra(versions, [name for name in packages if name not in there])


def _install(extra: str) -> str:
    return f'pip install "revops-ma[{extra}]"'


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _is_there(package: str) -> bool:
    """Whether a package can be imported, without importing it."""
    try:
        return find_spec(MODULES.get(package, package)) is not None
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
    """Register the command."""
    app.command()(doctor)
