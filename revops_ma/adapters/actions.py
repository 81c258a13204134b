"""The two forms in which a framework hands over moves: native samples and training integers.

Both readers take anything: what is no legal move becomes a Refused move, never an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, Literal

import numpy as np

from revops_ma.errors import BadInput
from revops_ma.game import Refused, Reply, Role

ActionForm = Literal["native", "discrete"]
"""`native`: samples of `role.space` or JSON objects; `discrete`: of `role.training_space`."""
Reader = Callable[[Sequence[object]], Reply]


def action_space(role: Role, form: ActionForm) -> Any:
    """A space of a role's actions in one form, of its own: environments seed their spaces."""
    return deepcopy(role.training_space if check_form(form) == "discrete" else role.space)


def reader(role: Role, form: ActionForm) -> Reader:
    """What turns n actions of one form into a Reply."""
    return DiscreteReader(role) if check_form(form) == "discrete" else role.objects


def check_form(form: str) -> str:
    """Return the form; BadInput if there is no such form."""
    if form not in ("native", "discrete"):
        raise BadInput.of("actions", form, "native, discrete")
    return form


class DiscreteReader:
    """Reads actions of a role's MultiDiscrete training space.

    A list, tuple or integer array of the right length whose entries are in range is a move; all
    else is refused as `not_in_space`, with the role's own fallback in its place.
    """

    def __init__(self, role: Role) -> None:
        """Learn the sizes of the role's training space."""
        self.role = role
        self.sizes: list[int] = role.training_space.nvec.tolist()
        self._read: dict[tuple[int, ...], Reply] = {}

    def __call__(self, actions: Sequence[object]) -> Reply:
        """Read n actions."""
        if len(actions) == 1:
            return self._one(actions[0])
        return self._all(actions)

    def _one(self, action: object) -> Reply:
        """Read one action; there are few, so the replies to legal ones are kept."""
        key = tuple(_whole_numbers(action))
        reply = self._read.get(key)
        if reply is None:
            reply = self._all([action])
            if not reply.refused:
                self._read[key] = reply
        return reply

    def _all(self, actions: Sequence[object]) -> Reply:
        found = [self._indices(action) for action in actions]
        refused = {
            position: Refused("not_in_space", repr(actions[position])[:80])
            for position, indices in enumerate(found)
            if indices is None
        }
        legal = [indices or [0] * len(self.sizes) for indices in found]
        reply = self.role.discrete(np.array(legal, np.int64).reshape(-1, len(self.sizes)))
        return _with_fallbacks(self.role, reply, refused) if refused else reply

    def table(self, actions: Any) -> Reply:
        """Read an [n, k] array at once; BadInput unless it is an integer array of that shape."""
        if not isinstance(actions, np.ndarray) or actions.dtype.kind not in "iu":
            raise BadInput.of("actions", type(actions).__name__, "an array of integers")
        if actions.ndim != 2 or actions.shape[1] != len(self.sizes):
            raise BadInput.of("shape of actions", actions.shape, f"(n, {len(self.sizes)})")
        outside = ((actions < 0) | (actions >= np.array(self.sizes))).any(1)
        if not outside.any():
            return self.role.discrete(actions)
        refused = {
            int(position): Refused("not_in_space", str(actions[position].tolist()))
            for position in np.flatnonzero(outside)
        }
        legal = np.where(outside[:, None], 0, actions)
        return _with_fallbacks(self.role, self.role.discrete(legal), refused)

    def _indices(self, action: object) -> list[int] | None:
        values = _whole_numbers(action)
        if len(values) != len(self.sizes):
            return None
        inside = all(0 <= value < size for value, size in zip(values, self.sizes, strict=True))
        return values if inside else None


def _whole_numbers(action: object) -> list[int]:
    """Python ints of a list, tuple or flat array of integers; empty if it is none."""
    if isinstance(action, np.ndarray):
        return action.tolist() if action.dtype.kind in "iu" and action.ndim == 1 else []
    if not isinstance(action, (list, tuple)):
        return []
    whole = [
        int(value)
        for value in action
        if isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    ]
    return whole if len(whole) == len(action) else []


def _with_fallbacks(role: Role, reply: Reply, refused: dict[int, Refused]) -> Reply:
    """Put the role's fallback move (what it plays for a non-object) at the refused positions."""
    fallback = role.objects([None]).batch
    for position in refused:
        reply.batch[position] = fallback[0]
    return Reply(reply.batch, refused)
