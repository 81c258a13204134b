"""The one turn loop: a Table holds N games, offers Views, takes Replies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revops_ma.errors import BadInput
from revops_ma.game import OVER, Agent, Batch, Floats, Outcome, Reply, Rows, View, World


@dataclass(slots=True)
class Turn:
    """One entry of the log: the moves of some rows, and what they paid."""

    role: int
    rows: Rows
    batch: Batch
    outcome: Outcome


class Table:
    """N games of one world and scenario being played.

    A plain object: pickle or deep-copy it in the middle of a game and both go on identically.
    """

    def __init__(self, world: World, settings: Any, seeds: Sequence[int]) -> None:
        """Deal one game per seed."""
        self.world = world
        self.settings = settings
        self.seeds = list(seeds)
        self.games = world.deal(settings, self.seeds)
        size = (len(self.seeds), len(world.roles))
        self.returns: Floats = np.zeros(size)
        """[N, roles] sum of rewards, month by month in order: zero-sum to the last bit."""
        self.steps: NDArray[np.int64] = np.zeros(size[0], np.int64)
        """[N] scored steps."""
        self.refused: NDArray[np.int64] = np.zeros(size, np.int64)
        self.fallbacks: NDArray[np.int64] = np.zeros(size, np.int64)
        self.reasons: Counter[tuple[str, str]] = Counter()
        """(role name, reason code) of refused and of untidy moves."""
        self.log: list[Turn] = []

    def __len__(self) -> int:
        """Give the number of games."""
        return len(self.seeds)

    @property
    def is_over(self) -> bool:
        """Whether no game waits for a move any more."""
        return bool((self.world.to_move(self.games) == OVER).all())

    def waiting(self) -> list[View]:
        """One view per role that has games to move, in the order of the roles."""
        turns = self.world.to_move(self.games)
        views = []
        for index in range(len(self.world.roles)):
            rows = np.flatnonzero(turns == index)
            if len(rows):
                views.append(View(self.world, self.games, rows, index))
        return views

    def take(self, view: View, reply: Reply) -> Outcome:
        """Play a reply, log it, close the view, and say what happened."""
        if len(reply.batch) != len(view.rows):
            raise BadInput.of(
                f"moves of the {view.role.name}", len(reply.batch), f"{len(view.rows)}, one a game"
            )
        rows, role = view.rows, view.role_index
        view.close()
        outcome = self.world.apply(self.games, rows, role, reply.batch)
        self.returns[rows] += outcome.rewards
        self.steps[rows] += outcome.scored
        if reply.refused or reply.notes or reply.fallbacks:
            self._count(view, reply)
        self.log.append(Turn(role, rows, reply.batch, outcome))
        return outcome

    def _count(self, view: View, reply: Reply) -> None:
        name, rows, role = view.role.name, view.rows, view.role_index
        for position, refused in reply.refused.items():
            self.refused[rows[position], role] += 1
            self.reasons[name, refused.reason] += 1
        for codes in reply.notes.values():
            self.reasons.update((name, code) for code in codes)
        for position in reply.fallbacks:
            self.fallbacks[rows[position], role] += 1


def play(
    table: Table,
    players: Mapping[str, Agent],
    on_turn: Callable[[Table], None] | None = None,
) -> Table:
    """Play a table to the end with one agent per role name; return it.

    `on_turn` is called after each answered view: for progress bars and tracing.
    """
    while views := table.waiting():
        for view in views:
            table.take(view, players[view.role.name].act(view))
            if on_turn is not None:
                on_turn(table)
    return table
