"""The one turn loop: a Table holds N games, offers Views, takes Replies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revops_ma.calls import Asked
from revops_ma.errors import BadInput, ClosedView
from revops_ma.game import (
    OVER,
    Agent,
    Batch,
    Floats,
    Games,
    Outcome,
    Past,
    Reply,
    Rows,
    View,
    World,
)
from revops_ma.jit import kernel
from revops_ma.luck import check_seed


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
        self.seeds = [check_seed(seed) for seed in seeds]
        self.games = world.deal(settings, self.seeds)
        self.rows: Rows = np.arange(len(self.seeds))
        """Every game."""
        size = (len(self.seeds), len(world.roles))
        self._returns: Floats = np.zeros(size)
        self._steps: NDArray[np.int64] = np.zeros(size[0], np.int64)
        self._added_up = 0
        """Turns of the log that the two totals already hold."""
        self.refused: NDArray[np.int64] = np.zeros(size, np.int64)
        self.fallbacks: NDArray[np.int64] = np.zeros(size, np.int64)
        self.reasons: Counter[tuple[str, str]] = Counter()
        """(role name, reason code) of refused and of untidy moves."""
        self.log: list[Turn] = []
        self.asked: dict[int, list[tuple[str, Asked]]] = {}
        """By row: (role name, what models were asked and answered), turn by turn."""
        self._forgotten = np.zeros(size[0], np.bool_)
        """[N] games with turns that the log has no more."""

    def __len__(self) -> int:
        """Give the number of games."""
        return len(self.seeds)

    @property
    def returns(self) -> Floats:
        """[N, roles] sum of rewards, month by month in order: zero-sum to the last bit."""
        self._add_up()
        return self._returns

    @property
    def steps(self) -> NDArray[np.int64]:
        """[N] scored steps."""
        self._add_up()
        return self._steps

    @property
    def is_over(self) -> bool:
        """Whether no game waits for a move any more."""
        return bool((self.world.to_move(self.games) == OVER).all())

    def view_of(self, row: int) -> View | None:
        """The view of one game alone, for drivers that play a single game; None once it is over."""
        role = self.world.to_move(self.games).item(row)
        if role == OVER:
            return None
        # A table of one game needs no slice, which would take 4 % of an environment's turn.
        rows = self.rows if len(self.seeds) == 1 else self.rows[row : row + 1]
        return View(self.world, self.games, rows, role, self)

    def waiting(self) -> list[View]:
        """One view per role that has games to move, in the order of the roles."""
        turns = self.world.to_move(self.games)
        views = []
        for index in range(len(self.world.roles)):
            rows = np.flatnonzero(turns == index)
            if len(rows):
                views.append(View(self.world, self.games, rows, index, self))
        return views

    def take(self, view: View, reply: Reply) -> Outcome:
        """Play a reply, log it, close the view, and say what happened.

        Raises ClosedView, changing nothing, where the view was answered, is of another table, or
        its games have moved on or ended since; BadInput for a wrong number of moves.
        """
        rows, role = view.rows, view.role_index
        if len(reply.batch) != len(rows):
            raise BadInput.of(
                f"moves of the {view.role.name}", len(reply.batch), f"{len(rows)}, one a game"
            )
        if not (
            view.is_of(self.games) and _are_to_move(self.world.to_move(self.games), rows, role)
        ):
            raise ClosedView(
                f"this view of the {view.role.name} is of another turn; take a new one"
            )
        view.close()
        outcome = self.world.apply(self.games, rows, role, reply.batch)
        if reply.refused or reply.notes or reply.fallbacks or reply.asked:
            self._count(view, reply)
        self.log.append(Turn(role, rows, reply.batch, outcome))
        return outcome

    def past(self, row: int, role_index: int, most: int) -> list[Past]:
        """The latest turns of a role in one game, oldest first, at most so many.

        Played again from the log: nobody has to remember them. Raises BadInput where the log was
        cleared since the game began.
        """
        role = self.world.roles[role_index]
        if self._forgotten[row]:
            raise BadInput(
                f"the {role.name} asked for its past turns, but environments that go on for ever"
                " keep no log; set memory = 0 in the card"
            )
        games, found = self.world.deal(self.settings, [self.seeds[row]]), []
        alone = np.zeros(1, np.int64)
        for turn, position in self._turns_of(row):
            move = turn.batch[position : position + 1]
            if turn.role == role_index:
                told = self.world.describe(games, alone, role_index)[0]
                found.append(Past(told, role.spell(move, 0)))
            self.world.apply(games, alone, turn.role, move)
        return found[-most:] if most else []

    def _turns_of(self, row: int) -> Iterator[tuple[Turn, int]]:
        """The turns of one game, with its position in each."""
        for turn in self.log:
            for position in np.flatnonzero(turn.rows == row).tolist():
                yield turn, position

    def games_after(self, turns: int) -> Games:
        """The games as they stood after the first turns of a log that was never cleared.

        After all turns these are the very games being played, before that they are replayed copies.
        """
        if turns == len(self.log):
            return self.games
        games = self.world.deal(self.settings, self.seeds)
        for turn in self.log[:turns]:
            self.world.apply(games, turn.rows, turn.role, turn.batch)
        return games

    def deal_again(self, rows: Rows, seeds: Sequence[int]) -> None:
        """Put new games in the place of some; their totals start at zero, the log is cleared.

        For environments that go on for ever: a log over several games of a row could not be read.
        """
        self.world.replace(self.games, rows, self.world.deal(self.settings, seeds))
        for row, seed in zip(rows.tolist(), seeds, strict=True):
            self.seeds[row] = seed
        self.forget()
        for row in rows.tolist() if self.asked else ():
            self.asked.pop(row, None)
        for total in (self._returns, self._steps, self.refused, self.fallbacks, self._forgotten):
            total[rows] = 0

    def forget(self) -> None:
        """Clear the log; the totals stay."""
        self._add_up()
        for turn in self.log:
            self._forgotten[turn.rows] = True
        self.log.clear()
        self._added_up = 0

    def _add_up(self) -> None:
        """Add the turns since the last call to the totals: only who asks for them waits."""
        for turn in self.log[self._added_up :]:
            self._returns[turn.rows] += turn.outcome.rewards
            self._steps[turn.rows] += turn.outcome.scored
        self._added_up = len(self.log)

    def _count(self, view: View, reply: Reply) -> None:
        name, rows, role = view.role.name, view.rows, view.role_index
        for position, refused in reply.refused.items():
            self.refused[rows[position], role] += 1
            self.reasons[name, refused.reason] += 1
        for codes in reply.notes.values():
            self.reasons.update((name, code) for code in codes)
        for position in reply.fallbacks:
            self.fallbacks[rows[position], role] += 1
        for position, asked in reply.asked.items():
            self.asked.setdefault(int(rows[position]), []).append((name, asked))


@kernel
def _are_to_move(turns, rows, role):  # noqa: ANN001, ANN202 - numba infers its types
    """Whether all of the rows wait for a role."""
    for j in range(len(rows)):  # noqa: SIM110 - numba compiles no generators
        if turns[rows[j]] != role:
            return False
    return True


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
