"""Hostile users: calls, tickets and moments that nobody sane would think of."""

import copy
import json

import pytest
from pydantic import ValidationError

from revops_ma import catalog
from revops_ma.errors import BadInput
from revops_ma.table import Table
from revops_ma.worlds.finops.calls import Call, Disturbance
from revops_ma.worlds.finops.engine import serve
from revops_ma.worlds.finops.roles import ROLES
from revops_ma.worlds.finops.settings import Settings
from revops_ma.worlds.finops.storm import strike

from .helpers import ask, open_task

PILOT, CRISIS = ROLES
DUPLICATE = '{"invoice_id":"inv_901","invoice_id":"inv_902"}'


def played(text: str) -> dict:
    """Play one text as the first call of task 1, and look at it in every way there is."""
    scene = catalog.scenario("finops/task1")
    table = Table(scene.world, scene.settings, [0])
    before = table.games[0].tables.copy()
    outcome = table.take(table.waiting()[0], PILOT.texts([text]))
    json.dumps(PILOT.pack(outcome.played), allow_nan=False)
    json.dumps(outcome.detail[0].response, allow_nan=False)
    entry = scene.world.narrate(table.games, 0, outcome, 0)
    assert entry.answer.isprintable()
    assert scene.world.screen(table.games, 0, 0)
    changed = table.games[0].tables != before
    response = outcome.detail[0].response
    code = response["error"]["code"] if "error" in response else "ok"
    return {"code": code, "reward": outcome.rewards[0, 0], "changed": changed}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"tool":"get_invoice","args":{"invoice_id":" inv_901 "}}', "not_found"),
        ('{"tool":"get_invoice","args":{"invoice_id":"INV_901"}}', "not_found"),
        ('{"tool":"get_invoice","args":{"invoice_id":"\u0456nv_901"}}', "not_found"),
        ('{"tool":"get_customer","args":{"customer_id":"__class__"}}', "not_found"),
        ('{"tool":"get_customer","args":{"customer_id":""}}', "not_found"),
        ('{"tool":"get_invoice ","args":{"invoice_id":"inv_901"}}', "unknown_tool"),
        ('{"tool":"Get_Invoice","args":{"invoice_id":"inv_901"}}', "unknown_tool"),
        ('{"tool":"__init__","args":{}}', "unknown_tool"),
        ('{"tool":-1,"args":{}}', "unknown_tool"),
        ('{"tool":true,"args":{}}', "unknown_tool"),
        ('{"name":"submit","arguments":{}}', "unknown_tool"),
        ('{"tool":"submit","tool":"get_invoice","args":{}}', "unknown_tool"),
        (f'{{"tool":"create_refund","args":{DUPLICATE}}}', "unknown_tool"),
        (json.dumps({"tool": "create_refund", "args": DUPLICATE}), "invalid_args"),
        ('{"tool":"create_refund","args":["inv_901"]}', "invalid_args"),
        ('{"tool":"create_refund","args":"inv_901"}', "invalid_args"),
        ('{"tool":"create_refund","args":null}', "invalid_args"),
        ('{"tool":"create_refund","args":{"invoice_id":["inv_901"]}}', "invalid_args"),
        ('{"tool":"create_refund","args":{"invoice_id":{"$ne":null}}}', "invalid_args"),
        ('{"tool":"create_refund","args":{"desk":1,"invoice_id":"inv_901"}}', "invalid_args"),
        ('{"tool":"submit","args":{"now":true}}', "invalid_args"),
        ('{"tool":"submit","args":""}', "invalid_args"),
        ('{"tool":"submit","args":"\\"{}\\""}', "invalid_args"),
        (
            '{"tool":"apply_discount","args":{"customer_id":"cus_001","percent":"10"}}',
            "invalid_args",
        ),
        (
            '{"tool":"apply_discount","args":{"customer_id":"cus_001","percent":1e999}}',
            "invalid_args",
        ),
        ('{"tool":"list_customers","args":{"status":"Active"}}', "invalid_args"),
        ('{"tool":"list_customers","args":{"status":null}}', "invalid_args"),
        ('{"tool":"search_customers","args":{"name":"\\u3000\\n"}}', "invalid_args"),
        (json.dumps({"tool": "x", "args": {"a": "b" * 70_000}}), "unknown_tool"),
    ],
)
def test_what_is_nearly_a_call_is_an_error_that_changes_nothing(text: str, code: str) -> None:
    found = played(text)
    assert found == {"code": code, "reward": pytest.approx(-0.11), "changed": False}


@pytest.mark.parametrize(
    "name", ["%", "' OR 1=1 --", "\x00", "\ud800", "😀", ".*", "x" * 60_000, "\x1b[2J"]
)
def test_a_strange_search_finds_nothing_and_costs_its_step(name: str) -> None:
    found = played(json.dumps({"tool": "search_customers", "args": {"name": name}}))
    assert found == {"code": "ok", "reward": -0.01, "changed": False}


def test_a_submit_with_arguments_does_not_end_the_case() -> None:
    desk = open_task("task1")
    assert ask(desk, "submit", now=True).code == "invalid_args"
    assert desk.ending is None
    assert ask(desk, "submit").reward == pytest.approx(0.01)


def test_after_the_end_neither_seat_can_change_anything() -> None:
    desk = open_task("task1", severity_budget=6)
    ask(desk, "submit")
    before = desk.fingerprint()
    for call in (Call("create_refund", {"invoice_id": "inv_901"}), Call("submit"), Call("")):
        step = serve(desk, call)
        assert (step.code, step.reward) == ("episode_done", 0.0)
    assert desk.fingerprint() == before


def test_a_disturbance_without_money_is_a_recorded_no_op_however_often_it_is_tried() -> None:
    desk = open_task("task2", severity_budget=1)
    for _ in range(3):
        for _ in range(3):
            ask(desk, "list_customers")
        before = (desk.tables.copy(), desk.max_steps, desk.severity_left)
        turn = strike(desk, Disturbance("late_invoice", "cus_008", 10_000))
        assert turn.reason == "over_budget"
        assert (desk.tables, desk.max_steps, desk.severity_left) == before
    assert len(desk.strikes) == 3


def test_a_copy_taken_between_a_call_and_its_disturbance_has_the_same_future() -> None:
    desk = open_task("task2", severity_budget=6)
    for _ in range(3):
        ask(desk, "list_customers")
    twin = copy.deepcopy(desk)
    for each in (desk, twin):
        strike(each, Disturbance("status_change"))
        ask(each, "list_customers", status="all")
    assert desk.fingerprint() == twin.fingerprint()


def own(**changes: object) -> Settings:
    invoice = {
        "customer_id": "c1",
        "period": "2026-03",
        "issued_on": "2026-03-01",
        "amount_cents": 100,
    }
    ticket = {
        "family": "refund",
        "ticket": "Customer 'A' was double-charged in March.",
        "max_steps": 8,
        "policy": {"customer": "A", "period": "2026-03"},
        "customers": [{"id": "c1", "name": "A", "email": "a@x", "status": "active"}],
        "invoices": [{"id": "i1", **invoice}, {"id": "i2", **invoice}],
    }
    return Settings.model_validate({"own": {**ticket, **changes}})


CUSTOMER = {"id": "c1", "name": "A", "email": "a@x", "status": "active"}
INVOICE = {"id": "i1", "customer_id": "c1", "period": "p", "issued_on": "d", "amount_cents": 1}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"customers": [CUSTOMER, CUSTOMER]}, "twice: c1"),
        ({"invoices": [{**INVOICE, "id": "c1"}]}, "twice: c1"),
        ({"customers": [{**CUSTOMER, "status": "Active"}]}, "allowed: active, inactive"),
        ({"invoices": [{**INVOICE, "amount_cents": -5}]}, "0 cents or more"),
        ({"invoices": [{**INVOICE, "customer_id": "c9"}]}, "a customer of the ticket"),
        ({"invoices": [{**INVOICE, "amount_cents": 1.5}]}, "valid integer"),
    ],
)
def test_a_ticket_of_ones_own_with_rows_that_make_no_sense_is_refused(
    changes: dict[str, object], words: str
) -> None:
    with pytest.raises(ValidationError, match=words):
        own(**changes)


@pytest.mark.parametrize(
    "changes", [{"policy": {"customer": "B"}}, {"invoices": []}, {"family": "crosscheck"}]
)
def test_a_ticket_of_ones_own_that_nobody_could_solve_is_refused(
    changes: dict[str, object],
) -> None:
    world = catalog.world("finops")
    assert len(Table(world, own(), [0])) == 1
    with pytest.raises(BadInput, match="nobody can solve it"):
        Table(world, own(**changes), [0])
