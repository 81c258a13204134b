"""All sessions of a server: how many there may be, and how long they last."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from revops_ma.adapters.conversation import Session
from revops_ma.adapters.menu import Menu
from revops_ma.adapters.problem import Problem
from revops_ma.server.metrics import Metrics
from revops_ma.server.settings import Settings

SWEEP_SECONDS = 5.0
"""Longest time between two looks for sessions that are idle or old."""

Key = tuple[str, str]
"""Which door a session came through, and its id."""


class Lobby:
    """Hands out sessions. Only the event loop touches it."""

    def __init__(self, settings: Settings) -> None:
        """Open with no session."""
        self.settings = settings
        self.metrics = Metrics()
        self.pool = ThreadPoolExecutor(settings.slow_threads, "revops-ma-slow")
        self._sessions: dict[Key, Session] = {}
        self._told: dict[Key, Callable[[str], None]] = {}

    def __len__(self) -> int:
        """Give the number of sessions."""
        return len(self._sessions)

    def enter(self, key: Key, menu: Menu) -> Session:
        """The session of a key, begun where there is none; Problem (`capacity`) where it is full.

        A session that is idle or old is closed first: its owner begins a new one.
        """
        session = self.find(key)
        if session is None:
            session = self._begin(key, menu)
        return session

    def find(self, key: Key) -> Session | None:
        """The session of a key, None where there is none or its time is up."""
        session = self._sessions.get(key)
        if session is not None and self.why_closed(session):
            self._close(key)
            return None
        return session

    def _begin(self, key: Key, menu: Menu) -> Session:
        most = self.settings.max_sessions
        if len(self._sessions) >= most:
            self.sweep()
        if len(self._sessions) >= most:
            self.metrics.refused += 1
            raise Problem(
                "capacity", f"all {most} sessions are taken: close one, or try again later"
            )
        session = Session(menu, self.settings.step_seconds, self.pool)
        self._sessions[key] = session
        self.metrics.opened += 1
        return session

    def leave(self, key: Key) -> None:
        """Close a session that its owner has left."""
        self._sessions.pop(key, None)
        self._told.pop(key, None)

    def why_closed(self, session: Session) -> str:
        """Why a session's time is up, "" while it is not."""
        now, settings = time.monotonic(), self.settings
        if session.is_busy:
            return ""
        if now - session.touched > settings.idle_seconds:
            return f"the session was silent for {settings.idle_seconds:g} s"
        if now - session.born > settings.lifetime_seconds:
            return f"the session is older than {settings.lifetime_seconds:g} s"
        return ""

    def sweep(self) -> None:
        """Close all sessions whose time is up."""
        for key in [key for key, session in self._sessions.items() if self.why_closed(session)]:
            self._close(key)

    def on_close(self, key: Key, tell: Callable[[str], None]) -> None:
        """Have `tell` called with the reason when the session of a key is closed for its time."""
        self._told[key] = tell

    def _close(self, key: Key) -> None:
        why = self.why_closed(self._sessions[key])
        tell = self._told.get(key)
        self.leave(key)
        self.metrics.reaped += 1
        if tell is not None:
            tell(why)

    async def keep_sweeping(self) -> None:
        """Sweep for as long as the server runs."""
        settings = self.settings
        pause = min(SWEEP_SECONDS, settings.idle_seconds / 4, settings.lifetime_seconds / 4)
        while True:
            await asyncio.sleep(pause)
            self.sweep()

    @contextmanager
    def timed(self) -> Generator[None]:
        """Count a call and the problem that it ended with."""
        started = time.perf_counter()
        try:
            yield
        except Problem as problem:
            self.metrics.problems[problem.code] += 1
            raise
        finally:
            self.metrics.step_seconds += time.perf_counter() - started
