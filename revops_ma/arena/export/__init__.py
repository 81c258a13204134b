"""Runs as data sets for other tools: Parquet tables, Minari, Hugging Face.

Everything that a run does not record (observations, prompts, rewards move by move) is computed anew
by replay, and an episode that does not replay to its digest is not exported but told.
"""

from __future__ import annotations

import importlib
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from revops_ma.arena.export.source import Source, open_source
from revops_ma.episode import COMPLETED
from revops_ma.errors import BadInput

FORMATS = {
    "parquet": ("pyarrow",),
    "minari": ("minari", "h5py", "PIL"),
    "hf": ("datasets", "pyarrow"),
}
"""What can be written, and the packages that each needs."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written where."""

    run: Path
    to: str
    out: Path
    episodes: int
    rows: int
    """Moves that were written."""
    left_out: dict[str, int] = field(default_factory=dict)
    """What was not, by reason."""
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Give the `export --json` document."""
        return {
            "run": str(self.run),
            "to": self.to,
            "out": str(self.out),
            "episodes": self.episodes,
            "rows": self.rows,
            "left_out": self.left_out,
            "seconds": round(self.seconds, 3),
        }


def export_run(run: Path, to: str, out: Path | None = None) -> Exported:
    """Write the completed episodes of a run as a data set, by default to `RUN/export/FORMAT`.

    Raises BadInput for an unknown format, a missing package, a directory that is in use or a run
    that cannot be read; RunFailed where an episode does not replay. Nothing is left behind then.
    """
    began = time.perf_counter()
    if to not in FORMATS:
        raise BadInput.of("--to", to, ", ".join(FORMATS))
    _check_packages(to)
    source = open_source(run)
    target = source.run.path / "export" / to if out is None else Path(out)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise BadInput(f"{target} is there already; remove it or choose another --out")
    write: Any = importlib.import_module(f"revops_ma.arena.export.to_{to}").write
    rows, left_out = _whole(source, write, target)
    completed = sum(1 for episode in source.episodes if episode.status == COMPLETED)
    return Exported(
        run=source.run.path,
        to=to,
        out=target,
        episodes=completed,
        rows=rows,
        left_out={"failed episodes": len(source.episodes) - completed, **left_out},
        seconds=time.perf_counter() - began,
    )


def _check_packages(to: str) -> None:
    for package in FORMATS[to]:
        try:
            importlib.import_module(package)
        except ImportError:
            raise BadInput(
                f'--to {to} needs the package {package}: pip install "revops-ma[export]"'
            ) from None


def _whole(source: Source, write: Any, target: Path) -> tuple[int, dict[str, int]]:
    """Write beside the target and move it there when it is whole."""
    partial = target.with_name(f".{target.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        told = write(source, partial)
        target.mkdir(exist_ok=True)
        partial.replace(target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return told
