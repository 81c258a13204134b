"""Keyed luck: every random number is a pure function of (key, step, lane).

A counter-based generator on the splitmix64 finaliser (Steele, Lea and Flood, 2014). Nothing is
drawn from a shared stream, so luck does not depend on who asked first: the same seed gives the same
numbers in any order, in any process, in a batch of one or of a million.
All arithmetic is uint64 with wrap-around. Functions are compiled by numba and also plain Python.
"""

from __future__ import annotations

import secrets
from numbers import Integral

import numpy as np

from revops_ma.errors import BadInput
from revops_ma.jit import kernel

LANES_PER_STEP = 32
"""Independent numbers available per step: lanes 0..31."""

MAX_SEED = 2**63 - 1
"""Largest seed: it must fit the signed 64-bit columns that tables and Parquet use."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_A = np.uint64(0xBF58476D1CE4E5B9)
_MIX_B = np.uint64(0x94D049BB133111EB)
_ONE = np.uint64(1)
_BITS_11, _BITS_27, _BITS_30, _BITS_31 = (np.uint64(n) for n in (11, 27, 30, 31))
_BITS_16, _BITS_32, _BITS_48 = (np.uint64(n) for n in (16, 32, 48))
_LOW_16 = np.uint64(0xFFFF)
_UNIT = 2.0**-53
_IRWIN_HALL_CENTRE = 131070
"""Mean of the sum of four uniform 16-bit integers."""
_IRWIN_HALL_SCALE = 1.7320508075688772 / 65536
"""sqrt(3) / 2**16: gives the centred sum of four unit variance."""


@kernel
def mix(x):
    """Scramble a uint64 so that nearby inputs give unrelated outputs."""
    x = (x ^ (x >> _BITS_30)) * _MIX_A
    x = (x ^ (x >> _BITS_27)) * _MIX_B
    return x ^ (x >> _BITS_31)


@kernel
def key_of(seed):
    """Key of one game from its own seed (uint64 in, uint64 out)."""
    return mix(mix(seed + _GOLDEN) + _GOLDEN)


@kernel
def bits(key, step, lane):
    """64 random bits of a key at a step (0..) and lane (0..31)."""
    return mix(key + np.uint64(step * LANES_PER_STEP + lane + 1) * _GOLDEN)


@kernel
def uniform(key, step, lane):
    """A float in [0, 1) with 53 random bits."""
    return np.float64(bits(key, step, lane) >> _BITS_11) * _UNIT


@kernel
def bell(key, step, lane):
    """A bell-shaped float of mean 0 and variance 1, always within +-3.4642 (Irwin-Hall of four)."""
    b = bits(key, step, lane)
    total = (b & _LOW_16) + ((b >> _BITS_16) & _LOW_16) + ((b >> _BITS_32) & _LOW_16)
    return np.float64(np.int64(total + (b >> _BITS_48)) - _IRWIN_HALL_CENTRE) * _IRWIN_HALL_SCALE


@kernel
def fill_uniform(keys, salt, steps, lane, out):
    """Write `uniform(mix(keys[i] ^ salt), steps[i], lane)` to `out[i]` for every i."""
    for i in range(len(keys)):
        out[i] = uniform(mix(keys[i] ^ salt), steps[i], lane)


def check_seed(seed: object) -> int:
    """Return a seed as int in [0, 2**63 - 1]; draw one where it is None.

    Any integral type is welcome, NumPy's too. Raises BadInput for negatives, booleans, floats and
    numbers over 63 bits: a seed that was silently changed could not be reported.
    """
    if seed is None:
        return secrets.randbits(31)
    allowed = f"a whole number from 0 to {MAX_SEED}, or nothing to have one drawn"
    if isinstance(seed, (bool, np.bool_)) or not isinstance(seed, Integral):
        raise BadInput.of("seed", seed, allowed)
    number = int(seed)
    if not 0 <= number <= MAX_SEED:
        raise BadInput.of("seed", number, allowed)
    return number
