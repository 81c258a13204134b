"""Builds the application: the worlds, the page, the guard before them."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse

from revops_ma import catalog
from revops_ma.adapters.menu import Menu
from revops_ma.adapters.problem import Problem
from revops_ma.errors import BadInput, UnknownName
from revops_ma.server.api import Api
from revops_ma.server.doors import add_doors
from revops_ma.server.guard import Guard
from revops_ma.server.lobby import Lobby
from revops_ma.server.page_routes import add_page
from revops_ma.server.replies import Reply, error
from revops_ma.server.settings import Settings

MOUNTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("", ("revops/normal",)),
    ("/finops", ("finops/task1", "finops/task2", "finops/task3")),
)
"""Where each world is served, and the scenarios that are dealt in turn."""

_log = logging.getLogger(__name__)
_WORDS = {404: "not_found", 405: "wrong_method"}


def build(settings: Settings | None = None) -> FastAPI:
    """Make the application; BadInput where a setting names what is not there."""
    settings = settings or Settings.read({})
    lobby = Lobby(settings)
    menus = [(path, _menu(scenarios, settings)) for path, scenarios in MOUNTS]
    _check_names(settings, [menu for _, menu in menus])
    root: FastAPI | None = None
    for path, menu in menus:
        app = _application(menu, lobby, lifespan=None if root else _lifespan(lobby, menus))
        add_doors(app, menu, lobby)
        if root is None:
            root = app
        else:
            root.mount(path, app)
    assert root is not None
    _add_metrics(root, lobby)
    add_page(root, Api([menu for _, menu in menus], lobby))
    root.add_middleware(Guard, settings=settings)
    root.state.lobby = lobby
    return root


def _menu(scenarios: Sequence[str], settings: Settings) -> Menu:
    """The menu of a mount; a scenario and an engine of the settings go where they fit."""
    world = catalog.scenario(scenarios[0]).world
    if settings.scenario and catalog.scenario(settings.scenario).world is world:
        scenarios = [settings.scenario]
    second = world.roles[1].name
    fits = settings.crisis in catalog.fitting(second, world)
    opponents = {second: settings.crisis} if fits else {}
    return Menu(scenarios, opponents, models=settings.offers_models)


def _check_names(settings: Settings, menus: Sequence[Menu]) -> None:
    """BadInput for a scenario of no world that is served, or an engine that fits none."""
    if settings.scenario:
        name = catalog.scenario(settings.scenario).name
        if not any(name in menu.rotation for menu in menus):
            raise BadInput.of("--scenario", name, "one of a world that is served")
    if settings.crisis and not any(menu.opponents for menu in menus):
        fitting = {name for menu in menus for name in menu.agents[menu.world.roles[1].name]}
        raise UnknownName.among("crisis agent", settings.crisis, fitting, "Add a card to agents/.")


def _application(menu: Menu, lobby: Lobby, lifespan: Any) -> FastAPI:
    app = FastAPI(
        title=f"revops_ma: {menu.world.name}",
        version=f"1.{menu.world.version}.0",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )

    async def on_problem(_: Request, problem: Problem) -> Reply:
        return error(problem)

    async def on_http(_: Request, found: HTTPException) -> Reply:
        code = _WORDS.get(found.status_code, "bad_input")
        reply = error(Problem(code, str(found.detail)), found.headers)
        reply.status_code = found.status_code
        return reply

    async def on_invalid(_: Request, found: RequestValidationError) -> Reply:
        return error(Problem("bad_input", _explained(found)))

    async def on_bug(_: Request, found: Exception) -> Reply:
        _log.error("a bug in the server", exc_info=found)
        return error(Problem("internal", "the server has failed; its log says why"))

    handlers: dict[Any, Any] = {
        Problem: on_problem,
        HTTPException: on_http,
        RequestValidationError: on_invalid,
        Exception: on_bug,
    }
    for kind, handler in handlers.items():
        app.add_exception_handler(kind, handler)
    return app


def _explained(found: RequestValidationError) -> str:
    """What is wrong with a request, field by field, without what was sent and what reads it."""
    told = []
    for each in found.errors():
        field = ".".join(map(str, each["loc"][1:])) or "body"
        told.append(f"{field}: {each['msg']}")
    return "; ".join(told)


def _lifespan(lobby: Lobby, menus: Sequence[tuple[str, Menu]]) -> Any:
    @contextlib.asynccontextmanager
    async def run(_: FastAPI) -> AsyncGenerator[None]:
        await asyncio.to_thread(_warm_up, [menu for _, menu in menus])
        # OpenEnv brings half a million objects that live for ever: without them in its way the
        # collector takes a tenth of a move's time instead of a third.
        gc.collect()
        gc.freeze()
        sweeping = asyncio.create_task(lobby.keep_sweeping())
        try:
            yield
        finally:
            gc.unfreeze()
            sweeping.cancel()
            lobby.pool.shutdown(wait=False, cancel_futures=True)

    return run


def _warm_up(menus: Sequence[Menu]) -> None:
    """Play a move of each world, so that what is compiled is there before the first visitor."""
    for menu in menus:
        seat = menu.order({"seed": 0}).seat
        seat.deal([0])
        seat.play(seat.role.objects([None]))
        seat.world.observation(seat.table.games, 0, seat.index)


def _add_metrics(app: FastAPI, lobby: Lobby) -> None:
    @app.get("/metrics", response_class=PlainTextResponse, tags=["Monitoring"])
    async def metrics() -> PlainTextResponse:
        """Counters in Prometheus' text format."""
        return PlainTextResponse(lobby.metrics.text(len(lobby), lobby.settings.max_sessions))
