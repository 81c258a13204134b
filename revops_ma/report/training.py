"""The page of a training run: a curve per figure, a line per training seed."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from revops_ma.arena.statistics import Estimate
from revops_ma.errors import BadInput
from revops_ma.report import html as h
from revops_ma.report.charts.frame import plain, series_class
from revops_ma.report.charts.lines import Line, LineChart, line_chart
from revops_ma.report.html import Markup
from revops_ma.report.page import document
from revops_ma.report.parts import grid, legend, panel, section
from revops_ma.run import REPORT, write_atomically
from revops_ma.training.contest import SUMMARY
from revops_ma.training.metrics import read

Curve = tuple[str, str, Callable[[dict[str, Any]], float | None]]
CURVES: tuple[Curve, ...] = (
    ("Return in training", "Of the first role, mean of an iteration", lambda line: line["return"]),
    ("Success in training", "Share of games", lambda line: line["survival"]),
    (
        "Return on validation seeds",
        "At each evaluation",
        lambda line: line.get("validation_return"),
    ),
    ("Entropy", "Of the policy, nats", lambda line: line.get("entropy")),
    ("Critic's loss", "Mean squared error", lambda line: line.get("vf_loss")),
    ("Steps a second", "From the beginning", lambda line: line["months_per_second"]),
)


def is_training(folder: Path) -> bool:
    """Whether a directory was written by `revops-ma train`."""
    return (folder / SUMMARY).is_file()


def write(folder: Path) -> Path:
    """Write `report.html` into the directory of a training run; BadInput if it is none."""
    if not is_training(folder):
        raise BadInput(f"{folder} is no training run that has ended: it has no {SUMMARY}")
    summary = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
    histories = {run["seed"]: read(folder / f"seed-{run['seed']}") for run in summary["runs"]}
    target = folder / REPORT
    write_atomically(target, _page(summary, histories))
    return target


def _page(summary: dict[str, Any], histories: dict[int, list[dict[str, Any]]]) -> str:
    names = [identity.split("@")[0] for identity in summary["against"]]
    title = f"Training of the {summary['role']} on {summary['scenario']}"
    entries = [(f"seed {seed}", series_class(at)) for at, seed in enumerate(histories)]
    return document(
        title,
        h.header(h.h1(title), h.p(f"Against {', '.join(names)}.", class_="lead")),
        section("test", "On test seeds", _table(summary), lead="With 95 % intervals."),
        section(
            "curves",
            "Curves",
            legend(entries),
            grid([_curve(curve, histories) for curve in CURVES]),
            lead="One line per training seed. The numbers are in metrics.csv of each seed.",
        ),
    )


def _table(summary: dict[str, Any]) -> Markup:
    heads = ("seed", "opponent", "won", "return", "steps", "seconds")
    rows = []
    for run in summary["runs"]:
        star = " (strongest)" if run["seed"] == summary["strongest"] else ""
        for score in run["test"]:
            cells = (
                f"{run['seed']}{star}",
                score["opponent"],
                _interval(Estimate(**score["survival"]), ".1%"),
                _interval(Estimate(**score["episode_return"]), ".2f"),
                f"{run['months']:,}",
                f"{run['seconds']:.0f}",
            )
            rows.append(h.tr(h.td(cell) for cell in cells))
    return h.table_(h.thead(h.tr(h.th(head, scope="col") for head in heads)), h.tbody(rows))


def _interval(estimate: Estimate, form: str) -> str:
    if estimate.mean is None:
        return "no episode"
    return f"{estimate.mean:{form}} [{estimate.low:{form}}, {estimate.high:{form}}]"


def _curve(curve: Curve, histories: dict[int, list[dict[str, Any]]]) -> Markup:
    title, about, of = curve
    lines = [
        Line(f"seed {seed}", _values(history, of), at)
        for at, (seed, history) in enumerate(histories.items())
    ]
    known = [value for line in lines for value in line.values if math.isfinite(value)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    chart = LineChart(
        label=title,
        x_name="share of training, %",
        x_high=100,
        y=(low, high if high > low else low + 1.0),
        show=plain,
        tell=lambda value: f"{value:,.4g}",
        step="at %",
    )
    return panel(title, line_chart(chart, lines), about)


def _values(history: Sequence[dict[str, Any]], of: Callable[..., float | None]) -> list[float]:
    """101 values, one per hundredth of the training: the latest known one."""
    known, values = float("nan"), []
    at = 0
    for percent in range(101):
        until = max(1, round(percent * len(history) / 100))
        for line in history[at:until]:
            value = of(line)
            known = known if value is None else value
        at = until
        values.append(known)
    return values
