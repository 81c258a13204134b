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

SESSIONS = 64
STEPS = 5
"""Steps of every session in one sample."""
_NEEDS = ("openenv", "fastapi", "uvicorn", "websockets")
_RESET: dict[str, Any] = {"type": "reset", "data": {"seed": 7}}
_START_SECONDS = 120

Application = Sequence[str]
"""An application factory, and flags of uvicorn."""
OURS: Application = ("revops_ma.server.app:build", "--ws", "websockets-sansio")
"""As `revops-ma serve` starts it."""
PEER: Application = ("revops_ma.bench.echo:build",)

Message = Mapping[str, Any]


def serving(seconds: float) -> list[Line]:
    """Steps a second of an echo and of both worlds."""
    move = {"action_type": "negotiate_contracts", "magnitude": 0.8}
    call = {"tool": "list_invoices", "args": {"customer_id": "cus_001"}}
    with ExitStack() as stack:

        def made(application: Application, mount: str, data: Message) -> Work:
            return stack.enter_context(crowd(application, mount, {"type": "step", "data": data}))

        told = f"{SESSIONS} sockets, one process each for the server and for all clients."
        echo, company, desk = measure(
            [
                Subject(
                    "peer: OpenEnv's server with an echo",
                    "steps/s",
                    f"{told} The answer has two fields.",
                    lambda: made(PEER, "", {"message": "negotiate"}),
                ),
                Subject(
                    "revops over a socket",
                    "steps/s",
                    f"{told} The answer holds the dashboard, its text and the reward's parts.",
                    lambda: made(OURS, "", move),
                ),
                Subject(
                    "finops over a socket",
                    "steps/s",
                    f"{told} The answer holds the ticket and all tools with their schemas.",
                    lambda: made(OURS, "/finops", call),
                ),
            ],
            seconds,
        )
    over = ratio("revops / echo over a socket", company, echo, "0.7 at the least.")
    return [echo, company, desk, over]


@contextmanager
def crowd(application: Application, mount: str, step: Message) -> Generator[Work]:
    """A server with sockets to it; the work is some steps of every session at once."""
    if missing := [name for name in _NEEDS if importlib.util.find_spec(name) is None]:
        raise NotMeasured(f'pip install "revops-ma[serve]" (missing: {", ".join(missing)})')
    with server(application) as port, asyncio.Runner() as loop:
        url = f"ws://127.0.0.1:{port}{mount}/ws"
        sockets = loop.run(_connected(url))
        try:
            yield lambda: loop.run(_all(sockets, json.dumps(step)))
        finally:
            loop.run(_closed(sockets))


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
            [*command, *flags, "--ws-per-message-deflate", "false"],
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

    sockets = [
        await connect(url, proxy=None, compression=None, open_timeout=_START_SECONDS)
        for _ in range(SESSIONS)
    ]
    await asyncio.gather(*(_say(each, json.dumps(_RESET)) for each in sockets))
    return sockets


async def _all(sockets: Sequence[Any], step: str) -> int:
    return sum(await asyncio.gather(*(_play(each, step) for each in sockets)))


async def _play(each: Any, step: str) -> int:
    """Some steps of one session; an episode that is over is begun anew."""
    for _ in range(STEPS):
        if '"done":true' in await _say(each, step):
            await _say(each, json.dumps(_RESET))
    return STEPS


async def _say(each: Any, text: str) -> str:
    await each.send(text)
    told: str = await each.recv()
    if '"type":"observation"' not in told:
        raise RuntimeError(f"the server answered {told[:300]}")
    return told


async def _closed(sockets: Sequence[Any]) -> None:
    for each in sockets:
        await each.close()
