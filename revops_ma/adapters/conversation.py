"""A session and the messages it answers: the same for a socket, for HTTP and in process.

Messages and answers are those of OpenEnv's WebSocket: `{"type": "reset" | "step" | "state" |
"close", "data": {...}}` and `{"type": "observation" | "state" | "error", "data": {...}}`.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, TypeVar

from pydantic_core import PydanticSerializationError, to_json

from revops_ma.adapters.menu import Menu
from revops_ma.adapters.problem import Problem
from revops_ma.adapters.served import Frame, ServedGame
from revops_ma.errors import BadInput, RevopsError

Message = dict[str, Any]
Made = TypeVar("Made")

STEP_SECONDS = 30.0
"""Longest that a reset or step may take, opponents included."""

WIRE_CODES = {
    "bad_json": "INVALID_JSON",
    "unknown_type": "UNKNOWN_TYPE",
    "protocol": "VALIDATION_ERROR",
    "bad_input": "VALIDATION_ERROR",
    "capacity": "CAPACITY_REACHED",
}
"""Our codes in the words of OpenEnv's protocol; all others are written in capitals."""

_DOUBTFUL = ("NaN", "Infinity")

_log = logging.getLogger(__name__)


class Session:
    """One game and its clock. Calls wait for each other; slow opponents run in other threads."""

    def __init__(
        self, menu: Menu, step_seconds: float = STEP_SECONDS, pool: Executor | None = None
    ) -> None:
        """Begin a session; `pool` runs what is slow, by default the event loop's own."""
        self.game = ServedGame(menu)
        self.step_seconds = step_seconds
        self.pool = pool
        self.born = self.touched = time.monotonic()
        self.steps = 0
        """Moves played in this session."""
        self._lock = asyncio.Lock()

    @property
    def is_busy(self) -> bool:
        """Whether something is being played right now."""
        return self._lock.locked()

    async def reset(self, asked: object) -> Frame:
        """Begin an episode."""
        async with self._lock:
            self.touched = time.monotonic()
            order = self.game.order(asked)
            return await self.run(lambda: self.game.begin(order), is_slow=order.is_slow)

    async def step(self, action: object) -> Frame:
        """Play one action."""
        async with self._lock:
            self.touched = time.monotonic()
            reply = self.game.read(action)
            frame = await self.run(lambda: self.game.play(reply), is_slow=self.game.is_slow)
            self.steps += 1
            return frame

    async def alone(self, work: Callable[[ServedGame], Made], *, is_slow: bool) -> Made:
        """Do something else with the game while nobody plays it."""
        async with self._lock:
            self.touched = time.monotonic()
            return await self.run(lambda: work(self.game), is_slow=is_slow)

    async def run(self, work: Callable[[], Made], *, is_slow: bool) -> Made:
        """Do the work of a call; whatever goes wrong in it ends the episode without a reward."""
        try:
            return await self._elsewhere(work) if is_slow else work()
        except Problem:
            raise
        except RevopsError as error:
            self.game.abandon()
            _log.warning("an opponent failed: %s", error)
            # What a provider answered may tell more than a client should read.
            told = str(error) if isinstance(error, BadInput) else type(error).__name__
            raise Problem(
                "opponent_failed", f"an agent failed, the episode is given up: {told}"
            ) from error
        except Exception:
            self.game.abandon()
            raise

    async def _elsewhere(self, work: Callable[[], Made]) -> Made:
        loop = asyncio.get_running_loop()
        try:
            return await asyncio.wait_for(loop.run_in_executor(self.pool, work), self.step_seconds)
        except TimeoutError:
            self._let_go()
            raise Problem(
                "deadline",
                f"an agent took longer than {self.step_seconds:g} s; the episode is given up",
            ) from None
        except asyncio.CancelledError:
            self._let_go()
            raise

    def _let_go(self) -> None:
        """Leave the game to the thread, which may still be playing it, and begin without one."""
        self.game = ServedGame(self.game.menu)


async def answer(session: Session, raw: str | bytes) -> Message | None:
    """Answer one message of a socket; None where it asks to close. Never raises a Problem."""
    try:
        return await _answer(session, read_json(raw))
    except Problem as problem:
        return told(problem)


async def _answer(session: Session, message: Any) -> Message | None:
    if not isinstance(message, dict):
        raise Problem("bad_json", "a message is one JSON object")
    kind, data = message.get("type"), message.get("data")
    if extra := sorted(set(message) - {"type", "data"}):
        raise Problem(
            "protocol", f"a message has the keys type and data: got {extra[0][:80]!r} too"
        )
    if kind == "close":
        return None
    if kind == "reset":
        return _observed(await session.reset(data))
    if kind == "step":
        return _observed(await session.step(data))
    if kind == "state":
        session.touched = time.monotonic()
        return {"type": "state", "data": session.game.state}
    shown = repr(kind)[:80]
    raise Problem("unknown_type", f"type: got {shown}; allowed: reset, step, state, close")


def _observed(frame: Frame) -> Message:
    return {"type": "observation", "data": frame}


def told(problem: Problem) -> Message:
    """A problem as a message of the socket."""
    code = WIRE_CODES.get(problem.code, problem.code.upper())
    return {"type": "error", "data": {**problem.to_json(), "code": code, "reason": problem.code}}


def read_json(raw: str | bytes) -> Any:
    """Decode JSON; Problem (`bad_json`) where it is none. An empty text is None."""
    if not raw.strip():
        return None
    try:
        return json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise Problem("bad_json", f"not JSON: {type(error).__name__}: {str(error)[:100]}") from None


def write_json(document: Any) -> str:
    """Strict JSON: no text of a visitor can make it unsendable; ValueError for NaN and infinity.

    Half of a step's time would go into Python's own writer. The fast one takes what it must not, so
    whatever looks like it is left to the strict one.
    """
    try:
        text = to_json(document).decode()
        if not any(word in text for word in _DOUBTFUL):
            return text
    except PydanticSerializationError:
        pass  # half a surrogate pair: the strict one escapes it
    return json.dumps(document, allow_nan=False, separators=(",", ":"))
