"""Metrics of a training run: a JSON line per iteration, the same as CSV and for TensorBoard."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from revops_ma.run import write_atomically
from revops_ma.training.checkpoint import METRICS

TABLE, BOARD = "metrics.csv", "tensorboard"


class MetricsLog:
    """Appends to the files of a run; without a directory it only remembers."""

    def __init__(self, folder: Path | None, iterations: int) -> None:
        """Go on after `iterations`: lines that are later than the checkpoint are dropped."""
        self.folder = folder
        self.history: list[dict[str, Any]] = []
        self._lines: Any = None
        self._board: Any = None
        if folder is not None:
            self.history = read(folder)[:iterations]
            write_atomically(folder / METRICS, "".join(_line(one) for one in self.history))
            self._lines = (folder / METRICS).open("a", encoding="utf-8")
            self._board = _board(folder / BOARD, iterations)

    def add(self, figures: dict[str, Any]) -> None:
        """Log one iteration; its number is `figures["iteration"]`, counted from 1."""
        self.history.append(figures)
        if self._lines is None:
            return
        self._lines.write(_line(figures))
        if self._board is not None:
            for name, value in flat(figures):
                self._board.add_scalar(name, value, figures["iteration"])

    def flush(self) -> None:
        """Hand everything to the operating system: called before a checkpoint counts on it."""
        if self._lines is not None:
            self._lines.flush()

    def close(self) -> None:
        """Write the table and close the files."""
        if self.folder is None:
            return
        self._lines.close()
        write_atomically(self.folder / TABLE, table_of(self.history))
        if self._board is not None:
            self._board.close()


def read(folder: Path) -> list[dict[str, Any]]:
    """The whole lines of a run's metrics; one that a kill cut in two is left out."""
    path = folder / METRICS
    if not path.is_file():
        return []
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]


def table_of(history: Sequence[Mapping[str, Any]]) -> str:
    """CSV: a line per iteration, a column per figure, empty where there is none."""
    rows = [dict(flat(figures)) for figures in history]
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def flat(figures: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    """Numbers by name, nested ones as `outer/inner`."""
    for name, value in figures.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{name}/")
        elif isinstance(value, (int, float)):
            yield f"{prefix}{name}", value


def _line(figures: Mapping[str, Any]) -> str:
    return json.dumps(figures, separators=(",", ":"), allow_nan=False) + "\n"


def _board(folder: Path, iterations: int) -> Any:
    """TensorBoard's writer, None where TensorBoard is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder), purge_step=iterations + 1)
