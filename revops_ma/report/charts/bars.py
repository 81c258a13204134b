"""Lying bars with their value, and points with their interval: one row per name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from revops_ma.report.charts.frame import Frame, fit, gutter, series_class, svg, x_axis
from revops_ma.report.charts.scale import ticks
from revops_ma.report.html import Markup, circle, g, line, rect, text, title

ROW = 19.0
"""Pixels from one row to the next."""
_VALUE = 46.0
"""Room for the value at the right."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A named length from 0 with what its tooltip says."""

    name: str
    value: float
    shown: str
    note: str


@dataclass(frozen=True, slots=True)
class Point:
    """A named value with its interval."""

    name: str
    value: float
    low: float
    high: float
    note: str


def bars(label: str, rows: Sequence[Bar], colour: int = 0, high: float = 0.0) -> Markup:
    """Draw bars from 0 to `high`, or to the longest."""
    left = gutter([row.name for row in rows], 160.0)
    frame = Frame(len(rows) * ROW + 4, left=left, top=2.0, bottom=2.0, right=_VALUE)
    x = frame.across(0.0, high or max((row.value for row in rows), default=0.0) or 1.0)
    drawn = []
    for at, row in enumerate(rows):
        middle = frame.top + ROW * (at + 0.5)
        long = x(row.value) - x(0)
        drawn.append(
            g(
                title(row.note),
                text(fit(row.name, left - 6), x=left - 6, y=middle + 3.5, class_="tick end"),
                rect(x=left, y=middle - 6, width=long, height=12, class_="fill bar"),
                text(
                    row.shown,
                    x=left + long + 5,
                    y=middle + 3.5,
                    class_="tick value" if row.value else "tick",
                ),
            )
        )
    edge = line(x1=left, x2=left, y1=0, y2=frame.height, class_="axis")
    return svg(frame, label, g(drawn, class_=series_class(colour)), edge, kind="bars")


def intervals(
    label: str, rows: Sequence[Point], ends: tuple[float, float], x_name: str, colour: int = 0
) -> Markup:
    """Draw a dot and the line of its interval per row, on an axis that shows `ends`."""
    left = gutter([row.name for row in rows])
    frame = Frame(len(rows) * ROW + 34, left=left, top=2.0, right=14.0)
    x = frame.across(*ends)
    bottom = frame.height - frame.bottom
    grid = [
        line(x1=x(at), x2=x(at), y1=frame.top, y2=bottom, class_="grid")
        for at in ticks(x.low, x.high, 6)
    ]
    drawn = []
    for at, row in enumerate(rows):
        y = frame.top + ROW * (at + 0.5)
        drawn.append(
            g(
                title(row.note),
                rect(x=0, y=y - ROW / 2, width=frame.width, height=ROW, class_="hit"),
                text(fit(row.name, left - 6), x=left - 6, y=y + 3.5, class_="tick end"),
                line(x1=x(row.low), x2=x(row.high), y1=y, y2=y, class_="whisker"),
                circle(cx=x(row.value), cy=y, r=3.2, class_="dot"),
            )
        )
    axis = x_axis(frame, x, x_name, whole=False)
    return svg(frame, label, grid, axis, g(drawn, class_=series_class(colour)), kind="intervals")
