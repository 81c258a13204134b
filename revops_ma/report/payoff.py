"""The tournament's own part: payoff, ratings, the mixtures of the matrix game, best responses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from revops_ma.arena import nash
from revops_ma.arena.ratings import Rating
from revops_ma.arena.results import Result
from revops_ma.arena.statistics import Estimate
from revops_ma.report import html as h
from revops_ma.report.charts.bars import Bar, Point, bars, intervals
from revops_ma.report.charts.heatmap import Cell, heatmap
from revops_ma.report.charts.scale import domain
from revops_ma.report.collect import Findings
from revops_ma.report.headline import tile
from revops_ma.report.html import Markup
from revops_ma.report.parts import (
    Column,
    estimate_columns,
    folded_table,
    grid,
    note,
    panel,
    section,
    table,
)
from revops_ma.report.units import MISSING, PLAIN, SHARE, Unit, heading_of, minus

Ratings = Mapping[tuple[int, str], Rating]


def tiles(findings: Findings) -> list[Markup]:
    """Name the strongest of each side and the value of the game."""
    ratings = findings.ratings
    made = []
    for index, role in enumerate(findings.world.roles):
        name = best_rated(ratings, index)
        rating = ratings[index, name]
        interval = f"rating {rating.rating:.0f}, {rating.low:.0f} to {rating.high:.0f}"
        made.append(tile(f"Strongest {role.name}", name, interval))
    game = findings.equilibrium
    if game is not None:
        about = "return of the Nash mixtures against each other"
        made.append(tile("Value of the game", PLAIN.full(game.value), about))
    return made


def best_rated(ratings: Ratings, side: int) -> str:
    """Name of the best-rated agent of a side; equal ratings go by name."""
    names = [name for seat, name in ratings if seat == side]
    return min(names, key=lambda name: (-ratings[side, name].rating, name))


def payoff_section(findings: Findings) -> Markup:
    """Show the heat map, switchable between success and return, and the best responses."""
    success = heading_of(findings.world.success)
    maps = [
        ("success", success, "survival", SHARE, "{:.0%}".format),
        ("return", "Return", "episode_return", PLAIN, "{:.1f}".format),
    ]
    first, second = (role.name for role in findings.world.roles)
    switch = [
        [
            h.input_(
                type="radio",
                name="payoff",
                id=f"show-{key}",
                class_=f"switch show-{key}",
                checked=key == "success",
            ),
            h.label(name, for_=f"show-{key}"),
        ]
        for key, name, *_ in maps
    ]
    drawn = [
        h.div(_map(findings, what, unit, (name, form)), class_=f"switched for-{key}")
        for key, name, what, unit, form in maps
    ]
    heat = h.figure(
        h.figcaption(h.strong(f"What each {first} gets against each {second}")),
        switch,
        h.div(drawn, class_="scroll"),
        class_="panel wide",
    )
    return section(
        "payoff",
        "Payoff",
        h.div(heat, _responses(findings), class_="duo"),
        *_payoff_tables(findings),
        lead=f"Outlined: the {second} that leaves the {first} the lowest mean return.",
    )


def _map(
    findings: Findings, what: str, unit: Unit, shown: tuple[str, Callable[[float], str]]
) -> Markup:
    name, form = shown
    cup = findings.tournament
    means = {pair: getattr(cell, what).mean for pair, cell in cup.cells.items()}
    worst = responses(findings)
    cells = {
        pair: Cell(
            value=means[pair],
            shown=MISSING if means[pair] is None else minus(form(means[pair])),
            note=_cell_note(pair, cell, findings),
            is_marked=worst.get(pair[0]) == pair[1],
        )
        for pair, cell in cup.cells.items()
    }
    bound = (
        1.0
        if unit is SHARE
        else max((abs(m) for m in means.values() if m is not None), default=1.0)
    )
    return heatmap(f"{name} of each matchup", (cup.pilots, cup.crises), cells, bound)


def _cell_note(pair: tuple[str, str], cell: Result, findings: Findings) -> str:
    return "\n".join(
        [
            " vs ".join(pair),
            f"{findings.world.success}: {SHARE.interval(cell.survival)}",
            f"return: {PLAIN.interval(cell.episode_return)}",
            f"{cell.completed:,} episodes",
        ]
    )


def responses(findings: Findings) -> dict[str, str]:
    """Opponent that leaves each agent of the first role the lowest mean return."""
    found = {}
    for name in findings.agents(0):
        played = [pairing for pairing in findings.of(0, name) if pairing.completed]
        if played:
            worst = min(played, key=lambda pairing: pairing.result.episode_return.mean or 0.0)
            found[name] = worst.players[1]
    return found


def _responses(findings: Findings) -> Markup:
    first, second = (role.name for role in findings.world.roles)
    columns = [
        Column(first),
        Column(f"best response of the {second}"),
        Column(findings.world.success),
        Column("return"),
    ]
    cells = findings.tournament.cells
    rows = [
        [
            name,
            worst,
            SHARE.interval(cells[name, worst].survival),
            PLAIN.interval(cells[name, worst].episode_return),
        ]
        for name, worst in responses(findings).items()
    ]
    return table("Best responses", columns, rows)


def _payoff_tables(findings: Findings) -> list[Markup]:
    cup, success = findings.tournament, findings.world.success
    first, _ = (role.name for role in findings.world.roles)
    made = []
    for title, what, unit in (
        (f"{heading_of(success)} by matchup", "survival", SHARE),
        ("Return by matchup", "episode_return", PLAIN),
    ):
        columns = [Column(first), *estimate_columns(*((crisis, unit) for crisis in cup.crises))]
        rows = [
            [pilot, *(getattr(cup.cells[pilot, crisis], what) for crisis in cup.crises)]
            for pilot in cup.pilots
        ]
        made.append(folded_table(f"{title} with 95% intervals", columns, rows))
    return made


def strength_section(findings: Findings) -> Markup:
    """Show ratings with intervals and the Nash mixture of each side."""
    ratings, game = findings.ratings, findings.equilibrium
    roles = [role.name for role in findings.world.roles]
    panels = [
        panel(f"Rating of each {role}", _rating_chart(ratings, side, role), "with 95% interval")
        for side, role in enumerate(roles)
    ]
    mixtures = mixtures_of(findings, game)
    for side, role in enumerate(roles):
        if game is not None:
            shown = "share of play in equilibrium"
            panels.append(
                panel(f"Nash mixture of the {role}", _mixture_chart(mixtures, side), shown)
            )
    missing = None if game else note("A Nash mixture needs a completed episode in every matchup.")
    rows = [
        [name, roles[side], _rated(rating), mixtures.get((side, name))]
        for (side, name), rating in _best_first(ratings)
    ]
    columns = [
        Column("agent"),
        Column("role"),
        *estimate_columns(("rating", Unit())),
        Column("Nash share", SHARE),
    ]
    lead = (
        "Bradley-Terry ratings on the Elo scale, fitted to all episodes at once: 400 points are"
        " odds of ten to one. The Nash mixtures solve the matrix game of mean returns."
    )
    numbers = folded_table("Ratings and Nash mixtures", columns, rows)
    return section("strength", "Strength", missing, grid(panels, "grid two"), numbers, lead=lead)


def mixtures_of(findings: Findings, game: nash.Equilibrium | None) -> dict[tuple[int, str], float]:
    """Share of each agent in its side's mixture, by (side, name)."""
    if game is None:
        return {}
    sides = (findings.agents(0), game.rows), (findings.agents(1), game.columns)
    return {
        (side, name): float(share)
        for side, (names, shares) in enumerate(sides)
        for name, share in zip(names, shares, strict=True)
    }


def _best_first(ratings: Ratings) -> list[tuple[tuple[int, str], Rating]]:
    return sorted(ratings.items(), key=lambda item: (item[0][0], -item[1].rating, item[0][1]))


def _rated(rating: Rating) -> Estimate:
    return Estimate(rating.rating, rating.low, rating.high)


def _rating_chart(ratings: Ratings, side: int, role: str) -> Markup:
    rows = [
        Point(name, each.rating, each.low, each.high, f"{name}\n{_whole(each)}")
        for (seat, name), each in _best_first(ratings)
        if seat == side
    ]
    ends = domain([end for rating in ratings.values() for end in (rating.low, rating.high)], 8)
    return intervals(f"Rating of each {role}", rows, ends, "rating", side)


def _whole(rating: Rating) -> str:
    return f"{rating.rating:,.0f}, 95% interval {rating.low:,.0f} to {rating.high:,.0f}"


def _mixture_chart(mixtures: Mapping[tuple[int, str], float], side: int) -> Markup:
    shares: Sequence[tuple[str, float]] = sorted(
        ((name, share) for (seat, name), share in mixtures.items() if seat == side),
        key=lambda item: (-round(item[1], 9), item[0]),
    )
    rows = [Bar(name, share, f"{share:.0%}", f"{name}: {share:.2%}") for name, share in shares]
    return bars("Nash mixture", rows, side, 1.0)
