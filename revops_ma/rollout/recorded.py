"""Playing recorded episodes again: many side by side, each with its own moves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from pydantic import ValidationError

from revops_ma import catalog
from revops_ma.episode import COMPLETED, Episode
from revops_ma.errors import BadInput
from revops_ma.game import Batch, Outcome, Reply, Role, View, World
from revops_ma.progress import track
from revops_ma.table import Table

EPISODES_PER_TABLE = 1_024
"""Episodes played side by side: enough to keep the kernels busy, few enough for the memory."""
_UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, OverflowError)
"""What `unpack` may raise on a move that is not one of its own."""


@dataclass(frozen=True)
class Rules:
    """The rules that a run was played by, and what has become of them."""

    world: World
    settings: Any
    recorded: str
    """Identity of the scenario when the run was made."""
    current: str | None
    """Identity of the scenario of that name today; None where there is none."""
    version: int
    """Version of the world's rules when the run was made."""

    @property
    def can_replay(self) -> bool:
        """Whether this installation still has those rules."""
        return self.version == self.world.version

    @property
    def change(self) -> str:
        """What is different today, in one sentence; empty where nothing is."""
        if not self.can_replay:
            return (
                f"recorded under version {self.version} of the {self.world.name} rules,"
                f" this installation has version {self.world.version}: results differ by design"
            )
        if self.current is None:
            return "there is no scenario card of this name any more; replayed by the recorded rules"
        if self.current != self.recorded:
            return f"the scenario card says {self.current} now; replayed by the recorded rules"
        return ""


class Misfit(NamedTuple):
    """Where recorded moves stop to fit their game."""

    move: int
    """Index of the move."""
    step: int
    """Step of the episode, from 1, that it would belong to."""
    why: str


class Witness(Protocol):
    """Somebody who looks on while episodes are played again."""

    def asked(self, view: View) -> None:
        """Look at the games before a move."""

    def moved(self, view: View, outcome: Outcome) -> None:
        """Look at what the move did; of the view, only `rows` and `role` can still be read."""


def rules_of(config: Mapping[str, Any]) -> Rules:
    """Make the rules of a run from what it recorded, so that changed cards do no harm.

    Raises BadInput where the world is unknown or its settings cannot be read any more.
    """
    try:
        recorded, name = config["rules"], config["scenario"]
        world_name, version, settings = recorded.split(" ", 2)
        number = int(version.removeprefix("v"))
    except (KeyError, ValueError, AttributeError):
        raise BadInput.of("rules of the run", config.get("rules"), "world v1 {settings}") from None
    world = catalog.world(world_name)
    try:
        read = world.settings.model_validate_json(settings)
    except ValidationError as error:
        raise BadInput(f"rules of the run: {catalog.explain(error)}") from None
    return Rules(world, read, recorded, _current(name), number)


def _current(name: str) -> str | None:
    try:
        return catalog.scenario(name).identity
    except BadInput:
        return None


def batches(
    episodes: Sequence[Episode], size: int = EPISODES_PER_TABLE
) -> Iterator[dict[int, Episode]]:
    """Group the completed episodes to be played side by side, by their number in the run."""
    completed = [at for at, episode in enumerate(episodes) if episode.status == COMPLETED]
    with track("episodes", len(completed)) as advance:
        for start in range(0, len(completed), size):
            part = completed[start : start + size]
            yield {at: episodes[at] for at in part}
            advance(len(part))


def play_again(
    rules: Rules, episodes: Sequence[Episode], witness: Witness | None = None
) -> tuple[Table, dict[int, Misfit]]:
    """Play recorded episodes side by side and give the table, and by row where moves do not fit.

    A game whose next move does not fit stays as it is from there on.
    """
    table = Table(rules.world, rules.settings, [episode.seed for episode in episodes])
    return table, play_moves(table, [list(episode.moves) for episode in episodes], witness)


def play_moves(
    table: Table, moves: Sequence[Sequence[Any]], witness: Witness | None = None
) -> dict[int, Misfit]:
    """Play to each game of a fresh table its own moves; give by row where they do not fit."""
    script = _Script(table, moves)
    while turns := [turn for view in table.waiting() if (turn := script.next_turn(view))]:
        for view, batch in turns:
            if witness:
                witness.asked(view)
            outcome = table.take(view, Reply(batch))
            if witness:
                witness.moved(view, outcome)
    script.note_what_is_left()
    return script.misfits


class _Script:
    """Recorded moves, and how far each game has got in them."""

    def __init__(self, table: Table, moves: Sequence[Sequence[Any]]) -> None:
        self._table = table
        self._moves = moves
        self._at = [0] * len(moves)
        self.misfits: dict[int, Misfit] = {}

    def next_turn(self, view: View) -> tuple[View, Batch] | None:
        """The rows of a view that have a fitting move, with their moves; None where none has."""
        rows, packed = [], []
        for row in view.rows.tolist():
            if row in self.misfits:
                continue
            at = self._at[row]
            why = self._why_not(row, at, view)
            if why:
                self._note(row, why)
                continue
            rows.append(row)
            packed.append(self._moves[row][at][1])
        batch = self._unpacked(view.role, rows, packed)
        rows = [row for row in rows if row not in self.misfits]
        if not rows:
            return None
        for row in rows:
            self._at[row] += 1
        if len(rows) < len(view):
            view = View(self._table.world, self._table.games, np.array(rows), view.role_index)
        return view, batch

    def note_what_is_left(self) -> None:
        """Note the moves that come after the end of their games."""
        for row, moves in enumerate(self._moves):
            if row not in self.misfits and (more := len(moves) - self._at[row]):
                self._note(row, f"the game is over, but {more} more moves are recorded")

    def _why_not(self, row: int, at: int, view: View) -> str:
        moves = self._moves[row]
        if at == len(moves):
            return f"the moves end here, but the {view.role.name} is to move"
        move = moves[at]
        if not (isinstance(move, list) and len(move) == 2):
            return "this is not a move"
        if move[0] != view.role_index:
            return f"the move is not the {view.role.name}'s, who is to move"
        return ""

    def _unpacked(self, role: Role, rows: Sequence[int], packed: Sequence[Any]) -> Batch:
        """The batch of the moves that can be read; the others are noted."""
        try:
            return role.unpack(packed)
        except _UNREADABLE:
            good = []
            for row, move in zip(rows, packed, strict=True):
                try:
                    role.unpack([move])
                except _UNREADABLE as error:
                    self._note(row, f"the move of the {role.name} cannot be read: {error}")
                else:
                    good.append(move)
            return role.unpack(good)

    def _note(self, row: int, why: str) -> None:
        self.misfits[row] = Misfit(self._at[row], int(self._table.steps[row]) + 1, why)
