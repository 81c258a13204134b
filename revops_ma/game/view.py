"""What an agent is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from revops_ma.errors import BadInput, ClosedView, HiddenState
from revops_ma.game.values import Flags, Floats, Games, Rows

if TYPE_CHECKING:
    from revops_ma.game.world import World


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
    def mask(self) -> Flags:
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
