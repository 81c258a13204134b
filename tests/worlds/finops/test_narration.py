"""What people are told: every kind of answer and of disturbance has words."""

import pytest

from revops_ma import catalog
from revops_ma.worlds.finops.answers import in_a_table, in_one_line
from revops_ma.worlds.finops.calls import NOTHING, Disturbance
from revops_ma.worlds.finops.disturbances import KIND_NAMES, KINDS
from revops_ma.worlds.finops.narration import NO_EFFECTS, told
from revops_ma.worlds.finops.storm import NoEffect, strike
from revops_ma.worlds.finops.tickets import Family

from .helpers import ask, mixed_ticket, open_task, opened, run_match


@pytest.mark.parametrize(
    ("tool", "args", "line"),
    [
        ("search_customers", {"name": "bolt"}, "1 customer: cus_2 Bolt, active"),
        ("search_customers", {"name": "zzz"}, "no customers"),
        ("get_customer", {"customer_id": "cus_1"}, "cus_1 Acme, active"),
        ("list_customers", {}, "2 customers: cus_1, cus_2"),
        (
            "list_invoices",
            {"customer_id": "cus_1"},
            "2 invoices, $800.00 together: inv_1 $400.00, inv_2 $400.00",
        ),
        ("get_invoice", {"invoice_id": "inv_3"}, "inv_3 $100.00 for 2026-03, paid"),
        (
            "list_crm_users",
            {"status": "all"},
            "1 CRM user: crm_1 Ann@x.example, cancelled",
        ),
        (
            "get_subscription_by_email",
            {"email": "BOB@x.example"},
            "sub_2 bob@x.example, active",
        ),
        ("get_subscription_by_email", {"email": "no@x.example"}, "no subscription"),
        ("create_refund", {"invoice_id": "inv_1"}, "inv_1 refunded, $400.00"),
        ("apply_discount", {"customer_id": "cus_2", "percent": 10}, "cus_2 Bolt, active, 10 % off"),
        ("cancel_subscription", {"subscription_id": "sub_1"}, "sub_1 ann@X.example, cancelled"),
        ("submit", {}, "handed in"),
        ("get_invoice", {"invoice_id": "x"}, "there is no invoice 'x'"),
    ],
)
def test_every_answer_is_told_in_one_line(tool: str, args: dict[str, object], line: str) -> None:
    step = ask(opened(mixed_ticket(Family.REFUND)), tool, **args)
    assert in_one_line(step.response) == line
    assert in_a_table(step.response)


def test_a_call_is_marked_and_toned_by_what_it_paid() -> None:
    desk = open_task("task1")
    read = told(desk, ask(desk, "list_customers"))
    assert (read.mark, read.tone) == ("ok", "plain")
    error = told(desk, ask(desk, "get_invoice", invoice_id="x"))
    assert (error.mark, error.tone) == ("not_found", "bad")
    right = told(desk, ask(desk, "create_refund", invoice_id="inv_901"))
    assert right.tone == "plain"
    worse = told(desk, ask(desk, "create_refund", invoice_id="inv_902"))
    assert (worse.mark, worse.tone) == ("ok", "bad")
    end = told(desk, ask(desk, "submit"))
    assert (end.answer, end.tone) == ("handed in; graded 0.500", "plain")


def test_the_end_of_the_budget_is_told_with_the_score() -> None:
    desk = open_task("task1")
    for _ in range(9):
        ask(desk, "list_customers")
    assert told(desk, ask(desk, "fly")).answer.endswith("; out of steps; graded 0.020")


def test_faults_of_the_environment_are_not_toned_as_errors() -> None:
    desk = open_task("task1", severity_budget=6)
    for _ in range(3):
        ask(desk, "list_customers")
    strike(desk, Disturbance("rate_limit"))
    ask(desk, "list_customers")
    limited = told(desk, ask(desk, "list_customers"))
    assert (limited.mark, limited.tone) == ("rate_limited", "plain")
    assert "try again in 2 steps" in limited.answer


@pytest.mark.parametrize("kind", KIND_NAMES)
def test_every_disturbance_is_told_with_what_it_hit(kind: str) -> None:
    desk = open_task("task2" if kind != "lookalike" else "task1", "reachable", 6)
    for _ in range(3):
        ask(desk, "list_customers")
    turn = strike(desk, Disturbance(kind))
    entry = told(desk, turn)
    assert (entry.mark, entry.tone) == ("struck", "bad")
    if KINDS[kind].targets(desk) != ("",):
        assert turn.played.target in entry.answer
    assert "{" not in entry.answer


def test_a_pass_is_not_told_and_a_no_op_says_why() -> None:
    desk = open_task("task2")
    for _ in range(3):
        ask(desk, "list_customers")
    assert told(desk, strike(desk, NOTHING)) is None
    entry = told(desk, strike(desk, Disturbance("outage", "get_invoice")))
    assert entry.mark == "no effect"
    assert entry.answer == "outage: the severity budget does not pay for it"
    assert set(NO_EFFECTS) == set(NoEffect)


def test_the_brief_is_the_ticket_with_its_budget() -> None:
    table = run_match("optimal", "none", "finops/task1")
    brief = catalog.world("finops").brief(table.games, 0)
    assert brief.startswith("Customer 'TechCorp Inc'")
    assert brief.endswith("Step budget 10.")
