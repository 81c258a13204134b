"""What a step pays: time, errors, regressions, and the score once."""

import numpy as np
import pytest

from revops_ma import catalog
from revops_ma.game import Reply
from revops_ma.table import Table
from revops_ma.worlds.finops.calls import Call
from revops_ma.worlds.finops.engine import serve

from .helpers import ask, open_task, run_match


def wrong() -> Call:
    return Call("create_refund", {"invoice_id": "inv_907"})


def right() -> Call:
    return Call("create_refund", {"invoice_id": "inv_901"})


@pytest.mark.parametrize(("regression", "first"), [("score", -0.01), ("reachable", -0.51)])
def test_a_wrong_first_write_is_charged_under_reachable_only(regression: str, first: float) -> None:
    desk = open_task("task1", regression)
    assert serve(desk, wrong()).reward == first
    # Once nothing can be lost any more, a further wrong write is not charged again.
    assert serve(desk, Call("create_refund", {"invoice_id": "inv_908"})).reward == -0.01


@pytest.mark.parametrize("regression", ["score", "reachable"])
def test_a_wrong_last_write_is_charged_under_both_rules(regression: str) -> None:
    desk = open_task("task1", regression)
    assert serve(desk, right()).reward == -0.01
    assert serve(desk, wrong()).reward == -0.51


@pytest.mark.parametrize("task", ["task2", "task3"])
def test_a_wrong_write_before_the_right_ones_is_charged_under_reachable_only(task: str) -> None:
    calls = {
        "task2": Call("apply_discount", {"customer_id": "cus_010", "percent": 10}),
        "task3": Call("cancel_subscription", {"subscription_id": "sub_201"}),
    }
    assert serve(open_task(task, "score"), calls[task]).reward == -0.01
    assert serve(open_task(task, "reachable"), calls[task]).reward == -0.51


def test_a_percent_that_can_still_be_mended_is_no_regression_under_reachable() -> None:
    off = Call("apply_discount", {"customer_id": "cus_001", "percent": 15})
    desk = open_task("task2", "reachable")
    assert serve(desk, off).reward == -0.01
    tight = open_task("task2", "reachable")
    tight.max_steps = 6
    assert serve(tight, off).reward == -0.51


def test_the_score_is_paid_once_at_submit() -> None:
    desk = open_task("task1")
    serve(desk, right())
    assert ask(desk, "submit").reward == -0.01 + 0.98
    assert desk.ending == "submitted"


@pytest.mark.parametrize("last", ["get_customer", "list_customers"])
def test_the_score_is_paid_when_the_budget_ends_even_on_an_error(last: str) -> None:
    desk = open_task("task1")
    serve(desk, right())
    for _ in range(8):
        assert ask(desk, "list_customers").score == 0.0
    step = ask(desk, last)
    error = -0.10 if last == "get_customer" else 0.0
    assert step.reward == ((-0.01 + error) + 0.0) + 0.98
    assert (desk.steps, desk.ending) == (10, "out_of_steps")
    assert ask(desk, "list_customers").reward == 0


def test_faults_of_the_environment_cost_only_their_step() -> None:
    desk = open_task("task1")
    desk.weather.outages["create_refund"] = 1
    step = serve(desk, right())
    assert (step.code, step.reward) == ("unavailable", -0.01)


def test_an_error_is_an_error_even_while_the_tool_is_down() -> None:
    desk = open_task("task1")
    desk.weather.outages["create_refund"] = 1
    assert ask(desk, "create_refund").code == "invalid_args"


@pytest.mark.parametrize("pilot", ["optimal", "careful", "shotgun", "random", "do-nothing"])
@pytest.mark.parametrize("scenario", ["finops/task2", "finops/loyalty-storm"])
def test_signals_sum_to_the_reward_and_the_game_is_zero_sum_to_the_bit(
    pilot: str, scenario: str
) -> None:
    table = run_match(pilot, "random", scenario, range(5))
    assert any(len(turn.rows) for turn in table.log)
    for turn in table.log:
        parts = turn.outcome.signals
        summed = ((parts[:, 0] + parts[:, 1]) + parts[:, 2]) + parts[:, 3]
        assert np.array_equal(summed, turn.outcome.rewards[:, 0])
    assert np.array_equal(table.returns[:, 0], -table.returns[:, 1])


def test_the_crisis_side_is_asked_after_every_third_step_and_is_paid_with_the_pilot() -> None:
    scene = catalog.scenario("finops/task2-storm")
    table = Table(scene.world, scene.settings, [0])
    order = []
    while views := table.waiting():
        view = views[0]
        order.append(view.role.name)
        moves = {"pilot": {"tool": "list_customers", "args": {}}, "crisis": {"disturbance": "pass"}}
        outcome = table.take(view, view.role.objects([moves[view.role.name]]))
        assert bool(outcome.scored[0]) == (view.role.name == "pilot")
    # 20 steps; the 20th ends the case, so the crisis side has six turns.
    assert order == (["pilot"] * 3 + ["crisis"]) * 6 + ["pilot"] * 2
    assert table.steps[0] == 20


def test_the_rhythm_comes_from_the_card() -> None:
    scene = catalog.scenario("finops/task2-storm")
    settings = scene.settings.model_copy(update={"crisis_every": 1})
    table = Table(scene.world, settings, [0])
    table.take(table.waiting()[0], Reply([Call("list_customers")]))
    assert table.waiting()[0].role.name == "crisis"
