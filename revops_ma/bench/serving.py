"""The server under many sockets, beside an echo on OpenEnv's own server in the same rounds.

Both are uvicorn in a process of its own; one client holds all sockets of a line and every session
waits for its answer before it goes on.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import socket
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from revops_ma.bench.meter import Line, NotMeasured, Subject, Work, measure, ratio

SESSIONS = 500
STEPS = 5
"""Steps of every session in one sample."""
MOVES = (
    {"action_type": "negotiate_contracts", "magnitude": 1.0},
    {"action_type": "hire_support", "magnitude": 0.4},
    {"action_type": "cut_costs", "magnitude": 0.7},
    {"action_type": "raise_prices", "magnitude": 0.3},
    {"action_type": "negotiate_contracts", "magnitude": 0.6},
)
"""Played in turn they carry an easy company through its thirty months."""
_EASY = {"seed": 7, "scenario": "revops/easy"}
_TASK = {"seed": 7, "task_id": "task1"}
_NEEDS = ("openenv", "fastapi", "uvicorn", "websockets")
_START_SECONDS = 120
_QUIET = ("--ws-per-message-deflate", "false", "--ws-ping-interval", "1e6")
"""No compression; and no pings, which nobody answers while another line is measured."""

Application = Sequence[str]
"""An application factory, and flags of uvicorn."""
OURS: Application = ("revops_ma.server.app:build", "--ws", "websockets-sansio")
"""As `revops-ma serve` starts it."""
PEER: Application = ("revops_ma.bench.echo:build",)

Message = Mapping[str, Any]


def serving(seconds: float) -> list[Line]:
    """Steps a second of an echo and of both worlds."""
    call = {"tool": "list_invoices", "args": {"customer_id": "cus_001"}}
    with ExitStack() as stack:

        def made(application: Application, mount: str, asked: Message, *steps: Message) -> Work:
            return stack.enter_context(crowd(application, mount, Script(asked, steps)))

        told = f"{SESSIONS} sockets, one process each for the server and for all clients."
        echo, company, desk = measure(
            [
                Subject(
                    "peer: OpenEnv's server with an echo",
                    "steps/s",
                    f"{told} The answer has two fields.",
                    lambda: made(PEER, "", {"seed": 7}, {"message": "negotiate"}),
                ),
                Subject(
                    "revops over a socket",
                    "steps/s",
                    f"{told} The answer holds the dashboard, its text and the reward's parts.",
                    lambda: made(OURS, "", _EASY, *MOVES),
                ),
                Subject(
                    "finops over a socket",
                    "steps/s",
                    f"{told} The answer holds the ticket and all tools with their schemas.",
                    lambda: made(OURS, "/finops", _TASK, call),
                ),
            ],
            seconds,
        )
    over = ratio("revops / echo over a socket", company, echo, "0.7 at the least.")
    return [echo, company, desk, over]


class Script:
    """What every session says: a reset, and steps in turn until the episode is over."""

    def __init__(self, asked: Message, steps: Sequence[Message]) -> None:
        """Write the messages once: what is measured is the server."""
        self.reset = json.dumps({"type": "reset", "data": asked})
        self._steps = [json.dumps({"type": "step", "data": step}) for step in steps]

    def step(self, number: int) -> str:
        """The message of a step."""
        return self._steps[number % len(self._steps)]


class Crowd:
    """Sockets that play a script, all at the same step."""

    def __init__(self, script: Script, sockets: Sequence[Any]) -> None:
        """Begin before the first step."""
        self.script, self.sockets, self.done = script, sockets, 0

    async def begin(self) -> None:
        """Reset all."""
        await asyncio.gather(*(_say(each, self.script.reset) for each in self.sockets))

    async def play(self) -> int:
        """Some steps of every session; how many that were in all."""
        played = sum(await asyncio.gather(*map(self._play, self.sockets)))
        self.done += STEPS
        return played

    async def _play(self, each: Any) -> int:
        """An episode that is over is begun anew."""
        for number in range(self.done, self.done + STEPS):
            if '"done":true' in await _say(each, self.script.step(number)):
                await _say(each, self.script.reset)
        return STEPS


@contextmanager
def crowd(application: Application, mount: str, script: Script) -> Generator[Work]:
    """A server with sockets to it; the work is some steps of every session at once."""
    if missing := [name for name in _NEEDS if importlib.util.find_spec(name) is None]:
        raise NotMeasured(f'pip install "revops-ma[serve]" (missing: {", ".join(missing)})')
    with server(application) as port, asyncio.Runner() as loop:
        url = f"ws://127.0.0.1:{port}{mount}/ws"
        all_of_them = Crowd(script, loop.run(_connected(url)))
        loop.run(all_of_them.begin())
        try:
            yield lambda: loop.run(all_of_them.play())
        finally:
            loop.run(_closed(all_of_them.sockets))


@contextmanager
def server(application: Application) -> Generator[int]:
    """Uvicorn with an application factory in a process of its own; gives its port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(2048)
        command = [sys.executable, "-m", "uvicorn", "--factory", *application]
        flags = ["--fd", str(listener.fileno()), "--log-level", "error", "--no-access-log"]
        plain = {key: value for key, value in os.environ.items() if "REVOPS_MA" not in key}
        process = subprocess.Popen(  # noqa: S603 (our own command)
            [*command, *flags, *_QUIET],
            pass_fds=[listener.fileno()],
            env={**plain, "REVOPS_MA_MAX_SESSIONS": "1000"},
        )
        try:
            yield listener.getsockname()[1]
        finally:
            process.terminate()
            process.wait()


async def _connected(url: str) -> list[Any]:
    from websockets.asyncio.client import connect

    return [
        await connect(
            url, proxy=None, compression=None, open_timeout=_START_SECONDS, ping_interval=None
        )
        for _ in range(SESSIONS)
    ]


async def _say(each: Any, text: str) -> str:
    await each.send(text)
    told: str = await each.recv()
    if '"type":"observation"' not in told:
        raise RuntimeError(f"the server answered {told[:300]}")
    return told


async def _closed(sockets: Sequence[Any]) -> None:
    for each in sockets:
        await each.close()
