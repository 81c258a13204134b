"""How episodes went: survival curves, endings, returns.

A tournament has a section for each, with a panel per agent of the first role; a match has one
section with the three side by side.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from revops_ma.arena.statistics import share
from revops_ma.episode import FAILED
from revops_ma.report.charts.frame import series_class
from revops_ma.report.charts.lines import Line, LineChart, line_chart
from revops_ma.report.charts.ridges import Ridge, bin_edges, ridges
from revops_ma.report.charts.scale import ticks
from revops_ma.report.charts.stacks import Shares, shares
from revops_ma.report.collect import Findings, Pairing
from revops_ma.report.html import Markup
from revops_ma.report.parts import (
    Column,
    estimate_columns,
    folded_table,
    grid,
    legend,
    panel,
    section,
)
from revops_ma.report.units import PLAIN, SHARE, words

MOST_BANDS = 2
"""Survival curves of a panel up to which their intervals are shaded."""
QUANTILES = {
    "lowest": 0.0,
    "5%": 0.05,
    "25%": 0.25,
    "median": 0.5,
    "75%": 0.75,
    "95%": 0.95,
    "highest": 1.0,
}


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One way to look at outcomes."""

    anchor: str
    title: str
    lead: str
    legend: Markup | None
    charts: Sequence[tuple[str, Markup]]
    """(agent of the first role, chart)."""
    table: Markup

    def as_section(self) -> Markup:
        """Make a section with a panel per agent."""
        panels = [panel(name, chart) for name, chart in self.charts]
        return section(
            self.anchor, self.title, self.legend, grid(panels), self.table, lead=self.lead
        )

    def as_panel(self) -> Markup:
        """Make the one panel of a match."""
        ((_, chart),) = self.charts
        return panel(self.title, [chart, self.legend])


def outcome_sections(findings: Findings) -> dict[str, Markup]:
    """Make the sections by anchor; what a run cannot show is left out."""
    exhibits = _exhibits(findings)
    if findings.kind == "tournament":
        return {exhibit.anchor: exhibit.as_section() for exhibit in exhibits}
    if not exhibits:
        return {}
    panels = grid([exhibit.as_panel() for exhibit in exhibits])
    tables = [exhibit.table for exhibit in exhibits]
    return {"outcomes": section("outcomes", "Outcomes", panels, *tables)}


def _exhibits(findings: Findings) -> list[Exhibit]:
    """The exhibits that have something to show: one episode has no shares, equal ones no spread."""
    is_single = findings.kind == "match" and findings.total("planned") == 1
    spreads = any(len(set(p.result.returns.tolist())) > 1 for p in findings.pairings)
    made = [survival(findings)] if findings.world.lost_on_the_way and not is_single else []
    made += [] if is_single else [endings(findings)]
    return [*made, returns(findings)] if spreads else made


def groups(findings: Findings) -> list[tuple[str, list[Pairing]]]:
    """Matchups that share a panel, with its title: those of one agent of the first role."""
    return [(name, findings.of(0, name)) for name in findings.agents(0)]


def row_name(findings: Findings, pairing: Pairing) -> str:
    """Name a matchup inside its panel."""
    return pairing.name if findings.kind == "match" else pairing.players[1]


def survival(findings: Findings) -> Exhibit:
    """Show the share of episodes that are not lost yet, by step."""
    step = findings.world.step_name
    crises = findings.agents(1)
    charts = []
    for name, pairings in groups(findings):
        chart = LineChart(
            label=f"Share of episodes not lost by {step}: {name}",
            x_name=step,
            x_high=findings.horizon,
            y=(0.0, 1.0),
            show=SHARE.short,
            tell=SHARE.full,
            step=step,
            stairs=True,
        )
        lines = [
            _curve(findings, pairing, crises.index(pairing.players[1])) for pairing in pairings
        ]
        charts.append((name, line_chart(chart, lines)))
    named = [(name, series_class(index)) for index, name in enumerate(crises)]
    return Exhibit(
        "survival",
        "Survival" if findings.kind == "tournament" else "Episodes not lost yet",
        f"Share of completed episodes that are not lost yet, by {step}.",
        legend(named, "stroke") if len(named) > 1 else None,
        charts,
        _survival_table(findings),
    )


def _curve(findings: Findings, pairing: Pairing, colour: int) -> Line:
    name, total = row_name(findings, pairing), len(pairing.completed)
    if not total:
        return Line(name, [], colour)
    estimates = [share(int(alive), total) for alive in pairing.alive(findings.horizon)]
    band = None
    if len(findings.agents(1)) <= MOST_BANDS:
        band = [e.low or 0.0 for e in estimates], [e.high or 0.0 for e in estimates]
    return Line(name, [estimate.mean or 0.0 for estimate in estimates], colour, band)


def _survival_table(findings: Findings) -> Markup:
    step = findings.world.step_name
    at = [int(each) for each in ticks(0, findings.horizon, 6, whole=True) if each]
    columns = [
        Column("matchup"),
        *estimate_columns(*((f"{step} {each}", SHARE) for each in at)),
    ]
    rows = []
    for pairing in findings.pairings:
        alive, total = pairing.alive(findings.horizon), len(pairing.completed)
        rows.append([pairing.name, *(share(int(alive[each]), total) for each in at)])
    return folded_table(f"Share not lost by {step} with 95% intervals", columns, rows)


def endings(findings: Findings) -> Exhibit:
    """Show why episodes ended."""
    parts = ending_parts(findings)
    shown = [(part.name, part.colour) for part in parts]
    charts = []
    for name, pairings in groups(findings):
        rows = [
            Shares(row_name(findings, pairing), [part.count(pairing) for part in parts])
            for pairing in pairings
        ]
        charts.append((name, shares(f"Endings: {name}", shown, rows)))
    return Exhibit(
        "endings",
        "Endings",
        "Why episodes ended, as shares of all episodes that were played.",
        legend(shown),
        charts,
        _endings_table(findings, parts),
    )


@dataclass(frozen=True, slots=True)
class Part:
    """Episodes that ended alike."""

    name: str
    colour: str
    ending: str | None
    """None for those that failed."""
    won: bool

    def count(self, pairing: Pairing) -> int:
        """Count the episodes of a matchup that ended like this."""
        if self.ending is None:
            return pairing.result.failed
        return sum(e.ending == self.ending and e.won == self.won for e in pairing.completed)


def ending_parts(findings: Findings) -> list[Part]:
    """Won endings first, then the most frequent ones, failed episodes last.

    An ending that is sometimes a success and sometimes not is told twice.
    """
    counts = Counter((e.ending, e.won) for pairing in findings.pairings for e in pairing.completed)
    order = sorted(counts, key=lambda part: (not part[1], -counts[part], part[0]))
    lost = iter([series_class(index) for index in (1, 4, 3, 6, 7, 2, 5)] * len(order))
    good = iter([series_class(index) for index in (0, 2, 5)] * len(order))
    parts = []
    for ending, won in order:
        is_both = (ending, not won) in counts
        name = words(ending) + (", won" if won else ", not won") * is_both
        parts.append(Part(name, next(good if won else lost), ending, won))
    return [*parts, Part(FAILED, FAILED, None, won=False)] if findings.total("failed") else parts


def _endings_table(findings: Findings, parts: Sequence[Part]) -> Markup:
    columns = [Column("matchup")]
    for part in parts:
        columns += [Column(part.name), *estimate_columns((f"{part.name}, share", SHARE))]
    rows = []
    for pairing in findings.pairings:
        row: list[object] = [pairing.name]
        for part in parts:
            row += [part.count(pairing), share(part.count(pairing), len(pairing.episodes))]
        rows.append(row)
    return folded_table("Endings with 95% intervals", columns, rows)


def returns(findings: Findings) -> Exhibit:
    """Show how the returns of the first role spread."""
    role = findings.world.roles[0].name
    edges = bin_edges(np.concatenate([pairing.result.returns for pairing in findings.pairings]))
    charts = []
    for name, pairings in groups(findings):
        rows = [_ridge(findings, pairing) for pairing in pairings]
        chart = ridges(f"Returns: {name}", rows, edges, f"return of the {role}", PLAIN.full)
        charts.append((name, chart))
    return Exhibit(
        "returns",
        "Returns",
        f"Sum of the rewards of the {role} over an episode. Each row is scaled to its fullest bin.",
        legend([("won", series_class(0)), ("not won", series_class(1)), ("mean", "mean")]),
        charts,
        _returns_table(findings),
    )


def _ridge(findings: Findings, pairing: Pairing) -> Ridge:
    won = np.array([episode.won for episode in pairing.completed], np.bool_)
    values = pairing.result.returns
    return Ridge(row_name(findings, pairing), [values[won], values[~won]])


def _returns_table(findings: Findings) -> Markup:
    columns = [
        Column("matchup"),
        *estimate_columns(("mean", PLAIN)),
        *(Column(name) for name in QUANTILES),
    ]
    rows = []
    for pairing in findings.pairings:
        values = pairing.result.returns
        levels = list(QUANTILES.values())
        ends = np.quantile(values, levels).tolist() if len(values) else [None] * len(levels)
        rows.append([pairing.name, pairing.result.episode_return, *ends])
    return folded_table("Returns: mean with 95% interval and quantiles", columns, rows)
