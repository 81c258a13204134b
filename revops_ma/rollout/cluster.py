"""Starting and stopping Ray: quiet, without dashboard, reports to its makers, or remains.

Ray is imported here and in `crew.py` only, when a pool first needs its workers.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from revops_ma.errors import BadInput

ADDRESS = "RAY_ADDRESS"
"""Environment variable with the address of a cluster to join; without it Ray runs here."""
STORE_BYTES = 512 * 2**20
"""Shared memory of a local Ray: items and results are a few megabytes."""


def check_installed() -> None:
    """Raise BadInput where Ray is not there."""
    if importlib.util.find_spec("ray") is None:
        raise BadInput('--backend ray needs Ray: pip install "revops-ma[ray]"')


def is_remote() -> bool:
    """Whether workers live on a cluster that was there before."""
    return bool(os.environ.get(ADDRESS))


def start(workers: int) -> bool:
    """Start Ray with room for so many workers, or join the cluster of RAY_ADDRESS.

    Gives False, and changes nothing, where this process uses Ray already. Raises BadInput where no
    cluster answers at that address.
    """
    check_installed()
    # Ray reads this when it is imported.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    if ray.is_initialized():
        return False
    address = os.environ.get(ADDRESS)
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if address:
            ray.init(address=address, **quiet)
        else:
            ray.init(
                address="local",
                num_cpus=max(workers, os.cpu_count() or 1),
                object_store_memory=STORE_BYTES,
                include_dashboard=False,
                **quiet,
            )
    except (ConnectionError, ValueError) as error:
        ray.shutdown()
        allowed = f"the address of a Ray cluster whose token is set here too ({error})"
        raise BadInput.of(ADDRESS, address, allowed) from None
    except BaseException:
        stop()
        raise
    _say_nothing_on_stdout(ray)
    return True


def stop() -> None:
    """Stop what `start` started, to the end: a second Ctrl-C waits until it is done."""
    import ray

    with _uninterrupted():
        ray.shutdown()


def _say_nothing_on_stdout(ray: Any) -> None:
    """Ray prints a paragraph on stdout when a worker dies, whatever `log_to_driver` says.

    This is the switch that its own debugger uses; there is no public one.
    """
    ray._private.worker._worker_logs_enabled = False


@contextmanager
def _uninterrupted() -> Generator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
