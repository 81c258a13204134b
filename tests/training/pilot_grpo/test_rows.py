"""From trajectories to rows."""

import numpy as np
import pytest

from revops_ma.training.pilot_grpo.trajectory import Trajectory, rows_of

pytestmark = pytest.mark.grpo


def trajectory(turns, mark):
    one = Trajectory(0, 0, "nobody")
    for turn in range(turns):
        one.prompts.append([mark, turn])
        one.answers.append([mark])
    return one


def test_rows_keep_the_sampled_ids_and_no_turn_comes_twice():
    played = [trajectory(5, 7), trajectory(3, 8)]
    rows = rows_of(played, [np.arange(5.0), np.arange(3.0)], 8, np.random.default_rng(0))
    assert sorted(row.prompt for row in rows) == [
        *([7, turn] for turn in range(5)),
        *([8, turn] for turn in range(3)),
    ]
    assert all(row.answer == [row.prompt[0]] for row in rows)


def test_too_few_turns_are_filled_up_with_rows_without_a_gradient():
    rows = rows_of([trajectory(2, 1)], [np.array([1.0, -1.0])], 5, np.random.default_rng(0))
    assert [row.advantage is None for row in rows] == [False, False, True, True, True]


def test_advantages_have_deviation_one_over_the_rows():
    rows = rows_of([trajectory(50, 1)], [np.arange(50.0)], 50, np.random.default_rng(0))
    assert np.std([row.advantage for row in rows]) == pytest.approx(1.0)


def test_nothing_to_learn_from_is_an_error():
    with pytest.raises(ValueError, match="no finished episode"):
        rows_of([trajectory(0, 1)], [np.zeros(0)], 4, np.random.default_rng(0))
