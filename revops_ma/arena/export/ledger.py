"""What every move of some episodes saw and earned, noted while they are played again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revops_ma.arena.export.spoken import spoken
from revops_ma.episode import Episode
from revops_ma.game import Floats, Outcome, View, World
from revops_ma.table import Table

Ids = NDArray[np.int64]


class Ledger:
    """Columns over all moves of some episodes, in the order in which they were played.

    A move earns what its role is paid from then on until it moves again. What a role is paid before
    its first move counts for that one, so that rewards add up to the return of the episode.
    """

    def __init__(self, world: World, episodes: Sequence[Episode], *, texts: bool) -> None:
        """Get ready for that many moves."""
        self.world = world
        self._episodes = episodes
        size, roles = sum(len(episode.moves) for episode in episodes), len(world.roles)
        self.row: Ids = np.zeros(size, np.int64)
        """Which of the episodes, by position."""
        self.role: Ids = np.zeros(size, np.int64)
        self.step: Ids = np.zeros(size, np.int64)
        """Step of the episode that the move belongs to, from 1."""
        self.kind: Ids = np.zeros(size, np.int64)
        """Index into the role's `kinds()` of the move as it took effect; negative for none."""
        self.strength: Floats = np.zeros(size)
        self.reward: Floats = np.zeros(size)
        self.done: NDArray[np.bool_] = np.zeros(size, np.bool_)
        """Whether it is the role's last move."""
        self.figures: dict[str, Floats] = {}
        """The world's trace before the move, by name."""
        self.texts: list[str] = [""] * size if texts else []
        """What a language model is shown before the move."""
        self.spoken: list[dict[str, Any] | None] = [None] * size if texts else []
        """The move as it took effect, as a language model says it."""
        self._seen: list[list[Floats]] = [[] for _ in world.roles]
        self._place: Ids = np.zeros(size, np.int64)
        """Where in what its role has seen, one view after the other, a move's numbers stand."""
        self._count = 0
        self._scored = np.zeros(len(episodes), np.int64)
        self._latest = np.full((len(episodes), roles), -1)
        """Latest move by row and role."""
        self._owed = np.zeros((len(episodes), roles))
        """Paid before the first move."""

    def asked(self, view: View) -> None:
        """Note what the role sees."""
        ids = self._ids(view)
        games, rows = view.secrets()
        self.row[ids], self.role[ids] = rows, view.role_index
        self.step[ids] = self._scored[rows] + 1
        for name, values in self.world.trace(games, rows).items():
            self.figures.setdefault(name, np.zeros(len(self.row)))[ids] = values
        seen = self._seen[view.role_index]
        self._place[ids] = sum(map(len, seen)) + np.arange(len(ids))
        seen.append(view.numbers)
        if self.texts:
            for at, text in zip(ids.tolist(), view.texts, strict=True):
                self.texts[at] = text

    def moved(self, view: View, outcome: Outcome) -> None:
        """Note what was played and what it paid."""
        ids, rows, role = self._ids(view), view.rows, view.role_index
        self.kind[ids] = view.role.kind_of(outcome.played)
        self.strength[ids] = view.role.strength_of(outcome.played)
        if self.texts:
            said = spoken(view.role, outcome.played)
            for at, each in zip(ids.tolist(), said, strict=True):
                self.spoken[at] = each
        is_first = self._latest[rows, role] < 0
        self.reward[ids[is_first]] += self._owed[rows[is_first], role]
        self._latest[rows, role] = ids
        for payee in range(len(self.world.roles)):
            latest, paid = self._latest[rows, payee], outcome.rewards[:, payee]
            has_moved = latest >= 0
            self.reward[latest[has_moved]] += paid[has_moved]
            self._owed[rows[~has_moved], payee] += paid[~has_moved]
        self._scored[rows] += outcome.scored
        self._count += len(ids)

    def close(self, table: Table) -> None:
        """Note how the games ended; what follows can be asked from now on."""
        self.done[self._latest[self._latest >= 0]] = True
        self.order = np.argsort(self.row, kind="stable")
        """Moves sorted by episode, and by time within each."""
        roles = range(len(self.world.roles))
        self._final = [self.world.observe(table.games, table.rows, role) for role in roles]
        self._numbers = [
            np.concatenate(seen) if seen else final[:0]
            for seen, final in zip(self._seen, self._final, strict=True)
        ]

    def moves(self) -> list[Any]:
        """The packed moves as they were recorded, in `order`."""
        return [move for episode in self._episodes for _, move in episode.moves]

    def observations(self) -> list[Floats]:
        """What the mover saw, in `order`; roles see numbers of different length."""
        roles, places = self.role[self.order].tolist(), self._place[self.order].tolist()
        return [self._numbers[role][place] for role, place in zip(roles, places, strict=True)]

    def by_episode(self, role: int) -> list[Ids]:
        """The moves of a role, episode by episode."""
        own = self.order[self.role[self.order] == role]
        return np.split(own, np.searchsorted(self.row[own], np.arange(1, len(self._episodes))))

    def seen(self, role: int, row: int, moves: Ids) -> Floats:
        """[moves + 1, d] what a role saw before each of its moves in an episode and at the end."""
        return np.vstack((self._numbers[role][self._place[moves]], self._final[role][row]))

    def _ids(self, view: View) -> Ids:
        return np.arange(self._count, self._count + len(view))
