"""The routes of one world: stateful /reset, /step and /state, the socket, and what OpenEnv adds.

OpenEnv's own /reset and /step make a new environment for every request, and its /ws dies of a
message that is no object; so these are ours, under the same contract. Health, metadata, schema and
MCP are OpenEnv's.
"""

from __future__ import annotations

import json
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.routing import APIRoute
from openenv.core.env_server.http_server import HTTPEnvServer
from starlette.routing import WebSocketRoute

from revops_ma.adapters.conversation import Session, read_json
from revops_ma.adapters.menu import Menu
from revops_ma.adapters.openenv import openenv_parts
from revops_ma.adapters.problem import Problem
from revops_ma.server.lobby import Key, Lobby
from revops_ma.server.replies import ERROR_SCHEMA, Reply
from revops_ma.server.socket import Socket

SESSION_HEADER = "x-session-id"
DEFAULT_SESSION = "default"
LONGEST_ID = 128


def session_key(request: Request, menu: Menu) -> Key:
    """Which session a request belongs to; Problem for an id that is none."""
    name = request.headers.get(SESSION_HEADER, DEFAULT_SESSION)
    if not name or len(name) > LONGEST_ID or not name.isprintable():
        raise Problem("bad_input", f"X-Session-Id: 1 to {LONGEST_ID} printable letters")
    return f"http {menu.world.name}", name


async def body_of(request: Request) -> Any:
    """The JSON of a request, whatever its Content-Type says; None where there is no body."""
    return read_json(await request.body())


def add_doors(app: FastAPI, menu: Menu, lobby: Lobby) -> None:
    """Give an application all routes of a world."""
    app.include_router(_control(menu, lobby))
    app.router.routes.append(WebSocketRoute("/ws", Socket(menu, lobby)))
    make, action, observation = openenv_parts(menu)
    server = HTTPEnvServer(make, action, observation, env_name=menu.world.name)
    # A sub-application: OpenEnv's routes stay below ours, and without its start-up hooks.
    stock = FastAPI()
    server.register_routes(stock, mode="production")
    for route in stock.router.routes:
        if isinstance(route, APIRoute) and route.path in _STOCK:
            app.router.routes.append(route)


_STOCK = ("/health", "/metadata", "/schema", "/mcp")
"""Routes that are OpenEnv's own. Its task routes answer 501: a scenario is a reset argument."""


def _control(menu: Menu, lobby: Lobby) -> APIRouter:
    router = APIRouter(tags=["Environment Control"], default_response_class=Reply)
    docs = _Docs(menu)

    def enter(request: Request) -> Session:
        return lobby.enter(session_key(request, menu), menu)

    @router.post("/reset", summary="Begin an episode", **docs.of("reset", 400, 422, 502, 503, 504))
    async def reset(request: Request) -> Reply:
        with lobby.timed():
            frame = await enter(request).reset(await body_of(request))
            lobby.metrics.episodes += 1
            return Reply(frame)

    @router.post("/step", summary="Play a move", **docs.of("step", 400, 409, 422, 502, 503, 504))
    async def step(request: Request) -> Reply:
        with lobby.timed():
            session = lobby.find(session_key(request, menu))
            if session is None:
                raise Problem("no_episode", "there is no episode: reset first")
            frame = await session.step(await body_of(request))
            lobby.metrics.steps += 1
            return Reply(frame)

    @router.get("/state", summary="Episode and steps so far", **docs.of("state", 422))
    async def state(request: Request) -> Reply:
        session = lobby.find(session_key(request, menu))
        return Reply(session.game.state if session else {"episode_id": None, "step_count": 0})

    return router


class _Docs:
    """What the OpenAPI document says of the routes."""

    def __init__(self, menu: Menu) -> None:
        seats = range(len(menu.world.roles))
        action: dict[str, Any] = {"anyOf": [role.schema for role in menu.world.roles]}
        wrapped = {
            "type": "object",
            "properties": {"action": action, "timeout_s": {}, "request_id": {}, "metadata": {}},
            "required": ["action"],
            "additionalProperties": False,
        }
        self.bodies = {
            "reset": menu.asks.model_json_schema(),
            "step": {"anyOf": [action, wrapped]},
        }
        observed = [_with_metadata(menu.world.observation_schema(seat)) for seat in seats]
        frame = {
            "type": "object",
            "properties": {
                "observation": {"anyOf": observed},
                "reward": {"type": ["number", "null"]},
                "done": {"type": "boolean"},
                "metadata": {"type": "object"},
            },
            "required": ["observation", "reward", "done", "metadata"],
        }
        state = {
            "type": "object",
            "properties": {
                "episode_id": {"type": ["string", "null"]},
                "step_count": {"type": "integer", "minimum": 0},
            },
            "required": ["episode_id", "step_count"],
        }
        self.answers = {"reset": frame, "step": frame, "state": state}

    def of(self, name: str, *errors: int) -> dict[str, Any]:
        """Arguments of a route."""
        answers: dict[int | str, dict[str, Any]] = {
            status: {"description": "A problem", "content": _content(ERROR_SCHEMA)}
            for status in (401, 403, 413, *errors)
        }
        answers[200] = {"description": "Done", "content": _content(self.answers[name])}
        extra: dict[str, Any] = {"parameters": [_SESSION]}
        if name in self.bodies:
            needed = name != "reset"
            extra["requestBody"] = {"required": needed, "content": _content(self.bodies[name])}
        return {"responses": answers, "openapi_extra": extra}


def _with_metadata(observation: dict[str, Any]) -> dict[str, Any]:
    return {
        **observation,
        "properties": {**observation["properties"], "metadata": {"type": "object"}},
    }


def _content(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": json.loads(json.dumps(schema))}}


_SESSION = {
    "name": "X-Session-Id",
    "in": "header",
    "required": False,
    "description": "Which game this is: any text of your own. Without it all share one.",
    "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST_ID, "pattern": "^[!-~]+$"},
}
