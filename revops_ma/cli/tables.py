"""Results as text that reads well in 80 columns and in a log file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich import box
from rich.table import Table as RichTable
from rich.text import Text

from revops_ma.arena.costs import costs_in_words, fallback_rate
from revops_ma.arena.match import Match
from revops_ma.arena.nash import Equilibrium
from revops_ma.arena.results import Result
from revops_ma.arena.statistics import Estimate
from revops_ma.arena.tournament import Tournament

SMALL = 2.0
"""Figures below this are written with three decimals."""
MOST_WIDE = 3
"""Crisis engines up to which the payoff table has room for intervals."""
MOST_APART = 5
"""Crisis engines up to which its columns can stand apart in 80 columns."""


def table_of(title: str) -> RichTable:
    """An empty table in the one style of all commands."""
    return RichTable(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)


def plain(estimate: Estimate, form: str = ".3f") -> str:
    """A figure and its interval: `0.639 [0.627, 0.651]`."""
    if estimate.mean is None:
        return "no episode"
    if estimate.low is None:
        return f"{estimate.mean:{form}}"
    return f"{estimate.mean:{form}} [{estimate.low:{form}}, {estimate.high:{form}}]"


def match_table(match: Match, success: str) -> RichTable:
    """All figures of a match, a line each."""
    result = match.result
    table = table_of(title=f"{' vs '.join(match.players.values())} on {match.scenario}")
    table.add_column("figure")
    table.add_column("mean [95 % interval]", justify="right")
    table.add_row(success, plain(result.survival, ".1%"))
    table.add_row("reward per step", plain(result.reward_per_step))
    table.add_row("episode return", plain(result.episode_return, ".2f"))
    for name, fact in result.facts.items():
        table.add_row(name.replace("_", " "), plain(fact, ",.3f" if _is_small(fact) else ",.2f"))
    for ending, count in result.endings.items():
        table.add_row(f"ended {ending.replace('_', ' ')}", f"{count:,}")
    table.add_row("episodes", _counts(result))
    table.add_row("refused moves", f"{result.refused:,}")
    if result.fallbacks:
        table.add_row("turns moved by the rule instead", f"{result.fallbacks:,}")
    for role, tally in result.calls.items():
        table.add_row(f"model calls, {role}", costs_in_words(tally))
        rate = fallback_rate(tally.fallbacks, {role: tally})
        table.add_row(f"fallback rate, {role}", f"{rate:.1%}")
    return table


def _is_small(estimate: Estimate) -> bool:
    """Whether two decimals would hide differences."""
    return estimate.mean is not None and abs(estimate.mean) < SMALL


def _counts(result: Any) -> str:
    failed = f", {result.failed:,} failed" if result.failed else ""
    return f"{result.completed:,} of {result.planned:,}{failed}"


def payoff_table(
    tournament: Tournament, title: str, figure: Callable[[Result], Estimate], form: str
) -> RichTable:
    """One figure of every pairing, pilots down, crisis engines across; few have intervals."""
    has_room = len(tournament.crises) <= MOST_WIDE
    table = table_of(title=f"{title}{' [95 % interval]' if has_room else ''}")
    if len(tournament.crises) > MOST_APART:
        table.padding = (0, 0)
    table.add_column("pilot \\ crisis", no_wrap=True)
    for crisis in tournament.crises:
        heading = crisis.replace("-", "-\n").replace("/", "/\n")
        table.add_column(heading, justify="right", no_wrap=True)
    lowest = {pilot: tournament.best_response(pilot) for pilot in tournament.pilots}
    for pilot in tournament.pilots:
        cells = []
        for crisis in tournament.crises:
            found = figure(tournament.cells[pilot, crisis])
            text = "-" if found.mean is None else format(found.mean, form)
            is_lowest = crisis == lowest[pilot]
            cell = Text(f"*{text}" if is_lowest else text, style="bold" if is_lowest else "")
            cells.append(cell.append(_ends(found, form) if has_room else "", style="not bold dim"))
        table.add_row(pilot.replace("/", "/\n"), *cells)
    return table


def fact_table(tournament: Tournament, name: str) -> RichTable:
    """The mean of a final figure for every pairing."""
    cells = tournament.cells.values()
    form = ".3f" if all(_is_small(cell.facts[name]) for cell in cells) else ",.0f"
    return payoff_table(
        tournament, f"Mean {name.replace('_', ' ')}", lambda cell: cell.facts[name], form
    )


def _ends(estimate: Estimate, form: str) -> str:
    """The interval on a line of its own."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f"\n{estimate.low:{form}} to {estimate.high:{form}}"


def rating_table(tournament: Tournament, equilibrium: Equilibrium) -> RichTable:
    """Ratings with intervals, best first, and the shares of the Nash mixture."""
    sides = (tournament.pilots, tournament.crises)
    shares = {
        (side, name): share
        for side, mixture in enumerate((equilibrium.rows, equilibrium.columns))
        for name, share in zip(sides[side], mixture, strict=True)
    }
    table = table_of("Bradley-Terry ratings (Elo scale) and Nash mixture")
    table.add_column("agent")
    table.add_column("role")
    for column in ("rating", "95 % interval", "share"):
        table.add_column(column, justify="right")
    for (side, name), rating in sorted(tournament.ratings.items(), key=lambda r: -r[1].rating):
        interval = f"{rating.low:.0f} to {rating.high:.0f}"
        share = shares[side, name]
        shown = f"{share:.0%}" if share > 5e-4 else ""
        table.add_row(name, tournament.roles[side], f"{rating.rating:.0f}", interval, shown)
    return table
