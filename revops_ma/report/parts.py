"""Pieces that sections are put together from: panels, legends, tables, notes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from revops_ma.arena.statistics import Estimate
from revops_ma.report import html as h
from revops_ma.report.html import Markup
from revops_ma.report.units import MISSING, PLAIN, Unit

SHORT = 32
"""Letters of a text that a table keeps in one line."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table; an estimate takes three: mean, low, high."""

    title: str
    unit: Unit = PLAIN
    is_estimate: bool = False


def section(anchor: str, title: str, *children: object, lead: str = "") -> Markup:
    """Make a part of the page with its heading and one sentence about it."""
    about = h.p(lead, class_="lead") if lead else None
    return h.section(
        h.h2(title, id=f"{anchor}-title"),
        about,
        *children,
        id=anchor,
        aria_labelledby=f"{anchor}-title",
    )


def panel(title: object, chart: object, about: object = "") -> Markup:
    """Make a chart with its title above it."""
    under = h.span(about, class_="about") if about else None
    return h.figure(h.figcaption(h.strong(title), under), chart, class_="panel")


def grid(panels: Sequence[Markup], kind: str = "grid") -> Markup:
    """Set panels side by side as the width allows."""
    return h.div(panels, class_=kind)


def legend(entries: Sequence[tuple[str, str]], shape: str = "square") -> Markup:
    """Name the colours: (name, colour class)."""
    return h.ul(
        (
            h.li(h.span(class_=f"swatch {shape} {colour}"), name, data_name=name)
            for name, colour in entries
        ),
        class_="legend",
    )


def note(*children: object) -> Markup:
    """Make a warning that should not be overlooked."""
    return h.p(*children, class_="note", role="note")


def folded(title: str, *children: object, is_open: bool = False) -> Markup:
    """Make a part that opens on a click, without scripts."""
    return h.details(h.summary(title), *children, open=is_open)


def table(title: str, columns: Sequence[Column], rows: Sequence[Sequence[object]]) -> Markup:
    """Make a table that scrolls sideways and copies cleanly; the first column names the row."""
    two_lines = any(column.is_estimate for column in columns)
    head = [h.tr(_head(column, rows, at, two_lines) for at, column in enumerate(columns))]
    if two_lines:
        ends = [end for column in columns if column.is_estimate for end in ("mean", "low", "high")]
        head.append(h.tr(h.th(end, scope="col", class_="number") for end in ends))
    body = [
        h.tr(
            _cells(column, value, at)
            for at, (column, value) in enumerate(zip(columns, row, strict=True))
        )
        for row in rows
    ]
    whole = h.table_(h.caption(title), h.thead(head), h.tbody(body))
    return h.div(whole, class_="scroll", tabindex="0", role="region", aria_label=title)


def folded_table(title: str, columns: Sequence[Column], rows: Sequence[Sequence[object]]) -> Markup:
    """Make a table that is shown on a click."""
    return folded(f"Table: {title[:1].lower()}{title[1:]}", table(title, columns, rows))


def estimate_columns(*named: tuple[str, Unit]) -> list[Column]:
    """Make one column with interval per (title, unit)."""
    return [Column(title, unit, is_estimate=True) for title, unit in named]


def _head(column: Column, rows: Sequence[Sequence[object]], at: int, two_lines: object) -> Markup:
    if column.is_estimate:
        return h.th(column.title, scope="colgroup", colspan=3, class_="group")
    is_number = all(row[at] is None or isinstance(row[at], int | float) for row in rows)
    kind = "number" if is_number and rows else None
    return h.th(column.title, scope="col", rowspan=2 if two_lines else None, class_=kind)


def _cells(column: Column, value: object, at: int) -> Markup:
    if isinstance(value, Estimate):
        ends = (value.mean, value.low, value.high)
        return h.join(_number(end, column.unit.exact) for end in ends)
    if isinstance(value, int | float):
        return _number(value, column.unit.exact)
    if value is None:
        return h.td(MISSING, class_="number")
    if at == 0:
        return h.th(value, scope="row")
    return h.td(value, class_="short" if len(str(value)) <= SHORT else None)


def _number(value: float | None, show: Callable[[float | None], str]) -> Markup:
    if value is None:
        return h.td(MISSING, class_="number")
    shown = (
        f"{value:,}" if isinstance(value, int) else h.data(show(value), value=repr(float(value)))
    )
    return h.td(shown, class_="number")
