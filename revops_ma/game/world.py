"""The rules of one kind of game, over N games at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from revops_ma.errors import BadInput
from revops_ma.game.agent import Agent
from revops_ma.game.outcome import Cycle, Entry, Figure, Outcome
from revops_ma.game.role import Role
from revops_ma.game.values import Batch, Flags, Floats, Games, Rows

Coast = Callable[[Games, Rows, Batch, Floats, Flags], None]
"""See `World.coaster`."""

_EMPTY_FIGURES: Mapping[str, Figure] = {}


class World(ABC):
    """Stateless rules. All methods work on N games; `rows` picks some, `role` is an index.

    A world lives in one folder `worlds/<name>` whose package holds it as `WORLD`.
    """

    name: str
    version: int
    """Grows whenever scores stop being comparable."""
    roles: tuple[Role, ...]
    settings: type[BaseModel]
    """Model of the `[rules]` table of a scenario card."""
    signals: tuple[str, ...]
    """Names of the parts of the first role's reward."""
    success: str
    """What a won episode is called, for tables: "survival", "solved"."""
    facts_shown: tuple[str, ...]
    """Names of the facts that a match reports."""
    figures: Mapping[str, Figure] = _EMPTY_FIGURES
    """Titles, units and limits of facts and trace figures, by name."""
    step_name: str = "step"
    """What one scored step is called, in the singular: "month"."""
    lost_on_the_way: bool = True
    """Whether a game is lost when it ends early, so that a survival curve tells something."""

    @abstractmethod
    def deal(self, settings: Any, seeds: Sequence[int]) -> Games:
        """Deal one game per seed."""

    @abstractmethod
    def to_move(self, games: Games) -> NDArray[np.int64]:
        """[N] index of the role to move, OVER (-1) where the game has ended."""

    @abstractmethod
    def observe(self, games: Games, rows: Rows, role: int) -> Floats:
        """[n, d] numbers that the role may see."""

    def observe32(self, games: Games, rows: Rows, role: int) -> NDArray[np.float32]:
        """[n, d] the same numbers, rounded to float32: what environments hand out."""
        return self.observe(games, rows, role).astype(np.float32)

    @abstractmethod
    def legal(self, games: Games, rows: Rows, role: int) -> Flags:
        """[n, kinds] which kinds of move are legal."""

    @abstractmethod
    def describe(self, games: Games, rows: Rows, role: int) -> list[str]:
        """Give n texts that tell the role what it may see."""

    def reveal(self, games: Games, rows: Rows, role: int) -> list[str]:
        """Give n texts of what `describe` leaves out; all of `info` where a world has no better."""
        return [
            "\n".join(f"{name}: {value}" for name, value in self.info(games, row).items())
            for row in rows.tolist()
        ]

    @abstractmethod
    def luck(self, games: Games, rows: Rows, role: int, lane: int) -> Floats:
        """[n] numbers in [0, 1) of the role's own luck for its current turn."""

    @abstractmethod
    def apply(self, games: Games, rows: Rows, role: int, batch: Batch) -> Outcome:
        """Change the given rows by one move each; rows that end never move again."""

    @abstractmethod
    def won(self, games: Games, rows: Rows) -> Flags:
        """[n] whether the first role reached its goal."""

    @abstractmethod
    def endings(self, games: Games, rows: Rows) -> list[str]:
        """Give n names of why the games are over."""

    @abstractmethod
    def facts(self, games: Games, rows: Rows) -> dict[str, Floats]:
        """Final figures by name, [n] each."""

    @abstractmethod
    def trace(self, games: Games, rows: Rows) -> dict[str, Floats]:
        """Figures worth a line over time, by name, [n] each."""

    @abstractmethod
    def fork(self, games: Games, rows: Rows) -> Games:
        """Copy the given games; the copies have the same future under the same moves."""

    @abstractmethod
    def fingerprint(self, games: Games, row: int) -> bytes:
        """Bytes that are equal exactly when two games are in the same state."""

    def info(self, games: Games, row: int) -> dict[str, Any]:
        """What environments tell beside the observation of one game: plain values, hidden too.

        A key keeps its type from turn to turn: Gymnasium's vector environments make columns of it.
        """
        return {}

    def observation(self, games: Games, row: int, role: int) -> dict[str, Any]:
        """What a role sees of one game by name, as strict JSON: what servers send.

        `max_steps` is there where an episode has a step budget. Nothing in it is hidden from the
        role.
        """
        rows = np.array([row])
        return {
            "text": self.describe(games, rows, role)[0],
            "numbers": self.observe(games, rows, role)[0].tolist(),
        }

    def observation_schema(self, role: int) -> dict[str, Any]:
        """JSON schema of `observation`."""
        numbers = {"type": "array", "items": {"type": "number"}}
        return {
            "type": "object",
            "properties": {"text": {"type": "string"}, "numbers": numbers},
            "required": ["text", "numbers"],
        }

    def public(self, games: Games, row: int, role: int) -> Any:
        """What the role has been shown so far in one game, structured; None if there is no more."""
        return None

    def secrets(self, games: Games, rows: Rows) -> tuple[Games, Rows]:
        """What agents that see everything are handed: the games, or copies in another form."""
        return games, rows

    def brief(self, games: Games, row: int) -> str:
        """The task of one game in words, "" where all games have the same one."""
        return ""

    def narrate(self, games: Games, role: int, outcome: Outcome, position: int) -> Entry | None:
        """What came of one move of an outcome, told right after it; None if its caption says it."""
        return None

    def screen(self, games: Games, row: int, role: int) -> str:
        """What a person at a terminal reads before a move; models read `describe`."""
        return self.describe(games, np.array([row]), role)[0]

    def replace(self, games: Games, rows: Rows, fresh: Games) -> None:
        """Put newly dealt games, one per row, in the place of others."""
        for position, row in enumerate(rows):
            games[row] = fresh[position]

    def stepper(
        self, games: Games, role: int, opponents: Mapping[str, Agent]
    ) -> Callable[[Batch], Cycle] | None:
        """A compiled loop for one seat against these opponents, or None where there is none.

        Each call plays one move of the seat in all N games and goes on until it is asked again;
        games that end go on with their seed + N.
        """
        return None

    def remarks(self, settings: Any) -> Sequence[str]:
        """What a user should know of these settings before playing them, a sentence each."""
        return ()

    def most_turns(self, settings: Any, role: int) -> int:
        """Most turns that a role can have in an episode."""
        raise BadInput(f"the world {self.name} does not tell how many turns an episode has")

    def least(self, games: Games, rows: Rows, strikes: Rows | None = None) -> Floats:
        """[n] a bound that no play goes below: what the first role still earns at the least.

        `strikes` limits how many entries of its menu, passes aside, the second role may still play;
        None: it may do anything.
        """
        return np.full(len(rows), -np.inf)

    def coaster(self, agent: Agent) -> Coast | None:
        """A compiled loop for the last moves of the second role, or None where there is none.

        `loop(games, rows, moves, returns, lost)` plays each of the `moves` in a copy of each row's
        game, in which the second role is to move, and goes on to the end with the first role's
        `agent` against passes. It adds every reward of the first role to `returns` [rows, moves],
        in order, and notes in `lost` [rows, moves] whether it has not won: to the bit what the turn
        loop would do.
        """
        return None

    def role_index(self, name: str) -> int:
        """Index of a role by its name."""
        return [role.name for role in self.roles].index(name)
