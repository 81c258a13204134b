"""When a run stops, warns, or is not called trained."""

from dataclasses import replace

import pytest

from revops_ma.errors import BadInput, RunFailed
from revops_ma.training.pilot_grpo import Credit, Recipe
from revops_ma.training.pilot_grpo.guards import alarm, check_hook, stop_reason, verdict
from revops_ma.training.recipe import TEST_SEEDS, VALIDATION_SEEDS

pytestmark = pytest.mark.grpo
RECIPE = Recipe()
FINE = {"invalid": 0.0, "failed": 0.0, "flat_groups": 0.0, "return": 1.0}


def line(iteration, returned, validation=None, **more):
    told = {**FINE, "iteration": iteration, "return": returned, **more}
    return told if validation is None else {**told, "validation": {"return": validation}}


def test_a_model_that_has_lost_the_form_of_an_answer_stops_the_run():
    assert "refused" in stop_reason({**FINE, "invalid": 0.9}, RECIPE)
    assert "failed" in stop_reason({**FINE, "failed": 0.9}, RECIPE)
    assert stop_reason(FINE, RECIPE) == ""


def test_an_update_without_our_rollouts_is_an_error():
    check_hook(3, 3)
    with pytest.raises(RunFailed, match="never met the environment"):
        check_hook(0, 1)


def test_a_rising_reward_over_a_falling_validation_raises_the_alarm():
    history = [line(n, float(n), 10.0 - n) for n in range(1, 4)]
    assert "believe the latter" in alarm(history)
    assert alarm([line(n, float(n), float(n)) for n in range(1, 4)]) == ""
    assert alarm(history[:2]) == ""


def test_a_run_of_groups_without_variance_is_not_called_trained():
    flat = [line(n, 1.0, 1.0, flat_groups=0.9) for n in range(4)]
    assert "no variance" in verdict(flat, RECIPE)
    assert verdict([line(n, 1.0, 1.0) for n in range(4)], RECIPE) == ""
    assert verdict([], RECIPE)
    assert "validated" in verdict([line(1, 1.0)], RECIPE)


def test_seeds_of_training_validation_and_test_never_meet():
    used = [RECIPE.seeds(run, rollout) for run in range(3) for rollout in range(200)]
    taken = [seed for part in used for seed in part]
    assert len(set(taken)) == len(taken)
    assert min(taken) > max(TEST_SEEDS[-1], VALIDATION_SEEDS[-1])


def test_rows_that_cannot_be_shared_out_are_refused():
    with pytest.raises(BadInput, match="rows of a rollout"):
        replace(RECIPE, rows=1000)
    with pytest.raises(BadInput, match="episodes per deal"):
        replace(RECIPE, copies=1, credit=Credit.TRAJECTORY)


def test_the_learning_rate_falls_evenly():
    assert RECIPE.rate(0) == 1.0
    assert RECIPE.rate(RECIPE.rollouts) == pytest.approx(RECIPE.final_rate)
    assert RECIPE.rate(RECIPE.rollouts * 2) == pytest.approx(RECIPE.final_rate)
