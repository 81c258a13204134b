"""The nouns of every game: Role, View, Reply, Refused, Outcome, World, Agent.

A World is stateless rules over N games at once; one game is N = 1. A Table (see `table.py`) holds
the games, offers Views that wait for a Reply, and takes the replies. An Agent turns a View into a
Reply and keeps no hidden state between calls. Nothing here knows a world, an adapter or a model.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from revops_ma.calls import Asked
from revops_ma.errors import BadInput, ClosedView, HiddenState

Rows = NDArray[np.int64]
Floats = NDArray[np.float64]
Games = Any
"""Whatever a world deals: `len()` is the number of games; it pickles and deep-copies."""
Batch = Any
"""The moves of n rows in the form that the world's `apply` eats; `len()` is n."""

Flags = NDArray[np.bool_]
Coast = Callable[[Games, Rows, Batch, Floats, Flags], None]
"""See `World.coaster`."""

OVER = -1
"""`to_move` of a game that has ended."""

_EMPTY: Mapping[int, Any] = {}


@dataclass(frozen=True, slots=True)
class Refused:
    """A move that could not be read or is not allowed: data, never an exception.

    The world has already put its fallback move in its place; `reason` is one word of a fixed list.
    """

    reason: str
    detail: str = ""


@dataclass(slots=True)
class Reply:
    """The moves for all rows of a View, with what has to be said about them.

    The mappings go from position in the batch (0..n-1), not from game row.
    """

    batch: Batch
    refused: Mapping[int, Refused] = field(default_factory=lambda: _EMPTY)
    notes: Mapping[int, tuple[str, ...]] = field(default_factory=lambda: _EMPTY)
    """Reason codes of moves that were read although they were untidy: `fenced`, `clamped`, ..."""
    fallbacks: frozenset[int] = frozenset()
    """Positions where a rule moved because the agent's provider failed."""
    asked: Mapping[int, Asked] = field(default_factory=lambda: _EMPTY)
    """What models were asked for these moves, and answered."""


class Outcome(Protocol):
    """What one application of moves did to the rows, position by position.

    A world that counts in records of its own makes the columns when they are read: many never are.
    One that has them anyway returns a `PlainOutcome`.
    """

    @property
    def rows(self) -> Rows:
        """[n] of the games."""
        ...

    @property
    def detail(self) -> Any:
        """The world's own record of the turn."""
        ...

    @property
    def rewards(self) -> Floats:
        """[n, roles]; zero where nothing was scored yet."""
        ...

    @property
    def scored(self) -> NDArray[np.bool_]:
        """[n]; whether a step of the episode was completed and paid."""
        ...

    @property
    def ended(self) -> NDArray[np.bool_]:
        """[n]; whether the game is over now."""
        ...

    @property
    def played(self) -> Batch:
        """The moves as they took effect: fallbacks resolved, severities cut to the budget."""
        ...

    @property
    def signals(self) -> Floats:
        """[n, signals]; weighted parts of the first role's reward, summing to it left to right."""
        ...

    def paid(self, position: int) -> list[float]:
        """Rewards of every role in one game, as Python floats."""
        ...


@dataclass(slots=True)
class PlainOutcome:
    """An outcome whose columns are known at once, but for the signals."""

    rows: Rows
    rewards: Floats
    scored: NDArray[np.bool_]
    ended: NDArray[np.bool_]
    detail: Any
    played: Batch
    weigh: Callable[[Any], Floats]
    """Computes `signals` from `detail`."""

    @property
    def signals(self) -> Floats:
        """[n, signals], worked out anew at every read."""
        return self.weigh(self.detail)

    def paid(self, position: int) -> list[float]:
        """Rewards of every role in one game."""
        return self.rewards[position].tolist()


@dataclass(frozen=True, slots=True)
class Figure:
    """How a figure of `facts` or `trace` is shown; one without this is a plain number."""

    title: str
    unit: str = ""
    """`$` before the number, `%` for a share of 1, any other word after the number."""
    limits: tuple[float, ...] = ()
    """Levels at which the game is lost: drawn as lines."""


_EMPTY_FIGURES: Mapping[str, Figure] = {}


@dataclass(frozen=True, slots=True)
class Entry:
    """What came of one move, for people who read along; the move itself is its role's caption."""

    mark: str
    """One word: `ok`, the code of an error, `no effect`."""
    answer: str = ""
    """What came back or changed, in one line."""
    tone: Literal["plain", "good", "bad"] = "plain"
    full: str = ""
    """All that came back, for who wants to look."""


@dataclass(slots=True)
class Cycle:
    """What happened in N games from one move of a seat to its next one."""

    rewards: Floats
    """[N] of the seat."""
    ended: NDArray[np.bool_]
    """[N]; whether the game ended. Its place is taken by a new one."""
    finals: Games
    """The ended games, in order, as they stood at their end."""
    signals: Floats
    """[ended, signals]; parts of the first role's reward of their last step."""


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


class Past(NamedTuple):
    """One earlier turn of a role in one game."""

    text: str
    """What the role was told then."""
    said: str
    """The move it made, as `Role.spell` tells it."""


class History(Protocol):
    """Whoever remembers the turns of the games: a Table."""

    def past(self, row: int, role_index: int, most: int) -> list[Past]:
        """The latest turns of a role in one game, oldest first, at most so many."""
        ...


class View:
    """What an agent is asked: some games that wait for one role's move.

    Numbers, mask and texts are made when first read. A view closes once it is answered: read later
    it would describe the next state, so it raises ClosedView instead.
    """

    __slots__ = (
        *("_games", "_history", "_made", "_open"),
        *("role", "role_index", "rows", "sees_all", "world"),
    )

    def __init__(
        self,
        world: World,
        games: Games,
        rows: Rows,
        role_index: int,
        history: History | None = None,
    ) -> None:
        """Look at `rows` of `games` with the eyes of one role."""
        self.world = world
        self.rows = rows
        self.role_index = role_index
        self.role = world.roles[role_index]
        self.sees_all = True
        self._games = games
        self._history = history
        self._open = True
        self._made: dict[str, Any] = {}

    def __len__(self) -> int:
        """Give the number of games that wait."""
        return len(self.rows)

    @property
    def numbers(self) -> Floats:
        """[n, d] float64 observation, in the order of the role's `observation_space`."""
        return self._once("numbers", self.world.observe)

    @property
    def mask(self) -> NDArray[np.bool_]:
        """[n, kinds] which kinds of move are legal."""
        return self._once("mask", self.world.legal)

    @property
    def texts(self) -> list[str]:
        """One text per game for people and language models."""
        return self._once("texts", self.world.describe)

    def luck(self, lane: int) -> Floats:
        """[n] numbers in [0, 1) of the role's own luck: keyed, independent of the market's."""
        self._check_open()
        return self.world.luck(self._games, self.rows, self.role_index, lane)

    def public(self, position: int) -> Any:
        """What the role has been shown so far in one game, as the world's own structure.

        None where a world has no more to show than numbers and texts. Read it, don't change it.
        """
        self._check_open()
        return self.world.public(self._games, int(self.rows[position]), self.role_index)

    def past(self, position: int, most: int) -> list[Past]:
        """The role's latest turns in one game, oldest first, at most so many.

        Raises BadInput where nobody remembers them: a view of bare games, or of games whose table
        has forgotten its log.
        """
        self._check_open()
        if most == 0:
            return []
        if self._history is None:
            raise BadInput(
                f"the {self.role.name} asked for its past turns, but this game has no log;"
                " play it at a table, or set memory = 0 in the card"
            )
        return self._history.past(int(self.rows[position]), self.role_index, most)

    @property
    def secret_texts(self) -> list[str]:
        """[n] what the texts leave out, for agents that declare `sees = "everything"`."""
        self.secrets()
        return self._once("secret_texts", self.world.reveal)

    def screen(self, position: int) -> str:
        """What a person at a terminal reads of one game."""
        self._check_open()
        return self.world.screen(self._games, int(self.rows[position]), self.role_index)

    def secrets(self) -> tuple[Games, Rows]:
        """Give the full games and the rows, for agents that declare `sees = "everything"`."""
        self._check_open()
        if not self.sees_all:
            raise HiddenState(
                f'the {self.role.name} asked for the full state; its card says sees = "dashboard".'
                ' Say sees = "everything" in the card if that is what you mean.'
            )
        return self.world.secrets(self._games, self.rows)

    def dashboard_only(self) -> View:
        """Hide the full state from here on; return this view."""
        self.sees_all = False
        return self

    def is_of(self, games: Games) -> bool:
        """Whether the view looks at these very games."""
        return self._games is games

    def close(self) -> None:
        """Mark as answered; ClosedView if it was answered before."""
        if not self._open:
            self._check_open()
        self._open = False

    def _once(self, what: str, make: Any) -> Any:
        self._check_open()
        if what not in self._made:
            self._made[what] = make(self._games, self.rows, self.role_index)
        return self._made[what]

    def _check_open(self) -> None:
        if not self._open:
            raise ClosedView(f"this view of the {self.role.name} was answered; take a new one")


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
    def legal(self, games: Games, rows: Rows, role: int) -> NDArray[np.bool_]:
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
    def won(self, games: Games, rows: Rows) -> NDArray[np.bool_]:
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


def slow(bot: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a scripted player that searches: one decision takes more than a tenth of a millisecond.

    What asks agents about thousands of imagined games leaves such players out.
    """
    bot.__dict__["is_slow"] = True
    return bot


@runtime_checkable
class Agent(Protocol):
    """Decides for one seat. Keeps no hidden state between calls; pickles and deep-copies."""

    @property
    def name(self) -> str:
        """Name of the card."""
        ...

    @property
    def identity(self) -> str:
        """Name and content hash: equal identities decide alike."""
        ...

    def act(self, view: View) -> Reply:
        """Answer for every row of the view."""
        ...

    def seated(self, scenario: Any, players: Mapping[str, Agent]) -> Agent:
        """Get ready for a matchup: who sits where, by role name. Most agents return themselves."""
        ...
