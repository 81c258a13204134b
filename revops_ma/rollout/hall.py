"""The worlds of sessions, and everybody in them but the caller: the worker's side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from revops_ma.episode import Moves, move_texts, tell
from revops_ma.errors import RunFailed
from revops_ma.game import OVER, Floats, Reply, Rows, View
from revops_ma.rollout.held import Held
from revops_ma.rollout.messages import Orders, Past, Report, Seated, Turn
from revops_ma.rollout.recorded import play_moves
from revops_ma.table import Table


class Hall:
    """One room per table: sessions with the same opponents are played side by side."""

    def __init__(self, seated: Seated) -> None:
        """Deal all sessions and bring them to where they stood. No agent is asked anything."""
        self._rooms: list[_Room] = []
        self._room_of: dict[int, int] = {}
        for number, held in enumerate(seated.helds):
            members = [at for at, table in enumerate(seated.tables) if table == number]
            ids = [seated.ids[at] for at in members]
            seeds = [seated.seeds[at] for at in members]
            self._rooms.append(_Room(held, ids, seeds, [seated.pasts[at] for at in members]))
            self._room_of.update(dict.fromkeys(ids, number))

    def step(self, orders: Orders) -> list[Report]:
        """Play one turn of some sessions; one report per room."""
        positions: dict[int, list[int]] = {}
        for at, each in enumerate(orders.ids):
            positions.setdefault(self._room_of[each], []).append(at)
        return [self._rooms[room].step(orders.part(there)) for room, there in positions.items()]


class _Room:
    """Sessions with the same opponents: one table."""

    def __init__(
        self, held: Held, ids: Sequence[int], seeds: Sequence[int], pasts: Sequence[Past]
    ) -> None:
        self._held, self._index, self._ids = held, held.index, ids
        self._row_of = {each: row for row, each in enumerate(ids)}
        self._table = Table(held.scenario.world, held.scenario.settings, seeds)
        self._texts = [list(past.moves) for past in pasts]
        self._owed: Floats = np.zeros(len(seeds))
        """[N] what the held seat has earned and not been told."""
        self._bring_back(pasts)
        self._reported = len(self._table.log)
        """Turns of the log that the driver knows."""

    def step(self, orders: Orders) -> Report:
        """Play the caller's moves, if there are any, and everybody else's up to its next turn."""
        table, rows = self._table, np.array([self._row_of[each] for each in orders.ids])
        if orders.packed is not None:
            view = View(table.world, table.games, rows, self._index, table)
            self._take(view, orders.reply(view.role))
        self._host(rows)
        return self._report(rows, is_opening=orders.packed is None)

    def _bring_back(self, pasts: Sequence[Past]) -> None:
        table = self._table
        misfits = play_moves(table, [list(Moves.joined(past.moves)) for past in pasts])
        for row, misfit in misfits.items():
            if misfit.move < len(pasts[row].moves):
                raise RunFailed(f"session {self._ids[row]} cannot be brought back: {misfit.why}")
        for row, past in enumerate(pasts):
            if past.refused:
                table.refused[row], table.fallbacks[row] = past.refused, past.fallbacks
            if not any(text.startswith(f"[{self._index},") for text in past.moves):
                # What is paid before its first turn, the seat is told with that turn's reward.
                self._owed[row] = table.returns[row, self._index]
            if past.asked:
                table.asked[row] = list(past.asked)
        self._told = [len(past.asked) for past in pasts]
        """By row: turns of models that the driver knows."""

    def _host(self, rows: Rows) -> None:
        """Let the agents move in these games until all wait for the caller or are over."""
        table, world = self._table, self._table.world
        others = [index for index in range(len(world.roles)) if index != self._index]
        while True:
            turns = world.to_move(table.games)[rows]
            asked = [(index, rows[turns == index]) for index in others if (turns == index).any()]
            if not asked:
                return
            for index, those in asked:
                view = View(world, table.games, those, index, table)
                self._take(view, self._held.players[view.role.name].act(view))

    def _take(self, view: View, reply: Reply) -> None:
        outcome = self._table.take(view, reply)
        self._owed[outcome.rows] += outcome.rewards[:, self._index]

    def _report(self, rows: Rows, *, is_opening: bool) -> Report:
        table = self._table
        numbers = rows.tolist()
        new = move_texts(table, self._reported)
        self._reported = len(table.log)
        for row in numbers:
            self._texts[row] += new[row]
        ended = table.world.to_move(table.games)[rows] == OVER
        told = ended if is_opening else np.ones(len(rows), np.bool_)
        rewards = np.where(told, self._owed[rows], 0.0)
        self._owed[rows[told]] = 0.0
        waiting, over = rows[~ended], rows[ended]
        view = View(table.world, table.games, waiting, self._index)
        moves = [Moves.joined(self._texts[row]) for row in over.tolist()]
        episodes = tell(table, self._held.name, over, moves)
        return Report(
            ids=[self._ids[row] for row in numbers],
            rewards=rewards,
            ended=ended,
            moves=[new[row] for row in numbers],
            refused=table.refused[rows],
            fallbacks=table.fallbacks[rows],
            asked=[self._new_asked(row) for row in numbers],
            waiting=[self._ids[row] for row in waiting.tolist()],
            numbers=view.numbers,
            mask=view.mask,
            texts=view.texts,
            episodes={self._ids[row]: e for row, e in zip(over.tolist(), episodes, strict=True)},
        )

    def _new_asked(self, row: int) -> list[Turn]:
        turns = self._table.asked.get(row, [])[self._told[row] :]
        self._told[row] += len(turns)
        return turns
