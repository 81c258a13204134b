import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from revops_ma.arena.nash import solve


def test_rock_paper_scissors_is_mixed_evenly_and_worth_nothing():
    solution = solve(np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], float))
    assert solution.value == pytest.approx(0.0, abs=1e-9)
    assert solution.rows == pytest.approx([1 / 3] * 3)
    assert solution.columns == pytest.approx([1 / 3] * 3)


def test_a_game_by_hand():
    # The row player mixes so that both columns pay alike: 3p = p + 2(1 - p), so p is 1/2.
    solution = solve(np.array([[3.0, 1.0], [0.0, 2.0]]))
    assert solution.value == pytest.approx(1.5)
    assert solution.rows == pytest.approx([0.5, 0.5])
    assert solution.columns == pytest.approx([0.25, 0.75])


def test_a_dominant_row_is_played_always():
    solution = solve(np.array([[5.0, 4.0], [1.0, 2.0]]))
    assert solution.rows == pytest.approx([1.0, 0.0])
    assert solution.value == pytest.approx(4.0)


@given(arrays(float, st.tuples(st.integers(1, 5), st.integers(1, 5)), elements=st.floats(-50, 50)))
def test_neither_side_gains_by_leaving_the_equilibrium(matrix):
    solution = solve(matrix)
    assert solution.rows.sum() == pytest.approx(1.0)
    assert (solution.rows @ matrix).min() >= solution.value - 1e-6
    assert (matrix @ solution.columns).max() <= solution.value + 1e-6


@pytest.mark.parametrize("matrix", [np.empty((0, 3)), np.array([[np.nan]]), np.array([1.0])])
def test_a_matrix_that_is_none_is_refused(matrix):
    with pytest.raises(ValueError, match="payoff matrix"):
        solve(matrix)
