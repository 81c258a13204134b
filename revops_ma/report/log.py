"""The log of an episode whose moves get answers: what was done, what came of it, what it paid."""

from __future__ import annotations

from collections.abc import Sequence

from revops_ma.game import Entry, World
from revops_ma.report import html as h
from revops_ma.report.html import Markup
from revops_ma.report.trail import Move, Step, Trail
from revops_ma.report.units import PLAIN, Unit, figure_of, words

CUT = 240
"""Letters of a move or an answer that a line shows; the whole answer opens on a click."""


def log(world: World, trail: Trail) -> Markup:
    """List every answered move, with the final figures above; moves without an answer are left out.

    The first role's move carries what its step paid. Other roles' moves stand between the steps.
    """
    turns = [
        _turn(world, at, step, move, move.entry)
        for at, step in enumerate(trail.steps, start=1)
        for move in step.moves
        if move.entry is not None
    ]
    about = f"Log of seed {trail.episode.seed}"
    return h.div(_totals(world, trail), h.ol(turns, class_="log", aria_label=about))


def _totals(world: World, trail: Trail) -> Markup:
    """What the episode came to: `Score 0.98`, `Steps 4`."""
    facts = [(figure_of(world, name), value) for name, value in trail.episode.facts.items()]
    told = [f"{shown.title} {_figure(Unit(shown.unit), value)}" for shown, value in facts]
    role = world.roles[0].name
    return h.ul(
        (h.li(each) for each in (*told, f"Return {_pay(trail.episode.returns[role])}")),
        class_="facts",
    )


def _figure(unit: Unit, value: float) -> str:
    return f"{value:,.0f}" if value == int(value) and not unit.name else unit.full(value)


def _turn(world: World, at: int, step: Step, move: Move, entry: Entry) -> Markup:
    is_first = move.role == 0
    return h.li(
        h.span(str(at) if is_first else "\N{BLACK DOWN-POINTING TRIANGLE}", class_="at"),
        h.code(_cut(move.caption), class_="call"),
        h.span(words(entry.mark), class_="mark"),
        h.span(_pay(step.reward) if is_first else world.roles[move.role].name, class_="pay"),
        _answer(entry),
        _parts(world, step.signals) if is_first else None,
        class_=f"{entry.tone}{'' if is_first else ' other'}",
    )


def _answer(entry: Entry) -> Markup | None:
    """The answer in one line; it opens to the whole of it where there is more."""
    line = _cut(entry.answer)
    if not entry.full:
        return h.p(line, class_="answer") if line else None
    return h.details(h.summary(line or "answer"), h.pre(entry.full), class_="answer")


def _parts(world: World, signals: Sequence[float]) -> Markup | None:
    """What a reward is made of, where it is made of more than one part."""
    used = [
        f"{words(name)} {_pay(value)}"
        for name, value in zip(world.signals, signals, strict=True)
        if value
    ]
    return h.p(", ".join(used), class_="parts") if len(used) > 1 else None


def _pay(value: float) -> str:
    return PLAIN.full(value)


def _cut(line: str) -> str:
    return line if len(line) <= CUT else line[: CUT - 1] + "\N{HORIZONTAL ELLIPSIS}"
