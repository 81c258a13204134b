"""What the page calls: begin, move, autoplay, fork, replay, match. One game per visitor.

The id of a visitor's session is a random number that the page draws; nobody else's page knows it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field

from revops_ma.adapters.conversation import Session
from revops_ma.adapters.menu import Menu, Order, is_slow
from revops_ma.adapters.problem import Problem
from revops_ma.adapters.served import YOU, ServedGame
from revops_ma.server.archive import Archive
from revops_ma.server.choices import choices
from revops_ma.server.fixtures import Fixture, Fixtures
from revops_ma.server.lobby import Key, Lobby
from revops_ma.server.replies import Reply
from revops_ma.server.story import Story, tell

SHORTEST_ID = 16


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Begin(_Body):
    """An episode to begin; see /reset for `asked`."""

    world: str = Field(max_length=80)
    asked: dict[str, Any] = Field(default_factory=dict)


class Move(_Body):
    """A move made by hand."""

    action: dict[str, Any]


class Auto(_Body):
    """Moves made by an agent for the visitor's seat."""

    agent: str = Field(max_length=80)
    moves: int = Field(default=1, ge=1, le=500)


class Fork(_Body):
    """Where another line begins: before step `at`, of the visitor's game or of a stored one."""

    at: int = Field(ge=1, le=500)
    run: str | None = Field(default=None, max_length=255)
    episode: int = Field(default=0, ge=0)
    seat: str | None = Field(default=None, max_length=80)


class Api:
    """The routes of the page."""

    def __init__(self, menus: Sequence[Menu], lobby: Lobby) -> None:
        """Serve all worlds."""
        self.menus = {menu.world.name: menu for menu in menus}
        self.lobby = lobby
        self.archive = Archive(lobby.settings.runs_folder)
        self.fixtures = Fixtures(self.menus)

    @cached_property
    def offered(self) -> list[dict[str, Any]]:
        """Worlds, scenarios and agents; what was read once stays as it is."""
        return choices(self.menus.values())

    def router(self) -> APIRouter:
        """All routes; none is part of OpenEnv's contract, so none is in the OpenAPI document."""
        router = APIRouter(prefix="/api", default_response_class=Reply, include_in_schema=False)
        for path, made in (
            ("/begin", self.begin),
            ("/move", self.move),
            ("/auto", self.auto),
            ("/fork", self.fork),
            ("/match", self.match),
        ):
            router.post(path)(made)
        for path, made in (
            ("/choices", self.choices),
            ("/story", self.story),
            ("/runs/{run}", self.run),
            ("/runs/{run}/{number}", self.episode),
        ):
            router.get(path)(made)
        return router

    async def choices(self, request: Request) -> Reply:
        """Everything that can be chosen, and whether the visitor has a game to resume."""
        session = self.lobby.find(_key(request))
        return Reply(
            {
                "worlds": self.offered,
                "runs": await self._read(self.archive.names),
                "resumes": session is not None and session.game.seat is not None,
            }
        )

    async def begin(self, request: Request, body: Begin) -> Reply:
        """Begin an episode."""
        menu = self._menu(body.world)
        session = self._enter(request, menu)
        with self.lobby.timed():
            await session.reset(body.asked)
        self.lobby.metrics.episodes += 1
        return await self._told(session)

    async def move(self, request: Request, body: Move) -> Reply:
        """Play a move by hand."""
        session = self._find(request)
        with self.lobby.timed():
            frame = await session.step(body.action)
        self.lobby.metrics.steps += 1
        return await self._told(session, refused=frame["metadata"]["refused"])

    async def auto(self, request: Request, body: Auto) -> Reply:
        """Have an agent play the visitor's seat for some moves."""
        session = self._find(request)
        seat = session.game.playing()
        agent = session.game.menu.agent(body.agent, seat.role.name, seat.scenario)
        slow = session.game.is_slow or is_slow(agent)

        def play(game: ServedGame) -> int:
            chair = game.playing()
            players = {**chair.players, chair.role.name: agent}
            seated = agent.seated(chair.scenario, players)
            done = 0
            while done < body.moves and len(chair.rows):
                view = chair.table.view_of(0)
                assert view is not None
                game.play(seated.act(view), by=agent.name)
                done += 1
            return done

        with self.lobby.timed():
            self.lobby.metrics.steps += await session.alone(play, is_slow=slow)
        return await self._told(session)

    async def fork(self, request: Request, body: Fork) -> Reply:
        """Go back to a step, of the own game or a stored one, and play on from there."""
        base: Story
        if body.run is None:
            session = self._find(request)
            base = self._tell(session)
            order, seed, moves = session.game.again()
            hands = list(session.game.hands)
        else:
            run, number = body.run, body.episode
            seat = body.seat or "pilot"
            base = await self._read(self.archive.story, run, number)
            order, told = await self._read(self.archive.order, run, number, seat)
            seed, moves, hands = told.seed, told.moves, [base["players"][seat]] * len(told.moves)
            menu = self._menu(base["world"])
            _check_hired(menu, order)
            session = self._enter(request, menu)

        if body.at > base["steps"] + (not base["over"]):
            raise Problem("bad_input", f"at: the game has {base['steps']} steps, got {body.at}")

        def play(game: ServedGame) -> None:
            order.seat.relive(seed, moves, body.at - 1)
            own = sum(turn.role == order.seat.index for turn in order.seat.table.log)
            game.take_up(order, hands[:own])

        with self.lobby.timed():
            await session.alone(play, is_slow=order.is_slow)
        return await self._told(session, base=base)

    async def story(self, request: Request) -> Reply:
        """The visitor's game once more, after the page was loaded anew."""
        return await self._told(self._find(request))

    async def run(self, run: str) -> Reply:
        """A stored run: scoreboard and episodes."""
        return Reply(await self._read(self.archive.overview, run))

    async def episode(self, run: str, number: int) -> Reply:
        """A stored episode, played again."""
        return Reply(await self._read(self.archive.story, run, number))

    async def match(self, body: Fixture) -> Reply:
        """Play two agents against each other over many seeds."""
        return Reply(await self.fixtures.play(body, self.lobby.pool))

    async def _read(self, work: Any, *arguments: Any) -> Any:
        """Read files elsewhere: the loop has games to serve."""
        loop = asyncio.get_running_loop()
        seconds = self.lobby.settings.step_seconds
        try:
            return await asyncio.wait_for(
                loop.run_in_executor(self.lobby.pool, work, *arguments), seconds
            )
        except TimeoutError:
            raise Problem("deadline", f"reading took longer than {seconds:g} s") from None

    async def _told(self, session: Session, **more: Any) -> Reply:
        return Reply({**self._tell(session), **more})

    def _tell(self, session: Session) -> Story:
        game = session.game
        seat = game.playing()
        players = {**game.names, seat.role.name: YOU}
        story = tell(seat.table, players, seat.scenario.name, viewer=seat.index, hands=game.hands)
        return {**story, "you": seat.role.name, "prompt": story["text"]}

    def _menu(self, world: str) -> Menu:
        if world not in self.menus:
            raise Problem("bad_input", f"world: allowed: {', '.join(self.menus)}")
        return self.menus[world]

    def _enter(self, request: Request, menu: Menu) -> Session:
        key = _key(request)
        session = self.lobby.enter(key, menu)
        if session.game.menu is not menu:
            self.lobby.leave(key)
            session = self.lobby.enter(key, menu)
        return session

    def _find(self, request: Request) -> Session:
        session = self.lobby.find(_key(request))
        if session is None:
            raise Problem("no_episode", "there is no game: begin one")
        return session


def _check_hired(menu: Menu, order: Order) -> None:
    """Problem where a stored run would seat an agent that visitors may not ask for."""
    for role, name in order.names.items():
        if not menu.models and name not in menu.agents[role]:
            raise Problem("bad_input", f"{name} may not be seated by visitors of this server")


def _key(request: Request) -> Key:
    name = request.headers.get("x-session-id", "")
    if not SHORTEST_ID <= len(name) <= 128:
        raise Problem("bad_input", f"X-Session-Id: {SHORTEST_ID} to 128 letters")
    return "page", name
