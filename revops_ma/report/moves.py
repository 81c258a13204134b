"""What agents do: how often each kind of move is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from revops_ma.arena.statistics import NOTHING, Estimate, mean
from revops_ma.episode import Episode
from revops_ma.game import Role
from revops_ma.report.charts.bars import Bar, bars
from revops_ma.report.collect import Findings
from revops_ma.report.html import Markup
from revops_ma.report.parts import Column, estimate_columns, folded_table, grid, panel, section
from revops_ma.report.units import SHARE, count

OTHER = "none of these"
"""Moves that are of no kind, where they have no common caption."""
_LOOKED_AT = 500
"""Moves of no kind whose captions are compared."""


@dataclass(frozen=True, slots=True)
class Habits:
    """How often one agent chose each kind of move."""

    agent: str
    moves: int
    kinds: Sequence[str]
    shares: Sequence[Estimate]
    """Share of an episode's moves, mean over the seeds."""


def habits(role: Role, index: int, agent: str, episodes: Sequence[Episode]) -> Habits:
    """Count the moves of one seat over the episodes that recorded any."""
    made = [
        (episode.seed, moves)
        for episode in episodes
        if (moves := [move for seat, move in episode.moves if seat == index])
    ]
    kinds = list(role.kinds())
    if not made:
        return Habits(agent, 0, [*kinds, OTHER], [NOTHING] * (len(kinds) + 1))
    lengths = np.array([len(moves) for _, moves in made])
    batch = role.unpack([move for _, moves in made for move in moves])
    chosen = np.asarray(role.kind_of(batch))
    column = np.where(chosen < 0, len(kinds), chosen)
    flat = np.repeat(np.arange(len(made)), lengths) * (len(kinds) + 1) + column
    counts = np.bincount(flat, minlength=len(made) * (len(kinds) + 1))
    per_episode = counts.reshape(len(made), -1) / lengths[:, None]
    per_seed = _by_seed([seed for seed, _ in made], per_episode)
    other = _other_name(role, batch, np.flatnonzero(chosen < 0))
    shares = [mean(per_seed[:, kind]) for kind in range(len(kinds) + 1)]
    return Habits(agent, int(lengths.sum()), [*kinds, other], shares)


def _by_seed(seeds: Sequence[int], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Average the rows of equal seeds: they share their luck, so they are not independent."""
    unique, inverse = np.unique(seeds, return_inverse=True)
    sums = np.zeros((len(unique), values.shape[1]))
    np.add.at(sums, inverse, values)
    return sums / np.bincount(inverse)[:, None]


def _other_name(role: Role, batch: object, positions: NDArray[np.int64]) -> str:
    captions = {role.caption(batch, int(at)) for at in positions[:_LOOKED_AT]}
    return captions.pop() if len(captions) == 1 else OTHER


def moves_section(findings: Findings) -> Markup | None:
    """Show the habits of every agent; None where no moves were recorded."""
    panels: list[Markup] = []
    tables: list[Markup] = []
    for index, role in enumerate(findings.world.roles):
        found = [
            habits(role, index, name, [e for p in findings.of(index, name) for e in p.completed])
            for name in findings.agents(index)
        ]
        if any(each.moves for each in found):
            panels += _panels(role, index, found)
            tables.append(_table(role, found))
    if not panels:
        return None
    lead = (
        "Share of an episode's moves, mean over episodes, as the agent chose them: before a refused"
        " move was replaced or a strength was cut."
    )
    return section("moves", "Moves", grid(panels), tables, lead=lead)


def _panels(role: Role, index: int, found: Sequence[Habits]) -> list[Markup]:
    longest = max(share.mean or 0.0 for each in found for share in each.shares)
    return [
        panel(
            each.agent,
            _chart(role, each, index, longest),
            f"{role.name}, {count(each.moves, 'move')}",
        )
        for each in found
    ]


def _table(role: Role, found: Sequence[Habits]) -> Markup:
    rows = [
        [each.agent, kind, share]
        for each in found
        for kind, share in zip(each.kinds, each.shares, strict=True)
        if share.mean
    ]
    columns = [Column(role.name), Column("kind of move"), *estimate_columns(("share", SHARE))]
    return folded_table(f"Moves of the {role.name} with 95% intervals", columns, rows)


def _chart(role: Role, each: Habits, colour: int, longest: float) -> Markup:
    shown = [
        Bar(kind, share.mean or 0.0, SHARE.exact(share.mean), f"{kind}\n{SHARE.interval(share)}")
        for kind, share in zip(each.kinds, each.shares, strict=True)
    ]
    if not shown[-1].value:
        shown.pop()
    return bars(f"Moves of {each.agent} as {role.name}", shown, colour, longest)
