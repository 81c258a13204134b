"""`run.json`: what was asked, and how far the run had got when it was last written."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from revops_ma.errors import BadInput
from revops_ma.run.chain import TamperedRun, hash_of

FORMAT = 2
MANIFEST = "run.json"
_RECORDED_VERSIONS = ("revops-ma", "numpy", "numba")


@dataclass(frozen=True, slots=True)
class Committed:
    """What of a run is on the disk for good."""

    count: int
    head: str
    """Link of the last of these records."""


def dumps(value: Any) -> str:
    """Strict, compact JSON with sorted keys: the one form in which configs are hashed."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def config_hash(config: Mapping[str, Any]) -> str:
    """32 hex digits of a config."""
    return hash_of(dumps(config).encode())


def installed_versions() -> dict[str, str]:
    """Versions of what computes the games."""
    return {name: version(name) for name in _RECORDED_VERSIONS}


ABOUT = ("versions", "cards")
"""What a manifest tells beside the config and the state."""


def manifest_of(
    config: Mapping[str, Any], planned: int, state: Committed, about: Mapping[str, Any]
) -> dict[str, Any]:
    """The document, sealed by a hash of all the rest of it.

    `about` is told and not compared when a run goes on: `versions`, and `cards`, the files of
    players that have no name in the catalog, by identity, relative to the run.
    """
    content = {
        "format": FORMAT,
        "config": dict(config),
        "config_hash": config_hash(config),
        **about,
        "planned": planned,
        "count": state.count,
        "head": state.head,
    }
    return {**content, "seal": hash_of(dumps(content).encode())}


def written(manifest: Mapping[str, Any]) -> str:
    """The text of the file."""
    return json.dumps(manifest, indent=2, allow_nan=False) + "\n"


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read a run's manifest.

    Raises BadInput where there is none or it is of another format, TamperedRun where it was edited.
    """
    file = folder / MANIFEST
    if not file.is_file():
        raise BadInput(f"{folder} is no run directory: it has no {MANIFEST}; write one with --out")
    try:
        # Bytes, not text: universal newlines would let a changed line end pass.
        text = file.read_bytes().decode("utf-8")
        manifest = json.loads(text)
        form = manifest.get("format")
    except (ValueError, AttributeError) as error:
        raise TamperedRun(f"{file} is not readable: {error}") from None
    if form != FORMAT:
        raise BadInput.of(f"format of {file}", form, str(FORMAT))
    try:
        _check(manifest, text)
    except (KeyError, TypeError, ValueError) as error:
        raise TamperedRun(f"{file} was edited: {error!s}") from None
    return manifest


def _check(manifest: Mapping[str, Any], text: str) -> None:
    if config_hash(manifest["config"]) != manifest["config_hash"]:
        raise ValueError("the config does not fit its hash")
    content = {name: value for name, value in manifest.items() if name != "seal"}
    if hash_of(dumps(content).encode()) != manifest["seal"] or written(manifest) != text:
        raise ValueError("the rest does not fit its seal")


def write_atomically(path: Path, text: str) -> None:
    """Replace a file in one step: a reader sees the old text or the new one, never half."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    with partial.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make new names in a folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
