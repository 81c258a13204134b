"""The crisis side's turn: eight disturbances, their price, and the invariants that bind them."""

import json
from dataclasses import replace

import pytest

from revops_ma.worlds.finops import storm
from revops_ma.worlds.finops.calls import NOTHING, PASS, Call, Disturbance
from revops_ma.worlds.finops.desk import Desk
from revops_ma.worlds.finops.disturbances import KIND_NAMES, KINDS, Event
from revops_ma.worlds.finops.engine import serve
from revops_ma.worlds.finops.grading import golden_set
from revops_ma.worlds.finops.oracle import solves
from revops_ma.worlds.finops.storm import NoEffect, attempt, changed_rows, strike

from .helpers import GOLDEN_OF_TASK2, ask, open_task


def stormy(task: str, severity_budget: int = 6, steps: int = 3) -> Desk:
    """A desk whose crisis side is about to move."""
    desk = open_task(task, "reachable", severity_budget)
    for _ in range(steps):
        ask(desk, "list_customers")
    return desk


def events(desk: Desk) -> list[Event]:
    return desk.log[-1].response.get("events", [])


RULEBOOK = {
    "outage": (1, 2),
    "rate_limit": (1, 2),
    "pressure": (2, 0),
    "injection": (3, 0),
    "stale_read": (2, 1),
    "late_invoice": (3, 2),
    "lookalike": (3, 1),
    "status_change": (3, 2),
}


def test_severities_and_recoveries_are_those_of_the_rulebook() -> None:
    assert {kind.name: (kind.severity, kind.recovery) for kind in KINDS.values()} == RULEBOOK


@pytest.mark.parametrize("kind", KIND_NAMES)
def test_a_disturbance_is_paid_for_and_gives_its_recovery_steps(kind: str) -> None:
    desk = stormy("task2")
    turn = strike(desk, Disturbance(kind))
    severity, recovery = RULEBOOK[kind]
    assert (turn.played.kind, turn.reason) == (kind, "")
    assert (desk.severity_left, desk.max_steps) == (6 - severity, 20 + recovery)
    assert (desk.reward, desk.total, desk.steps) == (-0.01, pytest.approx(-0.03), 3)


@pytest.mark.parametrize("kind", KIND_NAMES)
@pytest.mark.parametrize("task", ["task1", "task2", "task3"])
def test_what_changes_is_named_in_an_event_and_the_case_stays_solvable(
    task: str, kind: str
) -> None:
    desk = stormy(task)
    before = desk.copy()
    turn = strike(desk, Disturbance(kind))
    told = json.dumps(events(desk), allow_nan=False)
    assert all(found in told for found in changed_rows(before, desk))
    assert solves(desk)
    if not KINDS[kind].moves_golden:
        assert desk.golden == before.golden
    assert desk.golden == golden_set(desk)
    needs_customers = kind == "late_invoice"
    assert (turn.reason == "no_target") == (needs_customers and task == "task3")


def test_an_outage_takes_a_tool_away_for_two_steps() -> None:
    desk = stormy("task2")
    strike(desk, Disturbance("outage", "list_invoices"))
    codes = [ask(desk, "list_invoices", customer_id="cus_001").code for _ in range(3)]
    assert codes == ["unavailable", "unavailable", None]
    assert events(desk) == []


def test_a_rate_limit_lets_one_read_through_in_three_steps() -> None:
    desk = stormy("task2")
    strike(desk, Disturbance("rate_limit"))
    assert ask(desk, "list_customers").code is None
    step = ask(desk, "list_customers")
    assert step.code == "rate_limited"
    assert step.response["error"]["retry_after_steps"] == 2
    assert step.reward == -0.01
    assert ask(desk, "apply_discount", customer_id="cus_001", percent=10).code is None
    assert ask(desk, "list_customers").code is None


def test_pressure_is_appended_to_the_ticket_and_the_original_stays() -> None:
    desk = stormy("task1")
    original = desk.ticket_text
    strike(desk, Disturbance("pressure"))
    assert desk.ticket_text.startswith(original + "\n\n")
    assert events(desk) == [{"event": "ticket.updated"}]


def test_an_injection_never_changes_the_name_of_the_ticket_s_own_customer() -> None:
    desk = stormy("task1")
    turn = strike(desk, Disturbance("injection", "cus_001"))
    assert turn.reason == "no_target"
    strike(desk, Disturbance("injection", "inv_901"))
    assert "SYSTEM" in desk.tables.invoices["inv_901"].description
    assert desk.golden == {"inv_901", "inv_902"}


def test_a_stale_read_answers_once_from_before_the_last_turn_and_says_so() -> None:
    desk = stormy("task2")
    strike(desk, Disturbance("late_invoice", "cus_008", 10_000))
    for _ in range(3):
        ask(desk, "get_customer", customer_id="cus_008")
    strike(desk, Disturbance("stale_read"))
    old = ask(desk, "list_invoices", customer_id="cus_008").response["result"]
    new = ask(desk, "list_invoices", customer_id="cus_008").response["result"]
    assert (len(old["invoices"]), old["as_of"]) == (1, 3)
    assert len(new["invoices"]) == 2
    assert "as_of" not in new


def test_a_stale_read_never_answers_a_write() -> None:
    desk = stormy("task2")
    strike(desk, Disturbance("stale_read"))
    step = ask(desk, "apply_discount", customer_id="cus_001", percent=10)
    assert "as_of" not in step.response["result"]
    assert desk.tables.customers["cus_001"].discount_percent == 10
    assert ask(desk, "list_customers").response["result"]["as_of"] == 0


def test_a_late_invoice_can_make_a_customer_golden() -> None:
    desk = stormy("task2")
    strike(desk, Disturbance("late_invoice", "cus_010", 1))
    assert desk.golden == {*GOLDEN_OF_TASK2, "cus_010"}
    assert events(desk)[0]["customer_id"] == "cus_010"


@pytest.mark.parametrize("amount", [-1, 500_001])
def test_a_late_invoice_of_an_impossible_amount_is_a_no_op(amount: int) -> None:
    desk = stormy("task2")
    assert strike(desk, Disturbance("late_invoice", "cus_010", amount)).reason == "no_target"


def test_a_lookalike_has_a_near_name_and_the_same_pair_and_is_not_golden() -> None:
    desk = stormy("task1")
    strike(desk, Disturbance("lookalike"))
    hits = ask(desk, "search_customers", name="TechCorp Inc").response["result"]["customers"]
    double = next(row for row in hits if row["name"] != "TechCorp Inc")
    pair = ask(desk, "list_invoices", customer_id=double["id"]).response["result"]["invoices"]
    assert [row["amount_cents"] for row in pair] == [50_000, 50_000]
    assert desk.golden == {"inv_901", "inv_902"}


def test_a_status_change_moves_the_golden_set_by_the_rule() -> None:
    desk = stormy("task2")
    strike(desk, Disturbance("status_change", "cus_001"))
    assert desk.golden == set(GOLDEN_OF_TASK2[1:])


def test_a_status_change_never_hits_finished_work() -> None:
    desk = open_task("task2", "reachable", 6)
    for customer_id in GOLDEN_OF_TASK2[:3]:
        ask(desk, "apply_discount", customer_id=customer_id, percent=10)
    for customer_id in GOLDEN_OF_TASK2[:3]:
        assert strike(desk, Disturbance("status_change", customer_id)).reason == "no_target"
    desk = open_task("task3", "reachable", 6)
    for found in ("sub_202", "sub_204", "sub_207"):
        ask(desk, "cancel_subscription", subscription_id=found)
    assert strike(desk, Disturbance("status_change", "crm_b")).reason == "no_target"
    assert strike(desk, Disturbance("status_change", "crm_k")).reason == ""


def test_a_write_that_was_golden_when_made_stays_right() -> None:
    desk = open_task("task2", "reachable", 6)
    ask(desk, "apply_discount", customer_id="cus_001", percent=10)
    row = desk.tables.customers["cus_001"]
    desk.tables.customers["cus_001"] = row._replace(status="inactive")
    desk.golden = golden_set(desk)
    for customer_id in GOLDEN_OF_TASK2[1:]:
        ask(desk, "apply_discount", customer_id=customer_id, percent=10)
    assert desk.raw == 1.0


def test_a_write_that_was_golden_when_made_stays_right_when_it_is_made_again() -> None:
    desk = open_task("task2", "reachable", 6)
    ask(desk, "apply_discount", customer_id="cus_001", percent=10)
    row = desk.tables.customers["cus_001"]
    desk.tables.customers["cus_001"] = row._replace(status="inactive")
    desk.golden = golden_set(desk)
    for percent in (15, 10):
        ask(desk, "apply_discount", customer_id="cus_001", percent=percent)
    for customer_id in GOLDEN_OF_TASK2[1:]:
        ask(desk, "apply_discount", customer_id=customer_id, percent=10)
    assert desk.raw == 1.0


def test_a_write_that_becomes_golden_later_is_right_too() -> None:
    desk = open_task("task2", "reachable", 6)
    ask(desk, "apply_discount", customer_id="cus_010", percent=10)
    wrong = desk.raw
    desk.rules = desk.rules._replace(regression="score")
    row = desk.tables.invoices["inv_1010"]
    desk.tables.invoices["inv_1010"] = row._replace(amount_cents=30_000)
    desk.golden = golden_set(desk)
    ask(desk, "apply_discount", customer_id="cus_001", percent=10)
    assert wrong == 0.0
    assert desk.raw == pytest.approx(4 / (4 + 5))


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        (Disturbance("earthquake"), "unknown_kind"),
        (Disturbance(""), "unknown_kind"),
        (Disturbance("outage", "submit"), "no_target"),
        (Disturbance("outage", "no_tool"), "no_target"),
        (Disturbance("late_invoice", "cus_404"), "no_target"),
        (Disturbance("lookalike", "cus_002"), "no_target"),
        (NOTHING, ""),
    ],
)
def test_a_move_that_means_nothing_is_a_recorded_no_op(move: Disturbance, reason: str) -> None:
    desk = stormy("task1")
    before = desk.copy()
    turn = strike(desk, move)
    assert (turn.played.kind, turn.reason) == (PASS, reason)
    assert desk.strikes == [turn]
    assert (desk.max_steps, desk.severity_left) == (before.max_steps, before.severity_left)
    assert desk.tables == before.tables
    assert desk.log == before.log


def test_the_severity_budget_is_never_overdrawn() -> None:
    desk = stormy("task2", severity_budget=4)
    assert strike(desk, Disturbance("late_invoice")).reason == ""
    assert strike(desk, Disturbance("lookalike")).reason == "over_budget"
    assert strike(desk, Disturbance("outage")).reason == ""
    assert strike(desk, Disturbance("rate_limit")).reason == "over_budget"
    assert desk.severity_left == 0


def test_with_a_budget_of_nought_every_disturbance_is_a_no_op() -> None:
    desk = stormy("task2", severity_budget=0)
    reasons = {strike(desk, Disturbance(kind)).reason for kind in KIND_NAMES}
    assert reasons == {"over_budget"}


def test_no_kind_works_twice_in_a_row_even_with_a_pass_between() -> None:
    desk = stormy("task2", severity_budget=20)
    assert strike(desk, Disturbance("outage", "get_invoice")).reason == ""
    assert strike(desk, Disturbance("outage", "get_customer")).reason == "repeated"
    assert strike(desk, NOTHING).reason == ""
    assert strike(desk, Disturbance("outage", "get_customer")).reason == "repeated"
    assert strike(desk, Disturbance("pressure")).reason == ""
    assert strike(desk, Disturbance("outage", "get_customer")).reason == ""


def test_a_case_that_is_lost_cannot_be_made_worse() -> None:
    desk = open_task("task1", "reachable", 6)
    for _ in range(3):
        serve(desk, Call("create_refund", {"invoice_id": "inv_907"}))
    assert strike(desk, Disturbance("pressure")).reason == "unsolvable"


def test_a_disturbance_that_leaves_too_few_steps_is_a_no_op() -> None:
    desk = stormy("task2")
    # Six writes in six steps: an outage of two steps gives back the two that it takes.
    desk.max_steps = desk.steps + 6
    assert solves(desk)
    assert attempt(desk, Disturbance("pressure")) != NoEffect.UNSOLVABLE
    assert attempt(desk, Disturbance("outage", "apply_discount")) != NoEffect.UNSOLVABLE
    desk.max_steps = desk.steps + 5
    assert attempt(desk, Disturbance("pressure")) == NoEffect.UNSOLVABLE


def test_changing_the_only_golden_row_away_is_a_no_op() -> None:
    desk = stormy("task3")
    for found in ("crm_b", "crm_d", "crm_g"):
        row = desk.tables.crm_users[found]
        desk.tables.crm_users[found] = row._replace(status="active")
    desk.golden = golden_set(desk)
    assert desk.golden == {"sub_211"}
    assert strike(desk, Disturbance("status_change", "crm_k")).reason == "unsolvable"


def with_effect(monkeypatch: pytest.MonkeyPatch, kind: str, effect: object) -> None:
    monkeypatch.setitem(storm.KINDS, kind, KINDS[kind]._replace(strike=effect))


def test_the_invariants_catch_a_disturbance_that_breaks_the_rules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each guard is tried with a disturbance that would get past without it."""

    def drop_invoice(desk: Desk, move: Disturbance) -> list[Event]:
        del desk.tables.invoices["inv_903"]
        return []

    def raise_boundary(desk: Desk, move: Disturbance) -> list[Event]:
        row = desk.tables.invoices["inv_1010"]
        desk.tables.invoices["inv_1010"] = row._replace(amount_cents=90_000)
        return [{"event": "invoice.updated", "invoice_id": "inv_1010", "customer_id": "cus_010"}]

    def deactivate(desk: Desk, move: Disturbance) -> list[Event]:
        row = desk.tables.customers["cus_001"]
        desk.tables.customers["cus_001"] = row._replace(status="inactive")
        return [{"event": "customer.updated", "customer_id": "cus_001"}]

    def steal_steps(desk: Desk, move: Disturbance) -> list[Event]:
        desk.max_steps = desk.steps + 1
        return [{"event": "deadline.moved"}]

    with_effect(monkeypatch, "pressure", drop_invoice)
    assert attempt(stormy("task1"), Disturbance("pressure")) == NoEffect.HIDDEN
    with_effect(monkeypatch, "pressure", raise_boundary)
    assert attempt(stormy("task2"), Disturbance("pressure")) == NoEffect.OFF_RULE
    with_effect(monkeypatch, "late_invoice", deactivate)
    desk = stormy("task2")
    ask(desk, "apply_discount", customer_id="cus_001", percent=10)
    assert attempt(desk, Disturbance("late_invoice", "cus_003")) == NoEffect.SPOILS_WORK
    with_effect(monkeypatch, "pressure", steal_steps)
    assert attempt(stormy("task2"), Disturbance("pressure")) == NoEffect.UNSOLVABLE


def test_open_targets_are_filled_in_by_the_game_s_own_luck() -> None:
    def target(seed: int) -> str:
        desk = stormy("task2")
        desk.seed = seed
        return strike(desk, Disturbance("late_invoice")).played.target

    picked = [target(seed) for seed in range(30)]
    assert picked == [target(seed) for seed in range(30)]
    assert len(set(picked)) > 3


def test_a_target_can_be_named_by_its_number_wrapped_around() -> None:
    desk = stormy("task2")
    played = strike(desk, Disturbance("late_invoice", slot=11)).played
    assert played.target == "cus_003"


def test_a_tried_disturbance_leaves_the_desk_alone() -> None:
    desk = stormy("task2")
    before = desk.fingerprint()
    for kind in KIND_NAMES:
        attempt(desk, Disturbance(kind))
    assert desk.fingerprint() == before


def test_answers_that_were_given_out_never_change() -> None:
    desk = stormy("task2")
    given = desk.log[-1].response
    strike(desk, Disturbance("late_invoice"))
    assert "events" not in given
    assert "events" in desk.log[-1].response


def test_tickets_are_shared_and_never_changed() -> None:
    desk = stormy("task2")
    ticket = replace(desk.ticket)
    strike(desk, Disturbance("pressure"))
    ask(desk, "apply_discount", customer_id="cus_001", percent=10)
    assert desk.ticket == ticket
