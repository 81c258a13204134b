"""How rule functions are compiled: one decorator, so that every kernel obeys the same contract."""

from __future__ import annotations

from numba import njit

kernel = njit(cache=True, nogil=True, error_model="numpy")
"""Compile with numba: cached on disk, without the GIL, IEEE division, no fastmath, so the same bits
as plain Python (`f.py_func`, or NUMBA_DISABLE_JIT=1 for everything)."""
