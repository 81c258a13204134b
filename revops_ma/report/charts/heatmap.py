"""A heat map: one coloured cell with its number per pair of names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from revops_ma.report.charts.frame import LETTER, Frame, fit, gutter, svg
from revops_ma.report.html import Markup, g, rect, text, title

WIDE, TALL = 56.0, 30.0
"""Pixels of a cell."""
FEW = 6
"""Columns up to which a heat map shrinks to a narrow page; one with more scrolls."""
LEVELS = 10
"""Shades of the style sheet on either side of zero: `p0` to `p10`, `n1` to `n10`."""
_LINE = 12.0
_MOST_LINES = 4


@dataclass(frozen=True, slots=True)
class Cell:
    """What a cell shows; `value` None where there is no figure."""

    value: float | None
    shown: str
    note: str
    is_marked: bool = False


def shade(value: float | None, bound: float) -> str:
    """Class of a value's colour on a scale from -bound over 0 to bound."""
    if value is None:
        return "none"
    level = round(min(abs(value) / bound, 1.0) * LEVELS) if bound > 0 else 0
    return f"{'n' if value < 0 and level else 'p'}{level}"


def heatmap(
    label: str,
    names: tuple[Sequence[str], Sequence[str]],
    cells: Mapping[tuple[str, str], Cell],
    bound: float,
) -> Markup:
    """Draw the cells: `names` are those of the rows and of the columns."""
    rows, columns = names
    heads = [wrap(name, int(WIDE / LETTER)) for name in columns]
    top = max(len(lines) for lines in heads) * _LINE + 6
    left = gutter(rows, 130.0)
    wide, tall = left + len(columns) * WIDE + 2, top + len(rows) * TALL + 2
    frame = Frame(tall, width=wide)
    return svg(
        frame,
        label,
        [_head(lines, left + WIDE * (at + 0.5), top) for at, lines in enumerate(heads)],
        [
            text(fit(row, left - 6), x=left - 8, y=top + TALL * (at + 0.5) + 4, class_="tick end")
            for at, row in enumerate(rows)
        ],
        [
            _cell(cells[row, column], (left + WIDE * across, top + TALL * down), bound)
            for down, row in enumerate(rows)
            for across, column in enumerate(columns)
        ],
        kind="heatmap" if len(columns) <= FEW else "heatmap many",
    )


def wrap(name: str, room: int) -> list[str]:
    """Break a name behind its hyphens and underscores into lines of about `room` letters."""
    lines = [""]
    for part in name.replace("_", "_\n").replace("-", "-\n").split("\n"):
        if lines[-1] and len(lines[-1] + part) > room:
            lines.append("")
        lines[-1] += part
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], "…"]
    return [fit(each, WIDE + 4) for each in lines]


def _head(lines: Sequence[str], x: float, top: float) -> list[Markup]:
    first = top - 8 - _LINE * (len(lines) - 1)
    return [
        text(each, x=x, y=first + _LINE * at, class_="tick middle") for at, each in enumerate(lines)
    ]


def _cell(cell: Cell, place: tuple[float, float], bound: float) -> Markup:
    x, y = place
    kind = f"cell {shade(cell.value, bound)}{' marked' if cell.is_marked else ''}"
    box = {"x": x + 1, "y": y + 1, "width": WIDE - 2, "height": TALL - 2}
    number = text(cell.shown, x=x + WIDE / 2, y=y + TALL / 2 + 4, class_="middle")
    return g(title(cell.note), rect(rx=2, **box), number, class_=kind)
