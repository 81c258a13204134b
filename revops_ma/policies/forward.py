"""The forward pass of a small network and the choice that follows, row by row.

A matrix product of a BLAS gives other bits for one row than for a thousand. Here every row is added
up in the same order whatever stands beside it, and tanh and exp are plain arithmetic: the bits
depend neither on the batch nor on a mathematics library.
"""

from __future__ import annotations

import numpy as np

from revops_ma.jit import kernel

_EDGE = np.float32(7.9053)
"""Beyond this, tanh is 1 in float32."""
_P1, _P3, _P5, _P7, _P9, _P11, _P13 = (
    np.float32(n)
    for n in (
        4.89352455891786e-03,
        6.37261928875436e-04,
        1.48572235717979e-05,
        5.12229709037114e-08,
        -8.60467152213735e-11,
        2.00018790482477e-13,
        -2.76076847742355e-16,
    )
)
_Q0, _Q2, _Q4, _Q6 = (
    np.float32(n)
    for n in (
        4.89352518554385e-03,
        2.26843463243900e-03,
        1.18534705686654e-04,
        1.19825839466702e-06,
    )
)
_LOWEST = -60.0
"""Exponents below count as this one: their share is under 1e-26."""
_HALVINGS = 8
"""exp(x) is exp(x / 2**8), a short Taylor series, squared eight times."""
_SMALL = 2.0**-_HALVINGS


@kernel
def tanh(x):
    """Hyperbolic tangent of a float32, to 2e-7: the rational approximation that Eigen uses."""
    x = min(max(x, -_EDGE), _EDGE)
    s = x * x
    p = _P13 * s + _P11
    p = p * s + _P9
    p = p * s + _P7
    p = p * s + _P5
    p = p * s + _P3
    p = p * s + _P1
    q = _Q6 * s + _Q4
    q = q * s + _Q2
    q = q * s + _Q0
    return x * p / q


@kernel
def exp(x):
    """e**x of a float64 that is 0 or less, to a relative 1e-8; x is cut at -60."""
    y = max(x, _LOWEST) * _SMALL
    e = 1.0 + y / 6.0 * (1.0 + y / 7.0)
    e = 1.0 + y / 4.0 * (1.0 + y / 5.0 * e)
    e = 1.0 + y * (1.0 + y / 2.0 * (1.0 + y / 3.0 * e))
    for _ in range(_HALVINGS):
        e = e * e
    return e


@kernel
def layer(x, weights, bias, out):
    """Write `x @ weights + bias` to `out` [k]; inputs of 0, the many of a one-hot, are left out."""
    for j in range(len(out)):
        out[j] = bias[j]
    for i in range(len(x)):
        if x[i] != 0:
            for j in range(len(out)):
                out[j] += x[i] * weights[i, j]


@kernel
def forward(x, w0, b0, w1, b1, w2, b2, out):
    """Write to `out` [n, k] what two tanh layers and a linear one make of rows `x` [n, d]."""
    first, second = np.empty_like(b0), np.empty_like(b1)
    for i in range(len(x)):
        layer(x[i], w0, b0, first)
        for j in range(len(first)):
            first[j] = tanh(first[j])
        layer(first, w1, b1, second)
        for j in range(len(second)):
            second[j] = tanh(second[j])
        layer(second, w2, b2, out[i])


@kernel
def shares_of(logits, legal, shares):
    """Write the softmax of `logits` [k], not yet divided by its sum, to `shares`; give the sum.

    `legal` [k] says what has a share at all; [0]: everything.
    """
    limited = len(legal) > 0
    top = -np.inf
    for j in range(len(logits)):
        if not limited or legal[j]:
            top = max(top, np.float64(logits[j]))
    for j in range(len(logits)):
        shares[j] = exp(min(np.float64(logits[j]) - top, 0.0))
    total = 0.0
    for j in range(len(logits)):
        if limited and not legal[j]:
            shares[j] = 0.0
        total += shares[j]
    return total


@kernel
def draw(logits, legal, luck, choices):
    """Draw an index by softmax for every row of `logits` [n, k] with `luck` [n] in [0, 1).

    `legal` [n, k] says what may be drawn; [n, 0]: everything.
    """
    shares = np.empty(logits.shape[1])
    for i in range(len(logits)):
        left = luck[i] * shares_of(logits[i], legal[i], shares)
        choices[i] = -1
        for j in range(len(shares)):
            if shares[j] > 0.0:
                choices[i] = j
                left -= shares[j]
                if left < 0.0:
                    break


@kernel
def best(logits, legal, choices):
    """Write the index of the largest of each row of `logits` [n, k], the first of equals."""
    limited = legal.shape[1] > 0
    for i in range(len(logits)):
        chosen = -1
        for j in range(logits.shape[1]):
            if (not limited or legal[i, j]) and (chosen < 0 or logits[i, j] > logits[i, chosen]):
                chosen = j
        choices[i] = chosen
