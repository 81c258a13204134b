"""What a server is told: by flags, else by REVOPS_MA_* variables, else nothing special."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from revops_ma.errors import BadInput

PREFIX = "REVOPS_MA_"
SPACE_VARIABLE = "SPACE_HOST"
"""Where Hugging Face tells a Space its public name: pages of that name may call."""
MAX_BYTES = 262_144
"""Bytes of a request body or a WebSocket frame; a move takes less than two hundred."""


def _knob(default: Any, about: str) -> Any:
    return field(default=default, metadata={"about": about})


@dataclass(frozen=True)
class Settings:
    """Everything that can be set; each field is the variable REVOPS_MA_<NAME> too."""

    host: str = _knob("127.0.0.1", "address to listen on")
    port: int = _knob(8000, "port to listen on")
    scenario: str = _knob("", "scenario that is dealt where a reset names none; empty: the usual")
    crisis: str = _knob("", "agent that takes the crisis seat unless a reset names one")
    token: str = _knob("", "bearer token that every request needs; empty: none")
    insecure: bool = _knob(False, "serve other machines without a token")
    open_models: bool = _knob(False, "let visitors without a token seat language models")
    max_sessions: int = _knob(1_000, "most sessions at a time, sockets and HTTP together")
    idle_seconds: float = _knob(900.0, "a session that is silent for so long is closed")
    lifetime_seconds: float = _knob(14_400.0, "a session this old is closed")
    step_seconds: float = _knob(30.0, "longest that a reset or step may take")
    slow_threads: int = _knob(8, "threads for agents that search or ask a model")
    origins: str = _knob("", "other origins whose pages may call, separated by commas")
    hosts: str = _knob("", "other names of this server, separated by commas")
    frame_ancestors: str = _knob("'none'", "who may show the page in a frame (CSP)")
    runs: str = _knob("runs", "folder of run directories that the page can replay")

    def __post_init__(self) -> None:
        """BadInput for numbers that make no server."""
        for name in ("max_sessions", "idle_seconds", "lifetime_seconds", "step_seconds"):
            if not getattr(self, name) > 0:
                raise BadInput.of(name, getattr(self, name), "a number above 0")
        if self.token != self.token.strip() or not self.token.isascii():
            raise BadInput("token: has spaces around it or letters beyond ASCII")

    @classmethod
    def read(
        cls, given: Mapping[str, Any], environment: Mapping[str, str] = os.environ
    ) -> Settings:
        """Take what is given (None: nothing), then variables, then the defaults."""
        values: dict[str, Any] = {}
        for known in fields(cls):
            text = environment.get(f"{PREFIX}{known.name.upper()}", "")
            if given.get(known.name) is not None:
                values[known.name] = given[known.name]
            elif text:
                values[known.name] = _parsed(known.name, text, type(known.default))
        if space := environment.get(SPACE_VARIABLE):
            values["origins"] = f"{values.get('origins', '')},https://{space}"
        return cls(**values)

    @property
    def is_open(self) -> bool:
        """Whether everybody who reaches the server may use it without being asked."""
        return not self.token

    @property
    def offers_models(self) -> bool:
        """Whether visitors may seat language models: calls of strangers would cost money."""
        return self.open_models or not (self.is_open and self.insecure)

    @property
    def runs_folder(self) -> Path:
        """Where stored runs lie."""
        return Path(self.runs)

    def check_binding(self) -> None:
        """BadInput where other machines could use the server without a token."""
        if self.is_open and not self.insecure and not is_loopback(self.host):
            raise BadInput(
                f"--host {self.host} lets other machines in, and there is no token: give --token"
                " (or REVOPS_MA_TOKEN), or --insecure if everybody may play"
            )


def is_loopback(host: str) -> bool:
    """Whether an address or name is that of this machine alone."""
    if host.casefold() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def listed(text: str) -> frozenset[str]:
    """The parts of a setting that holds several."""
    return frozenset(part.strip().casefold() for part in text.split(",") if part.strip())


_FALSE, _TRUE = {"0", "false", "no", "off"}, {"1", "true", "yes", "on"}


def _parsed(name: str, text: str, kind: type) -> Any:
    if kind is bool:
        if text.casefold() not in _FALSE | _TRUE:
            raise BadInput.of(f"{PREFIX}{name.upper()}", text, "0 or 1")
        return text.casefold() in _TRUE
    try:
        return kind(text)
    except ValueError:
        raise BadInput.of(f"{PREFIX}{name.upper()}", text, f"a {kind.__name__}") from None
