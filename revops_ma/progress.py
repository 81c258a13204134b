"""Progress of long work, told by whoever does it and shown by whoever listens.

Libraries call `track`; by default nobody listens and it costs nothing. The command line installs a
listener that draws a bar on stderr.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

Advance = Callable[[float], None]
"""Report that so many more units are done."""
Listener = Callable[[str, float], AbstractContextManager[Advance]]
"""Opens a display for (what, total units)."""

_listener: ContextVar[Listener | None] = ContextVar("progress_listener", default=None)


@contextmanager
def track(what: str, total: float) -> Generator[Advance]:
    """Tell that `total` units of `what` begin; yields the function that reports progress."""
    listener = _listener.get()
    if listener is None:
        yield lambda _: None
    else:
        with listener(what, total) as advance:
            yield advance


@contextmanager
def listening(listener: Listener) -> Generator[None]:
    """Send all progress told inside the block to `listener(what, total)`, a context manager."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
