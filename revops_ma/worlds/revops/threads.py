"""Kernel loops on several threads: they release the GIL, and games are independent."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any

ROWS_PER_THREAD = 4_096
"""Months of work below twice this many are done faster than a second thread wakes up."""


@cache
def threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="revops")


if hasattr(os, "register_at_fork"):
    # Threads do not survive a fork: the child makes its own pool.
    os.register_at_fork(after_in_child=threads.cache_clear)


def split(
    loop: Callable[..., None], games: Any, *columns: Any, grain: int = ROWS_PER_THREAD
) -> None:
    """Run `loop(games, *columns)` over parts of the columns, on several threads where it pays.

    All columns have one entry per row to work on; fewer than 2 * `grain` of them stay on the
    caller's thread. Rows are independent and every thread has its own, so the bits do not depend
    on the number of threads.
    """
    size = len(columns[0])
    parts = min(size // grain, os.cpu_count() or 1)
    if parts < 2:
        loop(games, *columns)
        return
    edges = [size * part // parts for part in range(parts + 1)]
    jobs = [
        threads().submit(loop, games, *(column[a:b] for column in columns))
        for a, b in pairwise(edges)
    ]
    for job in jobs:
        job.result()
