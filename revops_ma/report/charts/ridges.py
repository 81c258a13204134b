"""Histograms above each other on one axis, cut by outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from revops_ma.report.charts.frame import (
    Frame,
    Show,
    fit,
    gutter,
    plain,
    series_class,
    svg,
    x_axis,
    y_axis,
)
from revops_ma.report.charts.scale import Scale, domain, ticks
from revops_ma.report.html import Markup, g, line, rect, text, title

BINS = 24
"""Bars that the whole axis has room for, about."""


@dataclass(frozen=True, slots=True)
class Ridge:
    """The values of one name, in groups that pile up on each other."""

    name: str
    groups: Sequence[NDArray[np.float64]]

    @property
    def values(self) -> NDArray[np.float64]:
        """All values."""
        return np.concatenate([np.asarray(group, np.float64) for group in self.groups])


def bin_edges(values: NDArray[np.float64], about: int = BINS) -> NDArray[np.float64]:
    """Round edges around all values; equal values fall into one bin in the middle."""
    low, high = domain(values.tolist() or [0.0], about)
    marks = ticks(low, high, about)
    return np.array(marks if len(marks) > 1 else [low, high], np.float64)


def ridges(
    label: str, rows: Sequence[Ridge], edges: NDArray[np.float64], x_name: str, tell: Show
) -> Markup:
    """Draw one histogram per row, each as high as its fullest bin, with its mean as a line."""
    single = len(rows) == 1
    tall = 126.0 if single else 30.0
    left = 42.0 if single else gutter([row.name for row in rows])
    frame = Frame(len(rows) * tall + 34, left=left, top=4.0, right=14.0)
    x = frame.across(float(edges[0]), float(edges[-1]))
    drawn = []
    for at, row in enumerate(rows):
        base = frame.top + tall * (at + 1)
        counts = np.array([_counted(group, edges) for group in row.groups])
        piled = counts.cumsum(axis=0)
        per_one = (tall - 5) / max(int(piled[-1].max()), 1)
        drawn += [
            None
            if single
            else text(fit(row.name, left - 6), x=left - 6, y=base - 3, class_="tick end"),
            y_axis(frame, Scale(0, (tall - 5) / per_one, base, base - tall + 5), plain)
            if single
            else line(x1=left, x2=frame.width - frame.right, y1=base, y2=base, class_="grid"),
            [
                rect(
                    x=x(edges[spot]) + 0.4,
                    y=base - piled[group, spot] * per_one,
                    width=max(x(edges[spot + 1]) - x(edges[spot]) - 0.8, 0.6),
                    height=counts[group, spot] * per_one,
                    class_=f"fill {series_class(group)}",
                )
                for group, spot in np.argwhere(counts > 0)
            ],
            [
                rect(
                    title(_note(row.name, edges[spot : spot + 2], counts[:, spot], tell)),
                    x=x(edges[spot]),
                    y=base - tall + 4,
                    width=x(edges[spot + 1]) - x(edges[spot]),
                    height=tall - 4,
                    class_="hit",
                )
                for spot in np.flatnonzero(piled[-1])
            ],
            _mean(row, x, base, tall),
        ]
    axis = x_axis(frame, x, x_name, whole=False)
    return svg(frame, label, axis, g(drawn), kind="ridges")


def _counted(group: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.int64]:
    """How many values each bin holds; one that misses an outer edge by a rounding error counts."""
    return np.histogram(np.clip(group, edges[0], edges[-1]), edges)[0]


def _note(name: str, ends: NDArray[np.float64], counts: NDArray[np.int64], tell: Show) -> str:
    split = f" ({counts[0]:,} won)" if len(counts) > 1 else ""
    return f"{name}\n{tell(ends[0])} to {tell(ends[1])}: {counts.sum():,}{split}"


def _mean(row: Ridge, x: Scale, base: float, tall: float) -> Markup | None:
    if not len(row.values):
        return None
    at = x(float(row.values.mean()))
    return line(x1=at, x2=at, y1=base - tall + 4, y2=base, class_="mean")
