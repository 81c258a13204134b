"""Every row of the rulebook's table of what calls answer."""

import json
import math

import pytest

from revops_ma.worlds.finops.calls import Call, unreadable
from revops_ma.worlds.finops.desk import Desk
from revops_ma.worlds.finops.engine import Step, serve
from revops_ma.worlds.finops.tools import TOOL_NAMES, TOOLS

from .helpers import ask, open_task

CALLERS_ERRORS = [
    # unknown ids in get_*, list_invoices, writes
    ("task1", "get_customer", {"customer_id": "cus_999"}, "not_found"),
    ("task1", "get_customer", {"customer_id": ""}, "not_found"),
    ("task1", "get_customer", {"customer_id": "CUS_001"}, "not_found"),
    ("task1", "get_customer", {"customer_id": " cus_001"}, "not_found"),
    ("task1", "get_invoice", {"invoice_id": "inv_000"}, "not_found"),
    ("task1", "list_invoices", {"customer_id": "cus_999"}, "not_found"),
    ("task1", "create_refund", {"invoice_id": "inv_000"}, "not_found"),
    ("task2", "apply_discount", {"customer_id": "cus_999", "percent": 10}, "not_found"),
    ("task3", "cancel_subscription", {"subscription_id": "sub_999"}, "not_found"),
    ("task3", "get_customer", {"customer_id": "cus_001"}, "not_found"),
    # discounts that are none
    *(
        ("task2", "apply_discount", {"customer_id": "cus_001", "percent": bad}, "invalid_args")
        for bad in (0, -10, 100.01, 101, 10**400, math.nan, math.inf, True, "10", None, [10])
    ),
    # empty or blank search strings
    ("task1", "search_customers", {"name": ""}, "invalid_args"),
    ("task1", "search_customers", {"name": " \t\n"}, "invalid_args"),
    ("task3", "get_subscription_by_email", {"email": " "}, "invalid_args"),
    # statuses
    ("task2", "list_customers", {"status": "cancelled"}, "invalid_args"),
    ("task2", "list_customers", {"status": "Active"}, "invalid_args"),
    ("task2", "list_customers", {"status": ""}, "invalid_args"),
    ("task2", "list_customers", {"status": None}, "invalid_args"),
    ("task3", "list_crm_users", {"status": "inactive"}, "invalid_args"),
    ("task3", "list_crm_users", {"status": ["cancelled"]}, "invalid_args"),
    # missing, extra and wrong-typed arguments; arguments that are no object
    ("task1", "get_invoice", {}, "invalid_args"),
    ("task3", "list_crm_users", {}, "invalid_args"),
    ("task2", "apply_discount", {"customer_id": "cus_001"}, "invalid_args"),
    ("task1", "get_invoice", {"invoice_id": "inv_901", "force": True}, "invalid_args"),
    ("task1", "get_invoice", {"invoice_id": 901}, "invalid_args"),
    ("task1", "get_invoice", {"invoice_id": None}, "invalid_args"),
    ("task1", "get_invoice", ["inv_901"], "invalid_args"),
    ("task1", "get_invoice", None, "invalid_args"),
    ("task1", "get_invoice", 901, "invalid_args"),
    ("task1", "get_invoice", "inv_901", "invalid_args"),
    ("task1", "get_invoice", '{"invoice_id": "inv_901"', "invalid_args"),
    ("task1", "get_invoice", '```{"invoice_id": "inv_901"}```', "invalid_args"),
    ("task1", "get_invoice", json.dumps('{"invoice_id": "inv_901"}'), "invalid_args"),
    ("task1", "get_invoice", "[" * 100_000, "invalid_args"),
    # unknown tools
    ("task1", "delete_customer", {"customer_id": "cus_001"}, "unknown_tool"),
    ("task1", "Get_Invoice", {"invoice_id": "inv_901"}, "unknown_tool"),
    ("task1", "", {}, "unknown_tool"),
    # submit takes nothing
    ("task1", "submit", {"note": "done"}, "invalid_args"),
]


@pytest.mark.parametrize(("task", "tool", "args", "code"), CALLERS_ERRORS)
def test_an_error_of_the_caller_costs_a_step_and_a_tenth_and_changes_nothing(
    task: str, tool: str, args: object, code: str
) -> None:
    desk = open_task(task)
    before = desk.tables.all_rows()
    step = serve(desk, Call(tool, args))
    assert step.response["ok"] is False
    assert step.response["error"]["code"] == code
    assert step.reward == -0.01 + -0.10
    assert desk.steps == 1
    assert desk.tables.all_rows() == before
    assert desk.ending is None
    json.dumps(step.response, allow_nan=False)


def test_an_answer_without_a_call_is_an_error_of_the_caller() -> None:
    desk = open_task("task1")
    step = serve(desk, unreadable("truncated"))
    assert step.code == "unknown_tool"
    assert "truncated" in step.response["error"]["message"]
    assert step.reward == -0.01 + -0.10


CONFLICTS = [
    ("task1", "create_refund", {"invoice_id": "inv_901"}, "already_refunded"),
    ("task2", "apply_discount", {"customer_id": "cus_001", "percent": 10}, "already_applied"),
    ("task3", "cancel_subscription", {"subscription_id": "sub_202"}, "already_cancelled"),
]


@pytest.mark.parametrize(("task", "tool", "args", "reason"), CONFLICTS)
@pytest.mark.parametrize("regression", ["score", "reachable"])
def test_writing_the_same_twice_is_a_conflict_and_moves_nothing_twice(
    task: str, tool: str, args: dict[str, object], reason: str, regression: str
) -> None:
    desk = open_task(task, regression)
    assert ask(desk, tool, **args).response["ok"]
    rows, raw = desk.tables.all_rows(), desk.raw
    again = ask(desk, tool, **args)
    assert again.response["error"]["code"] == "conflict"
    assert again.response["error"]["reason"] == reason
    assert again.reward == -0.01 + -0.10
    assert (desk.tables.all_rows(), desk.raw) == (rows, raw)


def test_cancelling_what_was_cancelled_before_the_start_is_a_conflict_and_does_not_count() -> None:
    desk = open_task("task3")
    assert ask(desk, "cancel_subscription", subscription_id="sub_205").code == "conflict"
    assert desk.raw == 0.0
    assert not desk.writes


def test_ten_and_ten_point_nought_are_the_same_discount() -> None:
    desk = open_task("task2")
    ask(desk, "apply_discount", customer_id="cus_001", percent=10)
    again = ask(desk, "apply_discount", customer_id="cus_001", percent=10.0)
    assert again.response["error"]["reason"] == "already_applied"


def test_another_percent_replaces_and_never_stacks() -> None:
    desk = open_task("task2")
    ask(desk, "apply_discount", customer_id="cus_001", percent=15)
    step = ask(desk, "apply_discount", customer_id="cus_001", percent=10)
    assert step.response["result"]["customer"]["discount_percent"] == 10


def test_an_inactive_customer_can_be_discounted_and_is_a_false_positive() -> None:
    desk = open_task("task2")
    assert ask(desk, "apply_discount", customer_id="cus_016", percent=10).response["ok"]
    ask(desk, "apply_discount", customer_id="cus_001", percent=10)
    assert desk.raw == 2 / (2 + 1 + 5)


@pytest.mark.parametrize("percent", [0.01, 1, 99.5, 100])
def test_discounts_up_to_a_hundred_percent_are_possible(percent: float) -> None:
    desk = open_task("task2")
    assert ask(desk, "apply_discount", customer_id="cus_001", percent=percent).response["ok"]


@pytest.mark.parametrize(
    ("task", "tool", "args", "result"),
    [
        ("task1", "search_customers", {"name": "nobody"}, {"customers": []}),
        ("task3", "search_customers", {"name": "TechCorp"}, {"customers": []}),
        ("task3", "get_subscription_by_email", {"email": "no@ex.com"}, {"subscription": None}),
        ("task3", "get_subscription_by_email", {"email": "olga@ex.com"}, {"subscription": None}),
        ("task3", "list_customers", {}, {"customers": []}),
        ("task1", "list_crm_users", {"status": "all"}, {"crm_users": []}),
        ("task1", "list_invoices", {"customer_id": "cus_001"}, None),
    ],
)
def test_a_look_up_without_a_hit_is_no_error(
    task: str, tool: str, args: dict[str, object], result: object
) -> None:
    step = ask(open_task(task), tool, **args)
    assert step.reward == -0.01
    assert step.response["ok"]
    if result is not None:
        assert step.response["result"] == result


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("techcorp", ["cus_001"]),
        ("  TECHCORP inc ", ["cus_001"]),
        ("in", ["cus_001", "cus_004", "cus_006", "cus_008", "cus_009", "cus_013"]),
        ("ch", ["cus_001", "cus_004", "cus_008"]),
    ],
)
def test_search_is_a_casefolded_substring_and_answers_by_id(text: str, hits: list[str]) -> None:
    step = ask(open_task("task1"), "search_customers", name=text)
    assert [row["id"] for row in step.response["result"]["customers"]] == hits


def test_emails_are_casefolded() -> None:
    step = ask(open_task("task3"), "get_subscription_by_email", email="BOB@Ex.Com")
    assert step.response["result"]["subscription"]["id"] == "sub_202"


@pytest.mark.parametrize(
    ("tool", "args", "count"),
    [
        ("list_customers", {}, 8),
        ("list_customers", {"status": "active"}, 8),
        ("list_customers", {"status": "inactive"}, 2),
        ("list_customers", {"status": "all"}, 10),
    ],
)
def test_customers_are_listed_by_status(tool: str, args: dict[str, str], count: int) -> None:
    result = ask(open_task("task2"), tool, **args).response["result"]["customers"]
    assert len(result) == count
    assert result == sorted(result, key=lambda row: row["id"])


@pytest.mark.parametrize(("status", "count"), [("active", 5), ("cancelled", 8), ("all", 13)])
def test_crm_users_are_listed_by_status(status: str, count: int) -> None:
    result = ask(open_task("task3"), "list_crm_users", status=status).response["result"]
    assert len(result["crm_users"]) == count


def test_arguments_as_json_text_are_decoded_once() -> None:
    step = serve(open_task("task1"), Call("get_invoice", '{"invoice_id":"inv_901"}'))
    assert step.response["result"]["invoice"]["amount_cents"] == 50_000


def test_a_submit_with_arguments_does_not_end_the_case() -> None:
    desk = open_task("task1")
    ask(desk, "submit", confirm=True)
    assert desk.ending is None
    assert ask(desk, "submit").score == 0.02


def test_calls_after_the_end_change_and_pay_nothing() -> None:
    desk = open_task("task1")
    ask(desk, "submit")
    before = desk.fingerprint()
    step = ask(desk, "create_refund", invoice_id="inv_901")
    assert step.response["error"]["code"] == "episode_done"
    assert step.reward == 0
    assert desk.fingerprint() == before


@pytest.mark.parametrize("task", ["task1", "task2", "task3"])
@pytest.mark.parametrize("tool", TOOL_NAMES)
def test_every_tool_is_callable_in_every_task(task: str, tool: str) -> None:
    desk: Desk = open_task(task)
    values = {
        "name": "x",
        "customer_id": "none",
        "invoice_id": "none",
        "subscription_id": "none",
        "email": "x",
        "status": "all",
        "percent": 10,
    }
    step: Step = ask(desk, tool, **{name: values[name] for name in TOOLS[tool].parameters})
    assert step.code in (None, "not_found")


def test_the_manual_comes_from_signatures_and_docstrings() -> None:
    assert (
        *("search_customers", "get_customer", "list_customers", "list_invoices", "get_invoice"),
        *("list_crm_users", "get_subscription_by_email", "create_refund", "apply_discount"),
        *("cancel_subscription", "submit"),
    ) == TOOL_NAMES
    assert TOOLS["list_customers"].signature == 'list_customers(status="active")'
    schema = TOOLS["apply_discount"].schema
    assert schema["parameters"]["required"] == ["customer_id", "percent"]
    assert schema["parameters"]["properties"]["percent"]["maximum"] == 100
    assert [name for name, made in TOOLS.items() if made.mutates] == [
        "create_refund",
        "apply_discount",
        "cancel_subscription",
    ]
    assert all(made.about.endswith(".") for made in TOOLS.values())
