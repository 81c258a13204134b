"""From responses to moves: what was said is read by the role, the rest is a typed fallback."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from revops_ma.game import Refused, Reply, Role, View
from revops_ma.policies.language.protocol import Finish, Response

OWN_FAULT = frozenset({Finish.TRUNCATED, Finish.BLOCKED, Finish.EMPTY, Finish.STOP})
"""Ways to end a call in which the model was reached: no answer then is a refused move, too."""


@dataclass
class Reading:
    """The moves read from one response per game."""

    role: Role
    moves: list[Any]
    """Packed: batches of one role may differ in form, packed moves don't."""
    refused: dict[int, Refused]
    notes: dict[int, tuple[str, ...]]
    fallbacks: set[int]

    def outcome(self, position: int, response: Response) -> str:
        """In one word: `read`, why the move was refused, or how the call failed."""
        if position in self.refused:
            return self.refused[position].reason
        return response.finish.value if position in self.fallbacks else "read"

    def take(self, positions: Sequence[int], other: Reading) -> None:
        """Put the moves of a second try, one per position, in the place of these.

        Where the second try failed the first refusal stands.
        """
        for at, position in enumerate(positions):
            if at in other.fallbacks:
                continue
            self.moves[position] = other.moves[at]
            del self.refused[position]
            if at in other.refused:
                self.refused[position] = other.refused[at]
            self.notes[position] = ("repaired", *other.notes.get(at, ()))

    def refuse(self, position: int, refused: Refused) -> None:
        """Play the world's own fallback there."""
        self.moves[position] = self.role.pack(self.role.texts([""]).batch)[0]
        self.refused[position] = refused

    def to_reply(self) -> Reply:
        """Give the reply, without what was asked."""
        batch = self.role.unpack(self.moves)
        return Reply(batch, self.refused, self.notes, frozenset(self.fallbacks))


def read(view: View, responses: Sequence[Response], rows: Sequence[int] | None = None) -> Reading:
    """Read one response per game, or per given position of the view.

    Where there is no text the world's own fallback is played and counted as such: of a refused move
    too if the model is to blame for it (cut off, blocked, empty), of a failed provider alone else.
    """
    role = view.role
    reply = role.texts([response.text if _has_text(response) else "" for response in responses])
    found = Reading(
        role, role.pack(reply.batch), dict(reply.refused), dict(reply.notes), fallbacks=set()
    )
    for position, response in enumerate(responses):
        if not _has_text(response):
            _fall_back(found, position, response)
        elif response.finish is Finish.TRUNCATED and position in found.refused:
            found.refused[position] = Refused("truncated", found.refused[position].detail)
            found.fallbacks.add(position)
    _refuse_illegal(view, reply.batch, found, range(len(view)) if rows is None else rows)
    return found


def _has_text(response: Response) -> bool:
    return response.finish.answered and bool(response.text.strip())


def _fall_back(found: Reading, position: int, response: Response) -> None:
    """Say why the world's fallback is played; it is there already, read from an empty text."""
    found.fallbacks.add(position)
    del found.refused[position]
    if response.finish in OWN_FAULT:
        reason = Finish.EMPTY if response.finish is Finish.STOP else response.finish
        found.refused[position] = Refused(reason.value, response.detail)
    else:
        found.notes[position] = (response.finish.value,)


def _refuse_illegal(view: View, batch: Any, found: Reading, rows: Sequence[int]) -> None:
    """Refuse moves whose kind is not legal now."""
    kinds = view.role.kind_of(batch)
    named = np.flatnonzero(kinds >= 0)
    legal = view.mask[np.asarray(rows, np.int64)[named], kinds[named]]
    for position in named[~legal].tolist():
        if position not in found.fallbacks and position not in found.refused:
            name = view.role.kinds()[int(kinds[position])]
            found.refuse(position, Refused("not_allowed", name))
