"""The WebSocket: one connection is one session, which ends with it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
import uuid

from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from revops_ma.adapters.conversation import Message, Session, answer, told, write_json
from revops_ma.adapters.menu import Menu
from revops_ma.adapters.problem import Problem
from revops_ma.server.lobby import Lobby
from revops_ma.server.settings import MAX_BYTES

TOO_BIG, TRY_LATER, TIME_UP = 1009, 1013, 4408
"""Codes of closed sockets: too large a frame, no slot, idle or too old."""

_log = logging.getLogger(__name__)


class Socket:
    """The ASGI endpoint of a world's /ws."""

    def __init__(self, menu: Menu, lobby: Lobby) -> None:
        """Serve sessions of a menu."""
        self.menu = menu
        self.lobby = lobby
        self._closing: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection to its end."""
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        key = ("socket", uuid.uuid4().hex)
        try:
            session = self.lobby.enter(key, self.menu)
        except Problem as problem:
            # OpenEnv's clients read the refusal as an answer, so it is sent on an open socket.
            await _close(socket, problem, TRY_LATER)
            return
        try:
            self.lobby.on_close(key, lambda why: self._close_later(socket, why))
            await self._converse(socket, session)
        except WebSocketDisconnect:
            pass
        finally:
            self.lobby.leave(key)

    async def _converse(self, socket: WebSocket, session: Session) -> None:
        while True:
            raw = await _text_of(socket)
            if len(raw) > MAX_BYTES:
                await socket.close(TOO_BIG)
                return
            response = await self._answered(session, raw)
            if response is None:
                await socket.close()
                return
            await socket.send_text(write_json(response))

    async def _answered(self, session: Session, raw: str | bytes) -> Message | None:
        metrics, steps, episodes = self.lobby.metrics, session.steps, session.game.episodes
        started = time.perf_counter()
        try:
            response = await answer(session, raw)
        except Exception:
            # A bug of ours ends the episode, not the connection.
            _log.exception("a bug in the server")
            response = told(Problem("internal", "the server has failed; its log says why"))
        metrics.step_seconds += time.perf_counter() - started
        metrics.steps += session.steps - steps
        metrics.episodes += max(session.game.episodes - episodes, 0)
        if response is not None and response["type"] == "error":
            metrics.problems[response["data"]["reason"]] += 1
        return response

    def _close_later(self, socket: WebSocket, why: str) -> None:
        closing = asyncio.ensure_future(_close(socket, Problem("expired", why), TIME_UP))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)


async def _text_of(socket: WebSocket) -> str | bytes:
    """The next frame, text or bytes."""
    event = await socket.receive()
    if event["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(event.get("code", 1005))
    text = event.get("text")
    return text if text is not None else event.get("bytes") or b""


async def _close(socket: WebSocket, problem: Problem, code: int) -> None:
    """Tell a problem and close; the client may be gone by then."""
    with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
        if socket.application_state is WebSocketState.CONNECTED:
            await socket.send_text(write_json(told(problem)))
            await socket.close(code)
