"""The least that an OpenEnv environment can do, on OpenEnv's own server: what the wire costs.

uvicorn --factory revops_ma.bench.echo:build
"""

from __future__ import annotations

import warnings
from typing import Any

from fastapi import FastAPI
from openenv.core.env_server import create_fastapi_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State


class Say(Action):
    """A message."""

    message: str


class Heard(Observation):
    """The message, and its length."""

    message: str
    length: int


class Echo(Environment[Say, Heard, State]):
    """Answers each message with itself."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        """Begin a session."""
        super().__init__()
        self._state = State(episode_id="echo", step_count=0)

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Heard:
        """Begin to listen."""
        self._state = State(episode_id=episode_id or "echo", step_count=0)
        return Heard(message="", length=0, reward=0.0, done=False)

    def step(self, action: Say, timeout_s: float | None = None, **_: Any) -> Heard:
        """Say it again."""
        self._state.step_count += 1
        length = len(action.message)
        return Heard(message=action.message, length=length, reward=length / 10, done=False)

    @property
    def state(self) -> State:
        """Episode and steps."""
        return self._state


def build() -> FastAPI:
    """The application."""
    with warnings.catch_warnings():
        # FastAPI's on_event is what OpenEnv 0.10 registers its reaper with.
        warnings.simplefilter("ignore", DeprecationWarning)
        return create_fastapi_app(Echo, Say, Heard, max_concurrent_envs=1_000)
