"""One seat of a world, and the ways to speak for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revops_ma.errors import BadInput
from revops_ma.game.reply import Reply
from revops_ma.game.values import Batch, Floats


class Role(ABC):
    """One seat of a world and the ways to speak for it: numbers, JSON objects, text.

    None of the readers raises on what it reads: an unreadable move is a `Refused` in the Reply.
    """

    name: str
    """`pilot` or `crisis`: the same word in flags, agent ids, module names and columns."""

    @property
    @abstractmethod
    def space(self) -> Any:
        """Gymnasium space of native moves."""

    @property
    @abstractmethod
    def training_space(self) -> Any:
        """Gymnasium MultiDiscrete space of moves, for learners that need integers."""

    @property
    @abstractmethod
    def observation_space(self) -> Any:
        """Gymnasium Box of `View.numbers`, float32."""

    @property
    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """JSON schema of one move."""

    @abstractmethod
    def discrete(self, actions: NDArray[np.integer]) -> Reply:
        """Read moves from the training space, [n, k] integers."""

    @abstractmethod
    def objects(self, objects: Sequence[object]) -> Reply:
        """Read native moves: decoded JSON objects, or samples of `space`."""

    @abstractmethod
    def texts(self, texts: Sequence[str]) -> Reply:
        """Read moves from n free texts that should each hold one JSON object."""

    def typed(self, line: str) -> Reply:
        """Read what a person typed; a role may allow shorter forms than JSON."""
        return self.texts([line])

    @property
    def typing_hint(self) -> str:
        """One line for a person: what can be typed."""
        return "Type one JSON object, or q to leave."

    @abstractmethod
    def pack(self, batch: Batch) -> list[Any]:
        """Turn a batch into JSON values, one per move."""

    @abstractmethod
    def unpack(self, packed: Sequence[Any]) -> Batch:
        """Make a batch from packed moves, to the same bits."""

    @abstractmethod
    def caption(self, batch: Batch, position: int) -> str:
        """Name one move of a batch in a few words."""

    def spell(self, batch: Batch, position: int) -> str:
        """Tell one move of a batch as an answer that `texts` reads back, where it can be told."""
        return self.caption(batch, position)

    malformed: frozenset[str] = frozenset()
    """Reasons of refusals that say: this is no move at all. A server turns such a message down and
    plays nothing; any other refused move costs the turn."""

    def menu(self) -> Batch:
        """The moves that an exact search tries for this role; the first one does nothing."""
        raise BadInput(f"the {self.name} has no menu of moves that could be searched exactly")

    @abstractmethod
    def kinds(self) -> Sequence[str]:
        """Names of the kinds of move, for frequency tables."""

    @abstractmethod
    def kind_of(self, batch: Batch) -> NDArray[np.int64]:
        """[n]; index into `kinds()` of each move, negative where a move is none of them."""

    @abstractmethod
    def strength_of(self, batch: Batch) -> Floats:
        """[n]; how strong each move is: magnitude, severity."""
