"""Kernel loops on several threads: they release the GIL, and games are independent."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any

ROWS_PER_THREAD = 4_096
"""Months of work below twice this many are done faster than a second thread wakes up."""
_CORES = os.cpu_count() or 1
"""Asked once: the question costs more than a month of one company."""


@cache
def pool() -> ThreadPoolExecutor:
    """The threads of this process, made when first needed."""
    return ThreadPoolExecutor(_CORES, thread_name_prefix="revops")


if hasattr(os, "register_at_fork"):
    # Threads do not survive a fork: the child makes its own pool.
    os.register_at_fork(after_in_child=pool.cache_clear)


def split(
    loop: Callable[..., None], games: Any, *columns: Any, grain: int = ROWS_PER_THREAD
) -> None:
    """Run `loop(games, *columns)` over parts of the columns, on several threads where it pays.

    All columns have one entry per row to work on; fewer than 2 * `grain` of them stay on the
    caller's thread. Rows are independent and every thread has its own, so the bits do not depend
    on the number of threads.
    """
    _share_out(lambda *part: loop(games, *part), columns, _worthwhile(len(columns[0]), grain))


def split_games(
    loop: Callable[..., None], columns: Sequence[Any], *settings: Any, threads: int | None = None
) -> None:
    """Run `loop(*columns, *settings)` over parts of the columns, the games being one of them.

    For loops over all games, without rows. `threads` is how many to use; None: as many as pay.
    """
    if threads is None:
        threads = _worthwhile(len(columns[0]), ROWS_PER_THREAD)
    _share_out(lambda *part: loop(*part, *settings), columns, threads)


def _worthwhile(size: int, grain: int) -> int:
    if size < 2 * grain:
        return 1  # counting the processors takes longer than a small loop
    return min(size // grain, _CORES)


def _share_out(work: Callable[..., None], columns: Sequence[Any], parts: int) -> None:
    """Call `work` with each part of the columns, the last on the caller's thread."""
    if parts < 2:
        work(*columns)
        return
    size = len(columns[0])
    edges = [size * part // parts for part in range(parts + 1)]
    *others, own = ([column[a:b] for column in columns] for a, b in pairwise(edges))
    jobs = [pool().submit(work, *part) for part in others]
    try:
        work(*own)
    finally:
        for job in jobs:
            job.result()
