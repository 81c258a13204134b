"""Regret of the sample episodes: what the best other move of every step had gained."""

from __future__ import annotations

from collections.abc import Sequence

from revops_ma.arena.recast import recast
from revops_ma.arena.regret import Regret, TooCostly, regret
from revops_ma.errors import BadInput
from revops_ma.report import html as h
from revops_ma.report.charts.stacks import Columns, columns
from revops_ma.report.collect import Findings
from revops_ma.report.html import Markup
from revops_ma.report.parts import Column, folded_table, grid, panel, section
from revops_ma.report.samples import CAPTION
from revops_ma.report.trail import Trail, samples
from revops_ma.report.units import PLAIN, count


def regret_section(findings: Findings) -> Markup | None:
    """Show the regret of each sample episode; a sentence where it cannot be worked out."""
    trails = [trail for trail in samples(findings) if trail.is_faithful]
    if not trails:
        return None
    step, name = findings.world.step_name, findings.world.roles[0].name
    try:
        found = [(trail, _regret_of(findings, trail)) for trail in trails]
    except (BadInput, TooCostly) as why:
        return section("regret", "Regret", h.p(f"Left out: {why}."))
    return section(
        "regret",
        "Regret",
        grid([_panel(findings, trail, each) for trail, each in found]),
        [_table(findings, trail, each) for trail, each in found],
        lead=f"How much more the {name} of each sample episode had earned in all if only that"
        f" {step} had been different: the best of {found[0][1].alternatives} moves, under the same"
        " luck, with the same players after it.",
    )


def _regret_of(findings: Findings, trail: Trail) -> Regret:
    place = findings.pairings.index(trail.pairing) * findings.run.config["episodes"]
    return regret(recast(findings.run, place), trail.episode, limited=True)


def _panel(findings: Findings, trail: Trail, found: Regret) -> Markup:
    step = findings.world.step_name
    marks = {
        d.step: f"{_cut(d.best)} instead of {_cut(d.played)}" for d in found.decisions if d.gain
    }
    chart = Columns(
        label=f"Regret by {step}, seed {found.seed}",
        names=["gain"],
        rows=_by_step(found),
        x_name=step,
        x_high=findings.horizon,
        tell=PLAIN.full,
        step=step,
        marks=marks,
        height=140.0,
    )
    worst = max(found.decisions, key=lambda d: d.gain)
    about = f"most in {step} {worst.step}: {marks[worst.step]}" if worst.gain else "nothing to gain"
    return panel(f"{trail.title}: seed {found.seed}", columns(chart), about)


def _by_step(found: Regret) -> Sequence[Sequence[float]]:
    """The largest gain of each step: one may have several decisions."""
    last = max(decision.step for decision in found.decisions)
    rows = [[0.0] for _ in range(last)]
    for decision in found.decisions:
        rows[decision.step - 1] = [max(rows[decision.step - 1][0], decision.gain)]
    return rows


def _cut(caption: str) -> str:
    return caption if len(caption) <= CAPTION else caption[: CAPTION - 1] + "…"


def _table(findings: Findings, trail: Trail, found: Regret) -> Markup:
    step = findings.world.step_name
    heads = [Column(step), Column("played"), Column("best alternative"), Column("gain")]
    rows = [
        [str(d.step), _cut(d.played), _cut(d.best) if d.gain else "none better", d.gain]
        for d in found.decisions
    ]
    title = f"Regret of seed {found.seed}, {count(trail.episode.steps, step)}"
    return folded_table(title, heads, rows)
