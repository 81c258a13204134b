"""Sample episodes: state lines with strikes, reward signals, moves."""

from __future__ import annotations

from collections.abc import Sequence

from revops_ma.game import World
from revops_ma.report import html as h
from revops_ma.report.charts.frame import series_class
from revops_ma.report.charts.lines import Line, LineChart, line_chart
from revops_ma.report.charts.roll import Lane, Note, roll
from revops_ma.report.charts.scale import domain
from revops_ma.report.charts.stacks import Columns, columns
from revops_ma.report.collect import Findings
from revops_ma.report.html import Markup
from revops_ma.report.log import log
from revops_ma.report.moves import OTHER
from revops_ma.report.parts import (
    Column,
    folded,
    grid,
    legend,
    note,
    panel,
    section,
    table,
)
from revops_ma.report.trail import Move, Trail, samples
from revops_ma.report.units import PLAIN, Unit, count, figure_of, words

CAPTION = 160
"""Letters of a move that a table shows; longer ones are cut."""


def samples_section(findings: Findings) -> Markup | None:
    """Show a few replayed episodes; None where there are none."""
    trails = samples(findings)
    if not trails:
        return None
    name = trails[0].pairing.name
    lead = f"Episodes of {name}, picked by the return of the {findings.world.roles[0].name}."
    if findings.kind == "tournament":
        lead += " It is the best-rated agent against the opponent that leaves it the least."
    return section(
        "samples",
        "Sample episodes",
        [_sample(findings, trail, is_open=at == 0) for at, trail in enumerate(trails)],
        lead=lead,
    )


def _sample(findings: Findings, trail: Trail, *, is_open: bool) -> Markup:
    world, episode = findings.world, trail.episode
    returned = PLAIN.full(episode.returns[world.roles[0].name])
    title = (
        f"{trail.title}: seed {episode.seed}, {words(episode.ending)} after"
        f" {count(episode.steps, world.step_name)}, return {returned}"
    )
    if not trail.is_faithful:
        warning = note("This episode does not replay to its recorded digest, so it is not drawn.")
        return folded(title, warning, is_open=is_open)
    panels = [
        *_state_panels(findings, trail),
        _signal_panel(findings, trail),
        _roll_panel(findings, trail),
    ]
    told = log(world, trail) if trail.is_told else _strikes(world, trail)
    brief = h.blockquote(trail.brief) if trail.brief else None
    return folded(title, brief, told, grid(panels), _steps_table(world, trail), is_open=is_open)


def _strikes(world: World, trail: Trail) -> Markup | None:
    strikes = trail.strikes()
    if not strikes:
        return None
    told = (
        h.li(h.span(f"{world.step_name} {at}", class_="at"), " ", _cut(what))
        for at, what in strikes.items()
    )
    return h.ol(told, class_="strikes", aria_label="Strikes")


def _state_panels(findings: Findings, trail: Trail) -> list[Markup]:
    """One panel a figure; where a log tells the story, figures that never move are left out."""
    world, made = findings.world, []
    for name in trail.start:
        shown = figure_of(world, name)
        unit, values = Unit(shown.unit), trail.values(name)
        if trail.is_told and len(set(values)) == 1:
            continue
        limits = [limit for limit in shown.limits if _is_near(limit, values)]
        chart = LineChart(
            label=f"{shown.title} by {world.step_name}",
            x_name=world.step_name,
            x_high=findings.horizon,
            y=domain([*values, *limits]),
            show=unit.short,
            tell=unit.full,
            step=world.step_name,
            limits=limits,
            marks=_cut_all(trail.strikes()),
            height=140.0,
        )
        about = ", ".join(
            [
                *([shown.unit] if shown.unit.isalpha() else []),
                *(f"lost at {unit.short(limit)}" for limit in limits),
            ]
        )
        made.append(panel(shown.title, line_chart(chart, [Line(shown.title, values)]), about))
    return made


def _is_near(limit: float, values: Sequence[float]) -> bool:
    """Whether a limit can be drawn without flattening the line."""
    low, high = min(values), max(values)
    return low - (high - low) <= limit <= high + (high - low)


def _signal_panel(findings: Findings, trail: Trail) -> Markup:
    world = findings.world
    used = [at for at in range(len(world.signals)) if any(step.signals[at] for step in trail.steps)]
    names = [words(world.signals[at]) for at in used]
    chart = Columns(
        label=f"Reward by {world.step_name}",
        names=names,
        rows=[[step.signals[at] for at in used] for step in trail.steps],
        x_name=world.step_name,
        x_high=findings.horizon,
        tell=PLAIN.full,
        step=world.step_name,
        marks=_cut_all(trail.strikes()),
        height=150.0,
    )
    colours = legend([(name, series_class(at)) for at, name in enumerate(names)])
    return panel(
        f"Reward by {world.step_name}", [columns(chart), colours], "line: sum of the parts"
    )


def _roll_panel(findings: Findings, trail: Trail) -> Markup:
    world = findings.world
    lanes = [
        lane for index in range(len(world.roles)) if (lane := _lane(world, index, trail)).notes
    ]
    chart = roll(
        f"Moves by {world.step_name}", lanes, world.step_name, findings.horizon, world.step_name
    )
    return panel("Moves", chart, "larger: stronger")


def _lane(world: World, index: int, trail: Trail) -> Lane:
    role = world.roles[index]
    made = [(at, m) for at, s in enumerate(trail.steps, 1) for m in s.moves if m.role == index]
    kinds = sorted({move.kind for _, move in made}, key=lambda kind: (kind < 0, kind))
    rows = [
        _row(role.kinds(), kind, [move for _, move in made if move.kind == kind]) for kind in kinds
    ]
    notes = [Note(at, kinds.index(m.kind), m.strength, _cut(m.caption)) for at, m in made]
    return Lane(role.name, rows, notes)


def _row(kinds: Sequence[str], kind: int, moves: Sequence[Move]) -> str:
    if kind >= 0:
        return kinds[kind]
    captions = {move.caption for move in moves}
    return _cut(captions.pop()) if len(captions) == 1 else OTHER


def _steps_table(world: World, trail: Trail) -> Markup:
    figures = [(name, figure_of(world, name)) for name in trail.start]
    columns_ = [
        Column(world.step_name),
        *(Column(role.name) for role in world.roles),
        Column("reward"),
        *(Column(words(name)) for name in world.signals),
        *(Column(shown.title, Unit(shown.unit)) for _, shown in figures),
    ]
    rows = []
    for at, step in enumerate(trail.steps, start=1):
        told = [
            "; ".join(_cut(move.caption) for move in step.moves if move.role == index)
            for index in range(len(world.roles))
        ]
        state = [step.figures[name] for name, _ in figures]
        rows.append([str(at), *told, step.reward, *step.signals, *state])
    title = f"Every {world.step_name} of seed {trail.episode.seed}"
    return folded(f"Table: every {world.step_name}", table(title, columns_, rows))


def _cut(caption: str) -> str:
    return caption if len(caption) <= CAPTION else caption[: CAPTION - 1] + "…"


def _cut_all(captions: dict[int, str]) -> dict[int, str]:
    return {at: _cut(caption) for at, caption in captions.items()}
