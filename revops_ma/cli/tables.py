"""Results as text that reads well in 80 columns and in a log file."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.table import Table as RichTable

from revops_ma.arena.match import Match
from revops_ma.arena.statistics import Estimate
from revops_ma.arena.tournament import Tournament


def table_of(title: str) -> RichTable:
    """An empty table in the one style of all commands."""
    return RichTable(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)


def plain(estimate: Estimate, form: str = ".3f") -> str:
    """A figure and its interval: `0.639 [0.627, 0.651]`."""
    if estimate.mean is None:
        return "no episode"
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
        table.add_row(name.replace("_", " "), plain(fact, ",.2f"))
    for ending, count in result.endings.items():
        table.add_row(f"ended {ending.replace('_', ' ')}", f"{count:,}")
    table.add_row("episodes", _counts(result))
    table.add_row("refused moves", f"{result.refused:,}")
    if result.fallbacks:
        table.add_row("turns moved by the rule instead", f"{result.fallbacks:,}")
    return table


def _counts(result: Any) -> str:
    failed = f", {result.failed:,} failed" if result.failed else ""
    return f"{result.completed:,} of {result.planned:,}{failed}"


def payoff_table(tournament: Tournament, what: str, form: str) -> RichTable:
    """One figure of every pairing: pilots down, crisis engines across."""
    titles = {"survival": "Won episodes, %", "episode_return": "Mean return of the pilot"}
    table = table_of(title=titles[what])
    table.add_column("pilot \\ crisis", no_wrap=True)
    for crisis in tournament.crises:
        table.add_column(crisis.replace("-", "-\n"), justify="right")
    lowest = {pilot: tournament.best_response(pilot) for pilot in tournament.pilots}
    for pilot in tournament.pilots:
        cells = []
        for crisis in tournament.crises:
            value = getattr(tournament.cells[pilot, crisis], what).mean
            text = "-" if value is None else format(value, form)
            cells.append(f"[bold]{text}[/bold]" if crisis == lowest[pilot] else text)
        table.add_row(pilot, *cells)
    return table


def rating_table(document: dict[str, Any]) -> RichTable:
    """Ratings with intervals, best first, and the shares of the Nash mixture."""
    shares = {**document["nash"][_pilot_key(document)], **document["nash"]["crisis"]}
    table = table_of(title="Bradley-Terry ratings (Elo scale) and Nash mixture")
    table.add_column("agent")
    table.add_column("rating", justify="right")
    table.add_column("95 % interval", justify="right")
    table.add_column("share", justify="right")
    ordered = sorted(document["ratings"].items(), key=lambda item: -item[1]["rating"])
    for name, rating in ordered:
        share = shares.get(name.split(" (")[0], 0.0)
        interval = f"{rating['low']:.0f} to {rating['high']:.0f}"
        table.add_row(
            name, f"{rating['rating']:.0f}", interval, f"{share:.0%}" if share > 5e-4 else ""
        )
    return table


def _pilot_key(document: dict[str, Any]) -> str:
    return next(key for key in document["nash"] if key not in ("value", "crisis"))
