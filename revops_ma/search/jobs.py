"""Searching many seeds on all cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from revops_ma.progress import track

SEEDS_PER_JOB = 5
"""Seeds searched side by side: enough to fill the kernels, few enough for all cores."""


def in_threads(
    job: Callable[[Sequence[int]], list[Any]], seeds: Sequence[int], what: str
) -> list[Any]:
    """Run a job on a few seeds at a time, on all cores: kernels release the GIL.

    Gives one result per seed, in their order.
    """
    parts = [seeds[i : i + SEEDS_PER_JOB] for i in range(0, len(seeds), SEEDS_PER_JOB)]
    found: list[Any] = []
    with track(what, len(seeds)) as advance, ThreadPoolExecutor(os.cpu_count()) as pool:
        for results in pool.map(job, parts):
            found += results
            advance(len(results))
    return found
