"""`revops-ma serve`: the OpenEnv server and the page."""

from __future__ import annotations

import socket
import sys
from typing import Annotated

import typer

from revops_ma.cli.common import AsJson, print_json
from revops_ma.errors import BadInput, RunFailed
from revops_ma.server.settings import MAX_BYTES, Settings


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on; 127.0.0.1.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65_535, help="Port; 8000.")] = None,
    scenario: Annotated[
        str | None, typer.Option("--scenario", "-s", help="Card dealt where a reset names none.")
    ] = None,
    crisis: Annotated[
        str | None, typer.Option(help="Agent of the crisis seat unless a reset names one.")
    ] = None,
    token: Annotated[
        str | None, typer.Option(help="Bearer token that requests need; else REVOPS_MA_TOKEN.")
    ] = None,
    max_sessions: Annotated[
        int | None, typer.Option(min=1, help="Most sessions at a time; 1,000.")
    ] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Let other machines in without a token.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Serve both worlds over HTTP and WebSocket, and the page at /judge.

    Example: revops-ma serve --port 8000, then open the printed address. Every flag is a variable
    too, e.g. REVOPS_MA_PORT; `.env.example` lists all. With --json the addresses come as JSON.
    """
    settings = Settings.read(
        {
            "host": host,
            "port": port,
            "scenario": scenario,
            "crisis": crisis,
            "token": token,
            "max_sessions": max_sessions,
            "insecure": insecure or None,
        }
    )
    settings.check_binding()
    with _listen(settings.host, settings.port) as listener:
        _run(settings, listener, as_json=as_json)


def _listen(host: str, port: int) -> socket.socket:
    """Take the port before anything heavy is loaded; RunFailed in one line where it is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host.strip("[]"), port))
        # Many clients of a training job connect at once.
        listener.listen(2048)
    except OSError as error:
        listener.close()
        raise RunFailed(
            f"cannot listen on {host} port {port}: {error.strerror}; another server may be running:"
            " stop it, or choose another --port"
        ) from None
    listener.set_inheritable(True)
    return listener


def _run(settings: Settings, listener: socket.socket, *, as_json: bool) -> None:
    try:
        import uvicorn

        from revops_ma.server.app import MOUNTS, build
    except ModuleNotFoundError as error:
        raise BadInput(
            f"the server needs {error.name}: install it with `pip install revops-ma[serve]`"
        ) from None
    config = uvicorn.Config(
        build(settings),
        log_level="warning",
        access_log=False,
        ws="websockets-sansio",
        ws_max_size=MAX_BYTES,
        ws_per_message_deflate=False,
        server_header=False,
        timeout_graceful_shutdown=3,
    )
    address, port = listener.getsockname()[:2]
    shown = f"[{address}]" if ":" in address else address
    url = f"http://{shown}:{port}"
    worlds = [url + mount for mount, _ in MOUNTS]
    sys.stderr.write(
        f"Playing at {url}/judge; OpenEnv at {' and '.join(worlds)}. Stop with Ctrl-C.\n"
    )
    sys.stderr.flush()
    if as_json:
        print_json({"page": f"{url}/judge", "openenv": worlds, "port": port})
        sys.stdout.flush()
    uvicorn.Server(config).run(sockets=[listener])


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(serve)
