"""The matrix game behind a payoff table: value and mixed strategies of both sides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Equilibrium:
    """A Nash equilibrium of a zero-sum matrix game."""

    value: float
    """What the row player gets on average."""
    rows: NDArray[np.float64]
    """Mixed strategy of the row player: shares that sum to 1."""
    columns: NDArray[np.float64]
    """Mixed strategy of the column player."""


def solve(payoff: NDArray[np.float64]) -> Equilibrium:
    """Solve a zero-sum game [rows, columns] of payoffs to the row player by linear programming.

    The mixture maximises the worst column (von Neumann's minimax theorem); the other side's is the
    solution of the transposed game. Raises ValueError for an empty or non-finite matrix.
    """
    matrix = np.asarray(payoff, np.float64)
    if matrix.ndim != 2 or matrix.size == 0 or not np.isfinite(matrix).all():
        raise ValueError(f"a payoff matrix must be 2-D, finite and not empty, got {matrix!r}")
    rows, value = _maximin(matrix)
    columns, _ = _maximin(-matrix.T)
    return Equilibrium(value, rows, columns)


def _maximin(matrix: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    from scipy.optimize import linprog  # takes a second to import

    count, others = matrix.shape
    # Variables: the mixture, then the value v. Maximise v with mixture @ column >= v for each.
    solution = linprog(
        c=np.r_[np.zeros(count), -1.0],
        A_ub=np.c_[-matrix.T, np.ones(others)],
        b_ub=np.zeros(others),
        A_eq=np.r_[np.ones(count), 0.0][None, :],
        b_eq=[1.0],
        bounds=[(0, 1)] * count + [(None, None)],
        method="highs",
    )
    if not solution.success:
        raise ValueError(f"the matrix game could not be solved: {solution.message}")
    mixture = np.clip(solution.x[:count], 0.0, None)
    return mixture / mixture.sum(), float(solution.x[-1])
