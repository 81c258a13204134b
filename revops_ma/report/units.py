"""How numbers are written: exactly in tables, shortly on axes, by the unit of their figure."""

from __future__ import annotations

import math
from dataclasses import dataclass

from revops_ma.arena.statistics import Estimate
from revops_ma.game import Figure, World

MISSING = "\N{EN DASH}"
"""What stands for a number that does not exist: the mean of no episodes."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of a figure: `$` stands before the number, `%` turns shares into percent."""

    name: str = ""

    def exact(self, value: float | None) -> str:
        """Write a number for a table: `63.9%`, `$235,619`, `12.3`."""
        if value is None or not math.isfinite(value):
            return MISSING
        if self.name == "%":
            return f"{value:.1%}"
        sign = "-" if value < 0 else ""
        dollars = "$" if self.name == "$" else ""
        return f"{sign}{dollars}{_digits(abs(value))}".replace("-0.00", "0.00")

    def full(self, value: float | None) -> str:
        """Write a number for a sentence: with a true minus and the unit's word."""
        word = "" if self.name in ("", "$", "%") or value is None else f" {self.name}"
        return minus(self.exact(value)) + word

    def short(self, value: float) -> str:
        """Write a tick of an axis: `64%`, `$236k`, `0.5`."""
        if self.name == "%":
            return minus(f"{100 * value:.6g}%")
        sign = "-" if value < 0 else ""
        return minus(f"{sign}{'$' if self.name == '$' else ''}{_compact(abs(value))}")

    def interval(self, estimate: Estimate) -> str:
        """Write a figure with its interval: `63.9% [62.7%, 65.1%]`, where it has one."""
        if estimate.mean is None:
            return "no episode"
        if estimate.low is None:
            return minus(self.exact(estimate.mean))
        low, high = self.exact(estimate.low), self.exact(estimate.high)
        return minus(f"{self.exact(estimate.mean)} [{low}, {high}]")


PLAIN, SHARE = Unit(), Unit("%")


def figure_of(world: World, name: str) -> Figure:
    """Find how a figure is shown; a name without an entry becomes its own title."""
    return world.figures.get(name) or Figure(heading_of(name))


def words(name: str) -> str:
    """Write an identifier as words: `final_mrr` -> `final mrr`."""
    return name.replace("_", " ")


def heading_of(name: str) -> str:
    """Write words as a heading, with a capital first: `final_mrr` -> `Final mrr`."""
    spaced = words(name)
    return spaced[:1].upper() + spaced[1:]


def minus(text: str) -> str:
    """Put true minus signs for hyphens."""
    return text.replace("-", "\N{MINUS SIGN}")


def count(number: int, noun: str) -> str:
    """Write `1 episode`, `2,000 episodes`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _digits(value: float) -> str:
    if value >= 1_000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 100 else f"{value:.2f}"


def _compact(value: float) -> str:
    for size, suffix in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.4g}{suffix}"
    return f"{value:.4g}"
