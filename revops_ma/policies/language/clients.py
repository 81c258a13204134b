"""Clients of providers: made when first needed, one per process, and part of no agent.

They hold locks, sockets and the key, so they are never pickled, copied or shown.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

_clients: dict[tuple[Any, ...], Any] = {}
_lock = threading.Lock()


def client_of(about: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    """The client of these settings in this process; a forked process makes its own."""
    key = (os.getpid(), *about)
    with _lock:
        if key not in _clients:
            _clients[key] = make()
        return _clients[key]


def retire_clients(provider: str) -> None:
    """Use the clients of a provider no more: a call that hangs may hold on to their connections.

    They are not closed, since others may be talking through them; they end with their last call.
    """
    with _lock:
        for key in [key for key in _clients if key[1] == provider]:
            del _clients[key]


def forget_clients() -> None:
    """Close all clients of this process, and drop the keys that they hold."""
    with _lock:
        for key, client in _clients.items():
            if key[0] == os.getpid():
                client.close()
        _clients.clear()
