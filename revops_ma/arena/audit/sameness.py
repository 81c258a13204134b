"""Checks that a game is the same however it is played: alone or among many, live or replayed."""

from __future__ import annotations

import json
from collections.abc import Iterator

from revops_ma.arena.audit.lab import Laboratory
from revops_ma.arena.audit.measure import measure
from revops_ma.claims import (
    NOTHING_WRONG,
    BatchIsScalar,
    ContractHolds,
    Finding,
    Matchups,
    ReplayIsLive,
)
from revops_ma.episode import digest_of, moves_of, replay
from revops_ma.table import Table
from revops_ma.testing import ContractBroken, check_world

PARTS = (1, 7, 64)
"""Sizes of the batches that the same games are played in again."""
ALONE = 12
"""Games that are played again one by one: each costs as much as a batch."""


@measure.register
def _(claim: BatchIsScalar, lab: Laboratory) -> Finding:
    different = games = 0
    for players, table in lab.tables(claim.matchups, claim.seeds):
        whole = _digests(table)
        seeds = lab.held_out(claim.seeds)
        for size in PARTS:
            some = seeds[:ALONE] if size == 1 else seeds
            parts = [some[i : i + size] for i in range(0, len(some), size)]
            again = [found for part in parts for found in _digests(lab.table(players, part))]
            different += sum(a != b for a, b in zip(again, whole, strict=False))
            games += len(again)
    told = f"{games:,} games played again in batches of {', '.join(map(str, PARTS))}."
    return Finding(different, NOTHING_WRONG, told)


@measure.register
def _(claim: ReplayIsLive, lab: Laboratory) -> Finding:
    different = games = 0
    for live, again in _replayed(lab, claim.matchups, claim.seeds):
        different += live != again
        games += 1
    told = f"{games:,} games recorded, written as JSON, read and played again one by one."
    return Finding(different, NOTHING_WRONG, told)


@measure.register
def _(claim: ContractHolds, lab: Laboratory) -> Finding:
    try:
        check_world(lab.scenario)
    except ContractBroken as broken:
        return Finding(1, NOTHING_WRONG, f"Broken: {broken}")
    return Finding(0, NOTHING_WRONG)


def _digests(table: Table) -> list[str]:
    moves = moves_of(table)
    return [digest_of(table, row, moves[row]) for row in range(len(table))]


def _replayed(lab: Laboratory, matchups: Matchups, count: int) -> Iterator[tuple[str, str]]:
    """Digest of each live game and of its replay; "" where the moves do not fit the game."""
    world, settings = lab.scenario.world, lab.scenario.settings
    for _, table in lab.tables(matchups, count):
        for seed, moves, live in zip(table.seeds, moves_of(table), _digests(table), strict=True):
            read = json.loads(json.dumps(moves, allow_nan=False))
            try:
                again = replay(world, settings, seed, read)
            except ValueError:
                yield live, ""
            else:
                yield live, digest_of(again, 0, moves_of(again)[0])
