"""Stacked bars: signed parts per step upright, shares of a whole lying."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from revops_ma.report.charts.frame import (
    Frame,
    Show,
    fit,
    gutter,
    hover_columns,
    plain,
    series_class,
    svg,
    width_of,
    x_axis,
    y_axis,
)
from revops_ma.report.charts.scale import Scale, domain
from revops_ma.report.html import Markup, g, line, path, rect, text, title

ROW = 24.0
"""Pixels from one lying bar to the next."""


def stack(values: Sequence[float]) -> list[tuple[float, float]]:
    """Ends (low, high) of each part: positive parts pile up from 0, negative ones hang down."""
    up = down = 0.0
    ends = []
    for value in values:
        if value >= 0:
            ends.append((up, up + value))
            up += value
        else:
            ends.append((down + value, down))
            down += value
    return ends


@dataclass(frozen=True, slots=True)
class Columns:
    """Signed parts per step."""

    label: str
    names: Sequence[str]
    rows: Sequence[Sequence[float]]
    """Parts of step 1, 2, ..."""
    x_name: str
    x_high: float
    tell: Show
    step: str = "step"
    marks: Mapping[int, str] = field(default_factory=dict)
    height: float = 170.0


def columns(chart: Columns) -> Markup:
    """Draw one column per step, and the sum of its parts as a tick across it."""
    frame = Frame(chart.height)
    stacks = [stack(row) for row in chart.rows]
    ends = [end for column in stacks for pair in column for end in pair]
    x = frame.across(0, max(chart.x_high, 1))
    y = frame.upward(*domain(ends, zero=True))
    wide = max(0.8 * (x(1) - x(0)), 0.6)
    bars = [
        rect(
            x=x(step) - wide / 2,
            y=y(high),
            width=wide,
            height=y(low) - y(high),
            class_=f"fill {series_class(part)}",
        )
        for step, column in enumerate(stacks, start=1)
        for part, (low, high) in enumerate(column)
        if high > low
    ]
    return svg(
        frame,
        chart.label,
        y_axis(frame, y, plain),
        x_axis(frame, x, chart.x_name),
        bars,
        [_total(x(step), wide, y(sum(row))) for step, row in enumerate(chart.rows, start=1)],
        hover_columns(frame, x, _notes(chart)),
        kind="columns",
    )


def _total(x: float, wide: float, y: float) -> Markup:
    return line(x1=x - wide / 2 - 0.5, x2=x + wide / 2 + 0.5, y1=y, y2=y, class_="total")


def _notes(chart: Columns) -> list[tuple[float, str]]:
    notes = []
    for step, row in enumerate(chart.rows, start=1):
        told = [f"{chart.step} {step}: {chart.tell(sum(row))}"]
        told += [
            f"{name}: {chart.tell(part)}"
            for name, part in zip(chart.names, row, strict=True)
            if part != 0
        ]
        told += [f"▼ {chart.marks[step]}"] if step in chart.marks else []
        notes.append((float(step), "\n".join(told)))
    return notes


@dataclass(frozen=True, slots=True)
class Shares:
    """A whole that is cut in parts."""

    name: str
    counts: Sequence[int]
    """One per part, in the order of the legend."""


def shares(label: str, parts: Sequence[tuple[str, str]], rows: Sequence[Shares]) -> Markup:
    """Draw one bar of 100 % per row; `parts` are (name, colour class)."""
    left = gutter([row.name for row in rows]) if len(rows) > 1 else 8.0
    tall = ROW if len(rows) > 1 else 40.0
    frame = Frame(len(rows) * tall + 26, left=left, top=0.0, bottom=24.0, right=14.0)
    x = frame.across(0.0, 1.0)
    drawn = [
        g(
            text(fit(row.name, left - 6), x=left - 6, y=tall * (at + 0.5) + 3.5, class_="tick end")
            if len(rows) > 1
            else None,
            _bar(row, parts, x, (tall * at + 2, tall - 4)),
        )
        for at, row in enumerate(rows)
    ]
    axis = x_axis(frame, x, show="{:.0%}".format, whole=False)
    return svg(frame, label, axis, drawn, kind="shares")


def _bar(
    row: Shares, parts: Sequence[tuple[str, str]], x: Scale, place: tuple[float, float]
) -> list[Markup]:
    total = sum(row.counts)
    top, height = place
    drawn = []
    for (name, colour), count, (low, high) in zip(
        parts, row.counts, stack(row.counts), strict=True
    ):
        if not count:
            continue
        start, wide = x(low / total), x(high / total) - x(low / total)
        note = f"{row.name}\n{name}: {count:,} of {total:,} ({count / total:.1%})"
        drawn.append(
            rect(
                title(note), x=start, y=top, width=wide, height=height, class_=f"fill part {colour}"
            )
        )
        share = f"{count / total:.0%}"
        if wide > width_of(share) + 9:
            middle = start + wide / 2
            spot = {"x": middle, "y": top + height / 2 + 3.5}
            drawn.append(text(share, class_=f"tick middle inside {colour}", **spot))
    return drawn or [path(d=f"M{x(0):.1f},{top + height / 2:.1f}h8", class_="axis")]
