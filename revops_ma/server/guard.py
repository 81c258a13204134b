"""What stands before every request and socket: token, origin, host, size, headers.

A plain ASGI layer, so that sockets pass through it too. It answers by itself whatever may not go on
and never lets a body through that is larger than allowed.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from revops_ma.adapters.problem import Problem
from revops_ma.server.replies import error
from revops_ma.server.settings import MAX_BYTES, Settings, is_loopback, listed

Scope = MutableMapping[str, Any]
Event = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

BODY_SECONDS = 20.0
"""Longest that a client may take to send a body."""
PUBLIC = ("/", "/judge", "/health", "/favicon.ico")
"""Paths that need no token: the page itself, which asks for one, and the health check."""
PUBLIC_FOLDER = "/static/"


class Guard:
    """Lets through what may pass."""

    def __init__(self, app: App, settings: Settings) -> None:
        """Stand before an application."""
        self.app = app
        self.settings = settings
        self.origins = listed(settings.origins)
        self.hosts = listed(settings.hosts)
        self.headers = _security_headers(settings.frame_ancestors)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request or socket and hand it on, or answer it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        sender = self._dressed(send)
        try:
            self._check(scope)
            if scope["type"] == "http":
                receive = await _bounded(scope, receive)
        except Problem as problem:
            await _refuse(scope, receive, sender, problem)
            return
        await self.app(scope, receive, sender)

    def _check(self, scope: Scope) -> None:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        self._check_reach(scope, headers.get(b"host", ""))
        self._check_origin(headers)
        path = scope["path"]
        if self.settings.is_open or path in PUBLIC or path.startswith(PUBLIC_FOLDER):
            return
        kind, _, given = headers.get(b"authorization", "").partition(" ")
        if kind.casefold() != "bearer" or not given:
            raise Problem("no_token", "this server needs a token: Authorization: Bearer <token>")
        if not hmac.compare_digest(given.strip().encode(), self.settings.token.encode()):
            raise Problem("wrong_token", "this is not the token of this server")

    def _check_reach(self, scope: Scope, host: str) -> None:
        """A server without a token serves this machine only, under this machine's own names.

        The second keeps out pages whose name was pointed at this machine after they were loaded.
        """
        if not self.settings.is_open or self.settings.insecure:
            return
        server = (scope.get("server") or ("localhost",))[0]
        if not is_loopback(server):
            raise Problem(
                "needs_token", "other machines need a token here: set one, or serve with --insecure"
            )
        name = _host_name(host)
        if name and not is_loopback(name) and name not in self.hosts:
            raise Problem(
                "foreign_host", "this server does not go by that name; see REVOPS_MA_HOSTS"
            )

    def _check_origin(self, headers: dict[bytes, str]) -> None:
        origin = headers.get(b"origin", "").casefold()
        if not origin or origin in self.origins:
            return
        named = _netloc(origin)
        if not named or named != headers.get(b"host", "").casefold():
            raise Problem("foreign_origin", "pages of other sites may not call this server")

    def _dressed(self, send: Send) -> Send:
        async def sender(event: Event) -> None:
            if event["type"] in ("http.response.start", "websocket.http.response.start"):
                present = {name.lower() for name, _ in event.get("headers", ())}
                more = [header for header in self.headers if header[0] not in present]
                event = {**event, "headers": [*event.get("headers", ()), *more]}
            await send(event)

        return sender


def _netloc(origin: str) -> str:
    """Host and port of an origin, "" for a text that is none."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def _host_name(host: str) -> str:
    """The name in a Host header, without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].casefold()


def _security_headers(frame_ancestors: str) -> list[tuple[bytes, bytes]]:
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
        " connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none';"
        f" frame-ancestors {frame_ancestors}"
    )
    headers = {
        "content-security-policy": policy,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "no-store",
    }
    return [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]


async def _bounded(scope: Scope, receive: Receive) -> Receive:
    """Read the whole body, which is small, and give it out again; Problem if it is not small."""
    length = dict(scope["headers"]).get(b"content-length", b"0")
    if not length.isdigit() or int(length[:20]) > MAX_BYTES:
        raise _too_large()
    if scope["method"] in ("GET", "HEAD") and length == b"0":
        return receive
    parts, size, more = [], 0, True
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while more:
                event = await receive()
                if event["type"] != "http.request":
                    break
                parts.append(event.get("body", b""))
                size += len(parts[-1])
                if size > MAX_BYTES:
                    raise _too_large()
                more = event.get("more_body", False)
    except TimeoutError:
        raise Problem("slow_request", f"the body did not come within {BODY_SECONDS:g} s") from None
    return _again(b"".join(parts), receive)


def _again(body: bytes, receive: Receive) -> Receive:
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Event:
        return waiting.pop() if waiting else await receive()

    return replay


def _too_large() -> Problem:
    return Problem("too_large", f"a body has at most {MAX_BYTES:,} bytes")


async def _refuse(scope: Scope, receive: Receive, send: Send, problem: Problem) -> None:
    headers = {"www-authenticate": "Bearer"} if problem.code.endswith("_token") else {}
    if scope["type"] == "http":
        # What is left of the body is not read: the connection cannot be used again.
        reply = error(problem, {**headers, "connection": "close"})
        await reply(scope, receive, send)
        return
    await receive()
    reply = error(problem, headers)
    if "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": 1008, "reason": problem.code})
        return
    start = {"type": "websocket.http.response.start", "status": reply.status_code}
    await send({**start, "headers": reply.raw_headers})
    await send({"type": "websocket.http.response.body", "body": reply.body, "more_body": False})
