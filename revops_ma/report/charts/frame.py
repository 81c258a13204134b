"""What all charts share: the drawing area, axes, hover columns, labels that fit.

Charts are drawn for a panel about as wide as a phone and stand side by side on a wide page, so that
their letters have the same size everywhere. Colours are classes: `s1` to `s8` set a series' colour,
the style sheet knows both themes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from revops_ma.report.charts.scale import Scale, ticks
from revops_ma.report.html import Markup, element, g, join, line, rect, text, title

WIDTH = 340.0
"""Pixels of a panel's drawing; pages scale it a little."""
LARGE = 1.15
"""How much larger a drawing is shown where there is room."""
LETTER, CAPITAL = 6.2, 7.6
"""Mean width of a letter and of a capital of an axis label, in a wide system font."""
COLOURS = 8
"""Series colours of the style sheet; more series start over, dashed."""

Show = Callable[[float], str]


@dataclass(frozen=True, slots=True)
class Frame:
    """A drawing with room for axes around the plot."""

    height: float
    left: float = 42.0
    right: float = 10.0
    top: float = 10.0
    bottom: float = 30.0
    width: float = WIDTH

    def across(self, low: float, high: float) -> Scale:
        """Scale from left to right."""
        return Scale(low, high, self.left, self.width - self.right)

    def upward(self, low: float, high: float) -> Scale:
        """Scale from bottom to top."""
        return Scale(low, high, self.height - self.bottom, self.top)


def plain(value: float) -> str:
    """Write a tick: no more digits than it needs, a true minus."""
    return f"{value:,.10g}".replace("-", "\N{MINUS SIGN}")


def svg(frame: Frame, label: str, *children: object, kind: str) -> Markup:
    """Wrap a drawing: an image with a name for assistive technology; its table has the numbers."""
    return element(
        "svg",
        *children,
        viewBox=f"0 0 {frame.width:.0f} {frame.height:.0f}",
        width=round(frame.width * LARGE),
        height=round(frame.height * LARGE),
        class_=f"chart {kind}",
        role="img",
        aria_label=label,
    )


def y_axis(frame: Frame, scale: Scale, show: Show, about: int = 4) -> Markup:
    """Horizontal grid lines with their values."""
    right = frame.width - frame.right
    parts = []
    for value in ticks(scale.low, scale.high, about):
        y = scale(value)
        kind = "zero" if value == 0 else "grid"
        parts.append(line(x1=frame.left, x2=right, y1=y, y2=y, class_=kind))
        parts.append(text(show(value), x=frame.left - 6, y=y + 3.5, class_="tick end"))
    return g(parts)


def x_axis(
    frame: Frame, scale: Scale, name: str = "", show: Show | None = None, *, whole: bool = True
) -> Markup:
    """Values below the plot, its name at the right end."""
    bottom = frame.height - frame.bottom
    parts = [line(x1=frame.left, x2=frame.width - frame.right, y1=bottom, y2=bottom, class_="axis")]
    for value in ticks(scale.low, scale.high, 6, whole=whole):
        x = scale(value)
        parts.append(line(x1=x, x2=x, y1=bottom, y2=bottom + 4, class_="axis"))
        parts.append(text((show or plain)(value), x=x, y=bottom + 14, class_="tick middle"))
    if name:
        right = frame.width - frame.right
        parts.append(text(name, x=right, y=bottom + 26, class_="tick end name"))
    return g(parts)


def hover_columns(frame: Frame, scale: Scale, notes: Sequence[tuple[float, str]]) -> Markup:
    """Invisible columns over the plot; the one under the pointer lights up and tells its note."""
    if not notes:
        return Markup("")
    edges = _edges([scale(x) for x, _ in notes], frame.left, frame.width - frame.right)
    height = frame.height - frame.bottom - frame.top
    return join(
        rect(title(note), x=low, y=frame.top, width=high - low, height=height, class_="hit")
        for (_, note), low, high in zip(notes, edges, edges[1:], strict=False)
    )


def width_of(name: str) -> float:
    """Pixels that a label needs, about: letters differ from font to font."""
    capitals = sum(letter.isupper() or letter == "_" for letter in name)
    return LETTER * (len(name) - capitals) + CAPITAL * capitals


def fit(name: str, width: float) -> str:
    """Cut a label to a width in pixels."""
    if width_of(name) <= width:
        return name
    kept = name
    while len(kept) > 1 and width_of(kept) > width - LETTER:
        kept = kept[:-1]
    return f"{kept}…"


def gutter(names: Sequence[str], most: float = 128.0) -> float:
    """Pixels that the labels at the left need, with some room to the plot."""
    return min(most, max(map(width_of, names), default=0.0) + 8)


def series_class(index: int) -> str:
    """Colour class of a series; dashed from the ninth on."""
    return f"s{index % COLOURS + 1}" + (" again" if index >= COLOURS else "")


def _edges(centres: Sequence[float], left: float, right: float) -> list[float]:
    """Borders half way between neighbours, the outer ones as far away again, inside the plot."""
    between = [(a + b) / 2 for a, b in pairwise(centres)]
    if not between:
        return [left, right]
    first, last = 2 * centres[0] - between[0], 2 * centres[-1] - between[-1]
    return [max(left, first), *between, min(right, last)]
