"""Line charts: one figure over the steps of an episode, and survival curves as stairs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from revops_ma.report.charts.frame import (
    Frame,
    Show,
    hover_columns,
    series_class,
    svg,
    x_axis,
    y_axis,
)
from revops_ma.report.charts.scale import Scale
from revops_ma.report.html import Markup, circle, g, line, number, path, title

MOST_COLUMNS = 60
"""Hover columns of one chart; longer episodes share them."""


@dataclass(frozen=True, slots=True)
class Line:
    """Values at x = 0, 1, 2, ...; not finite where there is none."""

    name: str
    values: Sequence[float]
    colour: int = 0
    band: tuple[Sequence[float], Sequence[float]] | None = None
    """Lower and upper ends of a shaded interval."""


@dataclass(frozen=True, slots=True)
class LineChart:
    """What a line chart shows, apart from its lines."""

    label: str
    x_name: str
    x_high: float
    y: tuple[float, float]
    show: Show
    """Writes a tick of the y axis."""
    tell: Show
    """Writes a value in a tooltip."""
    step: str = "step"
    stairs: bool = False
    limits: Sequence[float] = ()
    """Levels drawn as dashed lines where they are inside the plot."""
    marks: Mapping[int, str] = field(default_factory=dict)
    """What struck at which x."""
    height: float = 170.0


def line_chart(chart: LineChart, lines: Sequence[Line]) -> Markup:
    """Draw the lines over each other, each in its colour."""
    frame = Frame(chart.height, top=14.0 if chart.marks else 10.0)
    x, y = frame.across(0, max(chart.x_high, 1)), frame.upward(*chart.y)
    return svg(
        frame,
        chart.label,
        y_axis(frame, y, chart.show),
        x_axis(frame, x, chart.x_name),
        [_limit(frame, y, level) for level in chart.limits if y.low <= level <= y.high],
        [_rule(frame, x(at)) for at in chart.marks],
        [_line(each, x, y, stairs=chart.stairs) for each in lines],
        hover_columns(frame, x, _notes(chart, lines)),
        [_mark(frame, x(at), f"{chart.step} {at}: {what}") for at, what in chart.marks.items()],
        kind="lines",
    )


def points(
    values: Sequence[float], x: Scale, y: Scale, *, stairs: bool = False
) -> list[list[tuple[float, float]]]:
    """Pixels of the runs of finite values; with stairs each value holds until the next."""
    runs: list[list[tuple[float, float]]] = [[]]
    for index, value in enumerate(values):
        if not math.isfinite(value):
            runs.append([])
            continue
        if stairs and runs[-1]:
            runs[-1].append((x(index), runs[-1][-1][1]))
        runs[-1].append((x(index), y(value)))
    return [run for run in runs if run]


def _line(each: Line, x: Scale, y: Scale, *, stairs: bool) -> Markup:
    runs = points(each.values, x, y, stairs=stairs)
    shapes = [path(d=_path(run), class_="line") for run in runs if len(run) > 1]
    dots = [circle(cx=run[0][0], cy=run[0][1], r=2.5, class_="dot") for run in runs if len(run) < 2]
    end = [circle(cx=runs[-1][-1][0], cy=runs[-1][-1][1], r=2.5, class_="dot")] if runs else []
    return g(
        _band(each, x, y, stairs=stairs),
        shapes,
        dots,
        end,
        class_=f"series {series_class(each.colour)}",
        data_series=each.name,
    )


def _band(each: Line, x: Scale, y: Scale, *, stairs: bool) -> Markup | None:
    if each.band is None:
        return None
    lows, highs = (points(ends, x, y, stairs=stairs) for ends in each.band)
    if len(lows) != 1 or len(highs) != 1:
        return None
    return path(d=f"{_path([*highs[0], *reversed(lows[0])])}Z", class_="band")


def _path(run: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{number(x)},{number(y)}" for x, y in run)


def _limit(frame: Frame, y: Scale, level: float) -> Markup:
    right = frame.width - frame.right
    return line(x1=frame.left, x2=right, y1=y(level), y2=y(level), class_="limit")


def _rule(frame: Frame, x: float) -> Markup:
    return line(x1=x, x2=x, y1=frame.top, y2=frame.height - frame.bottom, class_="rule")


def _mark(frame: Frame, x: float, note: str) -> Markup:
    top = frame.top - 9
    shape = f"M{number(x - 4)},{number(top)}h8l-4,7z"
    return path(title(note), d=shape, class_="strike")


def _notes(chart: LineChart, lines: Sequence[Line]) -> list[tuple[float, str]]:
    length = max((len(each.values) for each in lines), default=0)
    stride = max(1, math.ceil(length / MOST_COLUMNS))
    notes = []
    for at in range(0, length, stride):
        told = [f"{chart.step} {at}"]
        told += [
            f"{each.name}: {chart.tell(each.values[at])}" for each in lines if at < len(each.values)
        ]
        told += [f"▼ {chart.marks[at]}"] if at in chart.marks else []
        notes.append((float(at), "\n".join(told)))
    return notes
