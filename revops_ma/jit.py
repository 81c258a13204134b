"""How rule functions are compiled: one decorator, so that every kernel obeys the same contract."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit

_MARK = b"@kernel"


def kernel(function: Callable[..., Any]) -> Any:
    """Compile with numba: cached on disk, without the GIL, IEEE division, no fastmath.

    The bits are those of plain Python (`f.py_func`). Everything is inlined into its caller, so a
    company stays in registers from stage to stage and loops over branch-free stages become SIMD
    code. Where no folder can be written, it compiles anew in every process.
    """
    compiled: Any = _compiler(_can_cache())(function)
    if _can_cache() and hasattr(compiled, "py_func"):  # not so under NUMBA_DISABLE_JIT=1
        # Numba looks only at the function's own file: it would go on playing the old machine code
        # of a caller whose callee has changed in another file.
        stored = compiled._cache._cache_file
        stored._source_stamp = (stored._source_stamp, _digest_of_kernels())
    return compiled


def _compiler(cached: bool) -> Any:
    return njit(cache=cached, nogil=True, error_model="numpy", forceinline=True)


@cache
def _can_cache() -> bool:
    """Whether numba finds a folder for machine code: beside the source, or the user's own."""
    try:
        _compiler(True)(_probe)
    except RuntimeError:
        sys.stderr.write(
            "revops_ma: no folder for compiled kernels can be written, so every process compiles"
            " them anew; set NUMBA_CACHE_DIR to one that can\n"
        )
        return False
    return True


def _probe(x: float) -> float:
    return x


@cache
def _digest_of_kernels() -> str:
    """Hash of every source file of this package that holds a kernel."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        source = path.read_bytes()
        if _MARK in source:
            digest.update(source)
    return digest.hexdigest()
