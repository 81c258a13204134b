"""What is known of an episode once it is over, and how it is told apart from another.

An episode is (scenario, seed, players, moves); everything else is recomputed by replay, and the
digest proves that it came out the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from revops_ma.game import Reply
from revops_ma.table import Table

COMPLETED = "completed"
FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Episode:
    """One finished game. A failed one has a reason and no reward, and is counted, not averaged."""

    matchup: str
    """Which matchup of the run it belongs to: `pilot vs crisis`."""
    seed: int
    status: str
    """`completed`, or `failed` where infrastructure broke."""
    reason: str
    """Why it failed; empty for a completed one."""
    ending: str
    won: bool
    steps: int
    returns: Mapping[str, float]
    """Sum of rewards by role name."""
    facts: Mapping[str, float]
    refused: Mapping[str, int]
    fallbacks: Mapping[str, int]
    moves: Sequence[Sequence[Any]] = field(default=())
    """Every move of both sides in order: `[role index, packed move]`. Empty where not recorded."""
    digest: str = ""
    """Hash of the final state, returns and moves; equal digests are equal games."""

    def to_json(self) -> dict[str, Any]:
        """Give the record as JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Episode:
        """Read a record back."""
        return cls(**record)


def episodes_of(table: Table, matchup: str, *, record: bool) -> list[Episode]:
    """Tell the episodes of a table that is over, one per game, in the order of its seeds.

    With `record` they carry their moves and digest, without they are cheap.
    """
    world, games = table.world, table.games
    rows = np.arange(len(table))
    names = [role.name for role in world.roles]
    facts = world.facts(games, rows)
    won, endings = world.won(games, rows), world.endings(games, rows)
    moves = moves_of(table) if record else [()] * len(table)
    told = []
    for row, seed in enumerate(table.seeds):
        returns = dict(zip(names, table.returns[row].tolist(), strict=True))
        told.append(
            Episode(
                matchup=matchup,
                seed=int(seed),
                status=COMPLETED,
                reason="",
                ending=endings[row],
                won=bool(won[row]),
                steps=int(table.steps[row]),
                returns=returns,
                facts={name: float(values[row]) for name, values in facts.items()},
                refused=dict(zip(names, table.refused[row].tolist(), strict=True)),
                fallbacks=dict(zip(names, table.fallbacks[row].tolist(), strict=True)),
                moves=moves[row],
                digest=digest_of(table, row, moves[row]) if record else "",
            )
        )
    return told


def moves_of(table: Table) -> list[list[list[Any]]]:
    """Every move by game, in order, as JSON values: `[role index, packed move]`."""
    found: list[list[list[Any]]] = [[] for _ in table.seeds]
    for turn in table.log:
        packed = table.world.roles[turn.role].pack(turn.batch)
        for row, move in zip(turn.rows.tolist(), packed, strict=True):
            found[row].append([turn.role, move])
    return found


def digest_of(table: Table, row: int, moves: Sequence[Any]) -> str:
    """16 hex digits over the final state, the returns, the steps and the moves of one game."""
    content = hashlib.blake2b(table.world.fingerprint(table.games, row), digest_size=8)
    content.update(table.returns[row].tobytes())
    content.update(int(table.steps[row]).to_bytes(8, "little"))
    content.update(json.dumps(moves, separators=(",", ":")).encode())
    return content.hexdigest()


def replay(
    world: Any,
    settings: Any,
    seed: int,
    moves: Sequence[Sequence[Any]],
    on_turn: Callable[[Table], None] | None = None,
) -> Table:
    """Play recorded moves again and return the table, its log complete.

    `on_turn` is called after each move, as in `play`.

    Raises:
        ValueError: the moves do not fit the game: another role's turn, or moves after its end.
    """
    table = Table(world, settings, [seed])
    for step, (role, packed) in enumerate(moves):
        views = table.waiting()
        if not views or views[0].role_index != role:
            turn = views[0].role.name if views else "nobody"
            raise ValueError(f"move {step} is of {world.roles[role].name}, but {turn} is to move")
        view = views[0]
        table.take(view, Reply(view.role.unpack([packed])))
        if on_turn is not None:
            on_turn(table)
    return table
