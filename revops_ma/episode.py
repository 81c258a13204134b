"""What is known of an episode once it is over, and how it is told apart from another.

An episode is (scenario, seed, players, moves); everything else is recomputed by replay, and the
digest proves that it came out the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from revops_ma.calls import record_of
from revops_ma.game import Reply, Rows
from revops_ma.table import Table

COMPLETED = "completed"
FAILED = "failed"

_MOVES_KEY = ',"moves":'
"""Cuts the text of a record in two. Quotes in strings are escaped, so nothing else looks so."""

_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False).encode
"""Strict, compact JSON, keys as they come. Records have no cycles; to look for them costs half."""


class Moves(Sequence[Any]):
    """Moves of an episode, kept as the JSON text that is hashed and written.

    Decoded when they are looked at: a run in memory takes a tenth of what the lists would, and the
    text is made once for the digest, the record and the file.
    """

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        """Wrap the text of `[[role index, packed move], ...]`."""
        self.text = text

    @classmethod
    def of(cls, moves: Sequence[Any]) -> Moves:
        """Wrap moves; what is wrapped already is returned as it is."""
        return moves if isinstance(moves, Moves) else cls(_encode(moves))

    @classmethod
    def joined(cls, texts: Sequence[str]) -> Moves:
        """Wrap moves whose texts are there already; see `move_texts`."""
        return cls(f"[{','.join(texts)}]")

    def __bool__(self) -> bool:
        return self.text != "[]"

    def __len__(self) -> int:
        return len(json.loads(self.text))

    def __iter__(self) -> Iterator[Any]:
        return iter(json.loads(self.text))

    def __getitem__(self, index: Any) -> Any:
        return json.loads(self.text)[index]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Moves):
            return self.text == other.text
        return isinstance(other, Sequence) and json.loads(self.text) == list(other)

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Moves({self.text!r})"


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
    moves: Sequence[Sequence[Any]] = ()
    """Every move of both sides in order: `[role index, packed move]`. Empty where not recorded."""
    digest: str = ""
    """Hash of the final state, returns and moves; equal digests are equal games."""
    calls: Mapping[str, Any] = field(default_factory=dict)
    """Tally of the questions to models by role name; empty where no model was asked."""
    transcript: str = ""
    """Hash of those questions and answers as the run keeps them beside the records."""
    asked: Sequence[Mapping[str, Any]] = field(default=(), compare=False, repr=False)
    """The questions and answers themselves, turn by turn; no part of the record."""

    def to_json(self) -> dict[str, Any]:
        """Give the record as JSON values."""
        return {**self._head(), "moves": list(self.moves)}

    def to_text(self) -> str:
        """Give the record as one line of strict JSON; the moves come last."""
        return f"{_encode(self._head())[:-1]}{_MOVES_KEY}{Moves.of(self.moves).text}}}"

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Episode:
        """Read a record back."""
        values = dict(record)
        moves = Moves.of(values.pop("moves"))
        return cls(**values, moves=moves)

    @classmethod
    def from_text(cls, text: str) -> Episode:
        """Read the text of a record back without decoding its moves; ValueError if it is none."""
        head, key, moves = text.partition(_MOVES_KEY)
        if not key:
            raise ValueError("the record has no moves")
        try:
            return cls(**json.loads(head + "}"), moves=Moves(moves[:-1]))
        except TypeError as error:
            raise ValueError(f"the record is not that of an episode: {error}") from None

    def _head(self) -> dict[str, Any]:
        """Everything but the moves. What concerns models is left out where none was asked."""
        head = {
            "matchup": self.matchup,
            "seed": self.seed,
            "status": self.status,
            "reason": self.reason,
            "ending": self.ending,
            "won": self.won,
            "steps": self.steps,
            "returns": dict(self.returns),
            "facts": dict(self.facts),
            "refused": dict(self.refused),
            "fallbacks": dict(self.fallbacks),
            "digest": self.digest,
        }
        more = {"calls": dict(self.calls), "transcript": self.transcript}
        return head | {name: value for name, value in more.items() if value}


def episodes_of(table: Table, matchup: str, *, record: bool) -> list[Episode]:
    """Tell the episodes of a table that is over, one per game, in the order of its seeds.

    With `record` they carry their moves and digest, without they are cheap.
    """
    return tell(table, matchup, table.rows, _recorded(table) if record else None)


def tell(
    table: Table, matchup: str, rows: Rows, moves: Sequence[Moves] | None = None
) -> list[Episode]:
    """Tell the episodes of some games that are over, in the order of `rows`.

    `moves` holds those of each, for its record and digest.
    """
    world, games = table.world, table.games
    names = [role.name for role in world.roles]
    facts = {name: values.tolist() for name, values in world.facts(games, rows).items()}
    won, endings = world.won(games, rows).tolist(), world.endings(games, rows)
    returns, steps = table.returns, table.steps
    totals = (returns[rows].tolist(), steps[rows].tolist())
    refused, fallbacks = table.refused[rows].tolist(), table.fallbacks[rows].tolist()
    numbers = rows.tolist()
    digests = [
        _digest(table, row, returns, steps, each)
        for row, each in zip(numbers, moves or (), strict=False)
    ]
    return [
        Episode(
            matchup=matchup,
            seed=int(table.seeds[row]),
            status=COMPLETED,
            reason="",
            ending=endings[at],
            won=won[at],
            steps=totals[1][at],
            returns=dict(zip(names, totals[0][at], strict=True)),
            facts={name: float(values[at]) for name, values in facts.items()},
            refused=dict(zip(names, refused[at], strict=True)),
            fallbacks=dict(zip(names, fallbacks[at], strict=True)),
            moves=moves[at] if moves else (),
            digest=digests[at] if moves else "",
            **record_of(table.asked.get(row), matchup, table.seeds[row]),
        )
        for at, row in enumerate(numbers)
    ]


def moves_of(table: Table) -> list[list[list[Any]]]:
    """Every move by game, in order, as JSON values: `[role index, packed move]`."""
    return [list(moves) for moves in _recorded(table)]


def digest_of(table: Table, row: int, moves: Sequence[Any]) -> str:
    """16 hex digits over the final state, the returns, the steps and the moves of one game."""
    return _digest(table, row, table.returns, table.steps, Moves.of(moves))


def _digest(table: Table, row: int, returns: Any, steps: Any, moves: Moves) -> str:
    content = hashlib.blake2b(table.world.fingerprint(table.games, row), digest_size=8)
    content.update(returns[row].tobytes())
    content.update(int(steps[row]).to_bytes(8, "little"))
    content.update(moves.text.encode())
    return content.hexdigest()


def replay(
    world: Any,
    settings: Any,
    seed: int,
    moves: Sequence[Sequence[Any]],
    on_turn: Callable[[Table], None] | None = None,
) -> Table:
    """Play recorded moves again and return the table, its log complete.

    `on_turn` is called after each move, as in `play`. Many episodes are replayed much faster side
    by side: `revops_ma.rollout.play_again`.

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


def move_texts(table: Table, start: int = 0) -> list[list[str]]:
    """The text of every move, `[role index,packed move]`, by game and in order.

    `start` leaves out the first turns of the log.
    """
    found: list[list[str]] = [[] for _ in table.seeds]
    for turn in table.log[start:]:
        packed = table.world.roles[turn.role].pack(turn.batch)
        for row, text in zip(turn.rows.tolist(), _texts(turn.role, packed), strict=True):
            found[row].append(text)
    return found


def _recorded(table: Table) -> list[Moves]:
    """Every move by game, in order."""
    return [Moves.joined(texts) for texts in move_texts(table)]


def _texts(role: int, packed: Sequence[Any]) -> list[str]:
    """The text of each move: `[role,move]`."""
    text = _encode(packed)
    are_lists = bool(packed) and set(map(type, packed)) <= {list, tuple}
    if not are_lists or text.count("[") != len(packed) + 1:
        return [_encode((role, move)) for move in packed]
    # Lists, and no other bracket anywhere: "],[" stands between two moves and nowhere else. To
    # encode all of them in one call is twice as fast, and text costs more than a kernel's games.
    return f"[{role},{text[1:-1]}]".replace("],[", f"]]\n[{role},[").split("\n")
