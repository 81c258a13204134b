"""The scripted players: what each reaches, and what it may look at."""

import time

import numpy as np
import pytest

from revops_ma import catalog
from revops_ma.table import Table, play
from revops_ma.worlds.finops.bots.crises import return_of_optimal, worst_move
from revops_ma.worlds.finops.bots.reference import careful_call, optimal_call
from revops_ma.worlds.finops.calls import NOTHING, Call, Disturbance
from revops_ma.worlds.finops.desk import Desk
from revops_ma.worlds.finops.disturbances import KINDS
from revops_ma.worlds.finops.engine import serve
from revops_ma.worlds.finops.seen import seen
from revops_ma.worlds.finops.storm import NoEffect, attempt, strike

from .helpers import ask, open_task, run_match, scores


@pytest.mark.parametrize("pilot", ["optimal", "careful"])
@pytest.mark.parametrize(
    ("task", "steps", "total"), [("task1", 4, 0.94), ("task2", 16, 0.82), ("task3", 14, 0.84)]
)
def test_the_reference_players_reach_the_published_figures(
    pilot: str, task: str, steps: int, total: float
) -> None:
    table = run_match(pilot, "none", f"finops/{task}")
    assert scores(table) == [0.98]
    assert table.steps.tolist() == [steps]
    assert table.returns[0] == pytest.approx([total, -total])
    assert table.world.endings(table.games, [0]) == ["submitted"]
    assert table.world.won(table.games, [0]).all()


@pytest.mark.parametrize(
    ("task", "score"), [("task1", 0.50), ("task2", 0.02 + 0.96 * 12 / 14), ("task3", 0.98)]
)
def test_blind_writing_scores_what_the_rulebook_warns_of(task: str, score: float) -> None:
    assert scores(run_match("shotgun", "none", f"finops/{task}")) == [pytest.approx(score)]


@pytest.mark.parametrize("task", ["task1", "task2", "task3"])
def test_doing_nothing_costs_an_error_a_step_and_scores_the_floor(task: str) -> None:
    table = run_match("do-nothing", "none", f"finops/{task}")
    assert scores(table) == [0.02]
    assert table.returns[0, 0] == pytest.approx(0.02 - 0.11 * table.steps[0])
    assert table.world.endings(table.games, [0]) == ["out_of_steps"]


def test_the_random_pilot_plays_every_tool_and_differs_from_seed_to_seed() -> None:
    table = run_match("random", "none", "finops/task2", range(60))
    calls = [call for turn in table.log if turn.role == 0 for call in turn.batch]
    assert len({call.tool for call in calls}) == 11
    assert len(set(table.steps.tolist())) > 3
    assert np.mean(scores(table)) < 0.2


def players_that_see_the_dashboard_only() -> list[tuple[str, str]]:
    scene = catalog.scenario("finops/task2-storm")
    seats = [(role.name, name) for role in scene.world.roles for name in seated(role.name, scene)]
    return [seat for seat in seats if seat[1] not in ("late-invoice", "worst")]


def seated(role: str, scene: catalog.Scenario) -> list[str]:
    """Scripted players that fit."""
    scripted = {card.name for card in catalog.agents() if card.kind == "scripted"}
    return [name for name in catalog.fitting(role, scene.world) if name in scripted]


def test_the_cards_of_the_issue_sit_where_they_belong() -> None:
    scene = catalog.scenario("finops/task1")
    assert {"optimal", "careful", "shotgun", "do-nothing", "random"} <= set(seated("pilot", scene))
    assert {"none", "random", "late-invoice", "worst"} <= set(seated("crisis", scene))


@pytest.mark.parametrize(("role", "name"), players_that_see_the_dashboard_only())
def test_a_player_of_the_dashboard_never_asks_for_the_full_state(role: str, name: str) -> None:
    agent = catalog.agent(name, role, catalog.scenario("finops/task2-storm"))
    assert agent.card.sees == "dashboard"
    pair = (name, "random") if role == "pilot" else ("random", name)
    assert run_match(*pair, "finops/task2-storm", range(3)).is_over


def test_the_reference_survives_moves_that_were_not_its_own() -> None:
    """A log with another player's calls in it: lists of the wrong status, errors, JSON text."""
    for decide in (optimal_call, careful_call):
        desk = open_task("task2")
        ask(desk, "list_customers", status="inactive")
        ask(desk, "get_customer", customer_id="cus_016")
        serve(desk, Call("apply_discount", '{"customer_id": "cus_001", "percent": 10}'))
        serve(desk, Call("apply_discount", '{"customer_id": "cus_001", "percent": 10}'))
        serve(desk, Call("list_invoices", 7))
        while desk.ending is None:
            serve(desk, decide(seen(desk)))
        assert (desk.raw, desk.steps) == (1.0, 19)


def test_pressure_does_not_change_what_the_reference_does() -> None:
    calm, pressed = open_task("task1", "reachable", 6), open_task("task1", "reachable", 6)
    for desk in (calm, pressed):
        for _ in range(3):
            ask(desk, "get_customer", customer_id="cus_001")
    strike(pressed, Disturbance("pressure"))
    for desk in (calm, pressed):
        while desk.ending is None:
            serve(desk, careful_call(seen(desk)))
    assert [each.call for each in calm.log] == [each.call for each in pressed.log]


def test_careful_asks_again_after_an_answer_from_the_past_and_optimal_does_not() -> None:
    desk = open_task("task2", "reachable", 6)
    for _ in range(3):
        ask(desk, "get_customer", customer_id="cus_001")
    strike(desk, Disturbance("stale_read"))
    first = optimal_call(seen(desk))
    assert "as_of" in serve(desk, first).response["result"]
    assert careful_call(seen(desk)) == first
    assert optimal_call(seen(desk)).tool == "list_invoices"


def test_careful_works_around_a_tool_that_is_down_and_optimal_waits_at_its_door() -> None:
    desk = open_task("task2", "reachable", 6)
    for _ in range(3):
        serve(desk, careful_call(seen(desk)))
    strike(desk, Disturbance("outage", "apply_discount"))
    assert careful_call(seen(desk)).tool == "list_invoices"
    desk = after_steps("task2", 9)
    strike(desk, Disturbance("outage", "apply_discount"))
    assert optimal_call(seen(desk)).tool == "apply_discount"


def after_steps(task: str, count: int) -> Desk:
    desk = open_task(task, "reachable", 6)
    for _ in range(count):
        serve(desk, optimal_call(seen(desk)))
    return desk


def play_on(desk: Desk) -> Desk:
    while desk.ending is None:
        serve(desk, careful_call(seen(desk)))
    return desk


@pytest.mark.parametrize(
    ("task", "steps"),
    [("task1", 3), *((task, steps) for task in ("task2", "task3") for steps in (3, 6, 9, 12))],
)
@pytest.mark.parametrize("kind", list(KINDS))
def test_careful_still_solves_the_case_after_any_single_disturbance(
    task: str, kind: str, steps: int
) -> None:
    start = after_steps(task, steps)
    for target in KINDS[kind].targets(start):
        tried = attempt(start, Disturbance(kind, target, 60_000 if kind == "late_invoice" else 0))
        if not isinstance(tried, NoEffect):
            assert (target, play_on(tried[0].copy()).raw) == (target, 1.0)


def test_worst_picks_the_move_that_lowers_the_return_of_optimal_most() -> None:
    desk = after_steps("task2", 3)
    chosen = attempt(desk, worst_move(desk))
    assert not isinstance(chosen, NoEffect)
    lowest = return_of_optimal(chosen[0])
    for kind in KINDS.values():
        for target in kind.targets(desk):
            amount = 50_000 if kind.name == "late_invoice" else 0
            tried = attempt(desk, Disturbance(kind.name, target, amount))
            if not isinstance(tried, NoEffect):
                assert return_of_optimal(tried[0]) >= lowest
    assert lowest < return_of_optimal(desk)


def test_worst_saves_its_budget_where_nothing_hurts() -> None:
    desk = open_task("task1", "reachable", 6)
    for _ in range(3):
        serve(desk, optimal_call(seen(desk)))
    assert worst_move(desk) == NOTHING


def test_late_invoice_strikes_a_customer_that_was_already_looked_at() -> None:
    table = run_match("optimal", "late-invoice", "finops/task2-storm")
    strikes = [turn.played for turn in table.games[0].strikes if turn.played.kind != "pass"]
    assert strikes == [Disturbance("late_invoice", "cus_008", 5_001)]
    assert scores(table)[0] == pytest.approx(0.02 + 0.96 * 12 / 13)


@pytest.mark.parametrize("scenario", ["finops/task2-storm", "finops/loyalty-storm"])
def test_optimal_loses_score_against_worst_and_careful_less(scenario: str) -> None:
    seeds = range(6)
    calm, hit, wary = (
        np.mean(scores(run_match(pilot, crisis, scenario, seeds)))
        for pilot, crisis in (("optimal", "none"), ("optimal", "worst"), ("careful", "worst"))
    )
    assert calm == pytest.approx(0.98)
    assert hit < calm - 0.1
    assert hit + 0.1 < wary <= calm


def test_the_engine_alone_serves_the_optimal_run_of_task_1_fast_enough() -> None:
    """The floor is a quarter of the 30,000 calls/s that the bench line asks for: CI is busy."""
    table = run_match("optimal", "none", "finops/task1")
    calls = [turn.batch[0] for turn in table.log if turn.role == 0]
    fastest = 0.0
    for _ in range(5):
        desks = [open_task("task1") for _ in range(300)]
        start = time.perf_counter()
        for desk in desks:
            for call in calls:
                serve(desk, call)
        fastest = max(fastest, len(desks) * len(calls) / (time.perf_counter() - start))
    assert fastest > 7_500


def test_many_games_on_one_table_equal_many_tables() -> None:
    scene = catalog.scenario("finops/crosscheck-storm")
    players = {
        "pilot": catalog.agent("careful", "pilot", scene),
        "crisis": catalog.agent("random", "crisis", scene),
    }
    together = play(Table(scene.world, scene.settings, range(6)), players)
    alone = [play(Table(scene.world, scene.settings, [seed]), players) for seed in range(6)]
    assert together.returns.tolist() == [table.returns[0].tolist() for table in alone]
