"""A piano roll: who played which kind of move at which step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from revops_ma.report.charts.frame import Frame, fit, gutter, series_class, svg, x_axis
from revops_ma.report.charts.scale import Scale
from revops_ma.report.html import Markup, circle, g, line, number, path, text, title

ROW, HEAD, GAP = 14.0, 15.0, 5.0
"""Pixels of a row, of a lane's head, between lanes."""
SMALLEST, LARGEST = 1.7, 4.2
"""Radius of the weakest and of the strongest move."""


@dataclass(frozen=True, slots=True)
class Note:
    """One move: at which step, in which row of its lane, how strong, and its name in full."""

    step: int
    row: int
    strength: float
    caption: str


@dataclass(frozen=True, slots=True)
class Lane:
    """The moves of one seat."""

    name: str
    rows: Sequence[str]
    notes: Sequence[Note]


def roll(label: str, lanes: Sequence[Lane], x_name: str, x_high: float, step: str) -> Markup:
    """Draw lane above lane: dots for the first seat, diamonds for the others."""
    left = gutter([row for lane in lanes for row in lane.rows], 132.0)
    height = sum(HEAD + len(lane.rows) * ROW + GAP for lane in lanes) + 32
    frame = Frame(height, left=left, top=0.0)
    x = frame.across(0, max(x_high, 1))
    drawn, top = [], 0.0
    for seat, lane in enumerate(lanes):
        drawn.append(_lane(seat, lane, frame, x, (top, step)))
        top += HEAD + len(lane.rows) * ROW + GAP
    return svg(frame, label, x_axis(frame, x, x_name), drawn, kind="roll")


def radius(strength: float, strongest: float) -> float:
    """Area grows with strength."""
    if strongest <= 0 or strength <= 0:
        return SMALLEST
    return SMALLEST + (LARGEST - SMALLEST) * min(strength / strongest, 1.0) ** 0.5


def _lane(seat: int, lane: Lane, frame: Frame, x: Scale, at: tuple[float, str]) -> Markup:
    top, step = at
    left = frame.left
    parts: list[object] = [text(lane.name, x=left - 6, y=top + 11, class_="tick end name")]
    for row, name in enumerate(lane.rows):
        y = top + HEAD + ROW * (row + 0.5)
        parts.append(line(x1=left, x2=frame.width - frame.right, y1=y, y2=y, class_="grid"))
        parts.append(text(fit(name, left - 6), x=left - 6, y=y + 3.5, class_="tick end"))
    strongest = max((note.strength for note in lane.notes), default=0.0)
    for note in lane.notes:
        y = top + HEAD + ROW * (note.row + 0.5)
        told = title(f"{step} {note.step}: {note.caption}")
        r = radius(note.strength, strongest)
        parts.append(_shape(seat, told, (x(note.step), y), r))
    return g(parts, class_=series_class(seat))


def _shape(seat: int, told: Markup, at: tuple[float, float], r: float) -> Markup:
    x, y = at
    if seat == 0:
        return circle(told, cx=x, cy=y, r=r, class_="dot")
    d = r * 1.25
    shape = f"M{number(x)},{number(y - d)}l{number(d)},{number(d)}l{number(-d)},{number(d)}"
    return path(told, d=f"{shape}l{number(-d)},{number(-d)}z", class_="dot")
