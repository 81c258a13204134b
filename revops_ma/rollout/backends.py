"""Backends by name."""

from __future__ import annotations

from revops_ma.errors import BadInput
from revops_ma.rollout.embedded import EmbeddedPool
from revops_ma.rollout.pool import RolloutPool

EMBEDDED, RAY = "embedded", "ray"
BACKENDS = (EMBEDDED, RAY)
MOST_WORKERS = 1_024


def open_pool(backend: str = EMBEDDED, workers: int | None = None) -> RolloutPool:
    """Make a pool; nothing is started before it is needed. Close it, or use it as a context.

    `workers` is for Ray, one per core if None. Raises BadInput for an unknown backend, a number of
    workers that it cannot have, and where Ray is not installed.
    """
    if backend not in BACKENDS:
        raise BadInput.of("--backend", backend, ", ".join(BACKENDS))
    if workers is not None and not 1 <= workers <= MOST_WORKERS:
        raise BadInput.of("--workers", workers, f"a whole number from 1 to {MOST_WORKERS:,}")
    if backend == EMBEDDED:
        if workers not in (None, 1):
            raise BadInput.of(
                "--workers", workers, "1 with --backend embedded; --backend ray takes more"
            )
        return EmbeddedPool()
    from revops_ma.rollout.ray_pool import RayPool

    return RayPool(workers)
