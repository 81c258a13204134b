"""The ways to speak for a seat: objects, texts, numbers, packed moves."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from revops_ma import catalog
from revops_ma.table import Table
from revops_ma.worlds.finops.calls import NOTHING, Call, Disturbance
from revops_ma.worlds.finops.disturbances import KIND_NAMES
from revops_ma.worlds.finops.roles import ROLES
from revops_ma.worlds.finops.slots import SLOTS, options
from revops_ma.worlds.finops.tools import TOOL_NAMES, TOOLS

from .helpers import ask, open_task

PILOT, CRISIS = ROLES
GET = {"tool": "get_invoice", "args": {"invoice_id": "inv_901"}}


def test_a_tidy_call_is_read_as_it_is() -> None:
    reply = PILOT.objects([GET])
    assert reply.batch == [Call("get_invoice", {"invoice_id": "inv_901"})]
    assert not reply.refused
    assert not reply.notes


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (json.dumps(GET), ()),
        (f"```json\n{json.dumps(GET)}\n```\nBecause it is the first.", ("fenced",)),
        (f'<think>{{"tool": "submit"}}</think>{json.dumps(GET)}', ("thought",)),
        ('{"tool":"get_invoice","args":"{\\"invoice_id\\":\\"inv_901\\"}"}', ("decoded_args",)),
    ],
)
def test_untidy_answers_are_read_and_noted(text: str, note: tuple[str, ...]) -> None:
    reply = PILOT.texts([text])
    assert not reply.refused
    assert reply.notes.get(0, ()) == note
    assert _play(reply.batch[0])["result"]["invoice"]["id"] == "inv_901"


def _play(call: Call) -> dict[str, object]:
    scene = catalog.scenario("finops/task1")
    table = Table(scene.world, scene.settings, [0])
    view = table.waiting()[0]
    return table.take(view, PILOT.objects([call])).detail[0].response


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("I will refund it now.", "no_object"),
        ('{"tool": "create_ref', "truncated"),
        (f"maybe {json.dumps(GET)} or {json.dumps(GET)}", "ambiguous"),
        (f"<think>{json.dumps(GET)}", "unclosed_thought"),
        ('{"args": {}}', "missing_tool"),
        ('{"tool": "submit", "args": {}, "reason": "done"}', "extra_key"),
        ('{"tool": 1.5}', "not_json"),
        ('{"tool": null}', "not_json"),
    ],
)
def test_an_answer_without_a_call_is_refused_and_costs_what_an_error_costs(
    text: str, reason: str
) -> None:
    scene = catalog.scenario("finops/task1")
    table = Table(scene.world, scene.settings, [0])
    reply = PILOT.texts([text])
    assert reply.refused[0].reason == reason
    outcome = table.take(table.waiting()[0], reply)
    assert outcome.rewards[0, 0] == -0.01 + -0.10
    assert (table.steps[0], table.refused[0].tolist()) == (1, [1, 0])
    assert outcome.detail[0].response["error"]["code"] == "unknown_tool"


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ({"tool": "drop_tables", "args": {}}, "unknown_tool"),
        ({"tool": "submit", "args": {"now": True}}, "invalid_args"),
        ({"tool": "get_invoice", "args": "{}"}, "invalid_args"),
    ],
)
def test_a_call_that_can_never_succeed_is_counted_but_played_as_it_stands(
    move: dict[str, object], reason: str
) -> None:
    reply = PILOT.objects([move])
    assert reply.refused[0].reason == reason
    assert reply.batch[0].args == move["args"]
    assert _play(reply.batch[0])["error"]["code"] == reason


DEEP: list[object] = []
for _ in range(5_000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    "junk",
    [
        {"tool": "submit", "args": DEEP},
        {"tool": "submit", "args": 10**5_000},
        None,
        3,
        "submit",
        [GET],
        {1: 2},
        {10**5_000: 1},
        {"kind": 10**5_000},
        {"tool": 10**5_000, "args": {}},
        {"tool": {"a": 1}},
        {"tool": "x", "args": {1: 2}},
    ],
)
def test_no_object_makes_the_readers_raise(junk: object) -> None:
    assert PILOT.objects([junk]).refused
    reply = CRISIS.objects([junk])
    assert reply.refused
    assert reply.batch == [NOTHING]


def test_samples_of_the_native_spaces_are_read() -> None:
    PILOT.space.seed(0)
    CRISIS.space.seed(0)
    samples = [PILOT.space.sample() for _ in range(200)]
    reply = PILOT.objects(samples)
    assert {call.tool for call in reply.batch} == set(TOOL_NAMES)
    assert {refused.reason for refused in reply.refused.values()} == {"invalid_args"}
    strikes = CRISIS.objects([CRISIS.space.sample() for _ in range(200)])
    assert not strikes.refused
    assert {move.kind for move in strikes.batch} == {*KIND_NAMES, "pass"}


def test_a_sample_may_hold_its_arguments_as_text() -> None:
    move = {"tool": np.int64(4), "args": '{"invoice_id": "inv_901"}'}
    assert _play(PILOT.objects([move]).batch[0])["ok"]


def test_numbers_of_the_training_space_name_arguments_that_were_shown() -> None:
    scene = catalog.scenario("finops/task1")
    table = Table(scene.world, scene.settings, [0])
    played = [(0, 0), (3, 0), (7, 1), (10, 0)]
    for number, pair in enumerate(played):
        if number == 3:
            crisis = table.waiting()[0]
            table.take(crisis, CRISIS.discrete(np.array([[len(KIND_NAMES), 0]])))
        table.take(table.waiting()[0], PILOT.discrete(np.array([pair])))
    assert scene.world.facts(table.games, [0])["score"][0] == 0.98
    assert [turn.outcome.played[0].args for turn in table.log if turn.role == 0] == [
        {"name": "TechCorp Inc"},
        {"customer_id": "cus_001"},
        {"invoice_id": "inv_902"},
        {},
    ]


def test_a_number_beyond_what_was_shown_is_an_error_of_the_caller() -> None:
    reply = PILOT.discrete(np.array([[TOOL_NAMES.index("create_refund"), 0]]))
    assert _play(reply.batch[0])["error"]["code"] == "invalid_args"


@pytest.mark.parametrize("pair", [(-1, 0), (11, 0), (0, -1), (0, SLOTS)])
def test_numbers_outside_the_training_space_are_refused(pair: tuple[int, int]) -> None:
    assert PILOT.discrete(np.array([pair])).refused[0].reason == "out_of_range"


def test_every_point_of_the_training_spaces_is_read() -> None:
    for role in ROLES:
        assert not role.discrete(np.array(role.training_space.nvec - 1)[None]).refused


def test_slots_never_offer_what_the_pilot_was_not_shown() -> None:
    desk = open_task("task2")
    assert options("list_invoices", desk.ticket.text, desk.log) == []
    ask(desk, "get_customer", customer_id="cus_003")
    assert options("list_invoices", desk.ticket.text, desk.log) == [{"customer_id": "cus_003"}]
    assert options("apply_discount", desk.ticket.text, desk.log) == [
        {"customer_id": "cus_003", "percent": 10}
    ]


TEXT = st.text() | st.sampled_from(["\ud800", "\x1b[2J", "9" * 5000])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(tool=TEXT, args=JSON, slot=st.none() | st.integers(0, 63), why=st.text(max_size=5))
def test_packed_calls_are_strict_json_and_come_back_to_the_same_bits(
    tool: str, args: object, slot: int | None, why: str
) -> None:
    call = Call(tool, args, slot, why)
    text = json.dumps(PILOT.pack([call]), allow_nan=False)
    (back,) = PILOT.unpack(json.loads(text))
    assert repr(back) == repr(call)


@given(
    kind=st.sampled_from(KIND_NAMES) | st.text(),
    target=st.text(),
    amount=st.integers(),
    slot=st.none() | st.integers(0, 63),
)
def test_packed_disturbances_come_back(
    kind: str, target: str, amount: int, slot: int | None
) -> None:
    move = Disturbance(kind, target, amount, slot)
    text = json.dumps(CRISIS.pack([move]), allow_nan=False)
    assert CRISIS.unpack(json.loads(text)) == [move]


@given(JSON)
def test_reading_never_raises_and_what_is_read_can_be_played(junk: object) -> None:
    for reply in (PILOT.texts([junk]), PILOT.objects([junk]), PILOT.objects([{"tool": junk}])):
        assert len(reply.batch) == 1
        json.dumps(_play(reply.batch[0]), allow_nan=False)
        assert PILOT.caption(reply.batch, 0).isprintable()
    assert CRISIS.texts([junk]).refused
    assert CRISIS.objects([{"disturbance": junk, "target": junk}]).batch == [NOTHING]


@pytest.mark.parametrize(
    ("move", "read"),
    [
        ({"disturbance": "late_invoice"}, Disturbance("late_invoice")),
        (
            {"disturbance": "Late Invoice", "target": "cus_1", "amount_cents": 5},
            Disturbance("late_invoice", "cus_1", 5),
        ),
        ({"disturbance": "pass"}, NOTHING),
        ({"disturbance": "PASS"}, NOTHING),
    ],
)
def test_disturbances_are_read(move: dict[str, object], read: Disturbance) -> None:
    reply = CRISIS.objects([move])
    assert reply.batch == [read]
    assert not reply.refused


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ({"disturbance": "flood"}, "unknown_disturbance"),
        ({"disturbance": "outage", "target": 7}, "bad_target"),
        ({"disturbance": "late_invoice", "amount_cents": math.nan}, "bad_number"),
        ({"disturbance": "late_invoice", "amount_cents": -5}, "bad_number"),
        ({"disturbance": "late_invoice", "amount_cents": True}, "bad_number"),
        ({"disturbance": "outage", "severity": 3}, "extra_key"),
        ({"kind": 99, "slot": 0}, "unknown_disturbance"),
    ],
)
def test_bad_disturbances_are_refused_and_pass(move: dict[str, object], reason: str) -> None:
    reply = CRISIS.objects([move])
    assert reply.refused[0].reason == reason
    assert reply.batch == [NOTHING]


@pytest.mark.parametrize(
    ("line", "call"),
    [
        ("get_customer cus_001", Call("get_customer", {"customer_id": "cus_001"})),
        ("search_customers TechCorp Inc", Call("search_customers", {"name": "TechCorp Inc"})),
        ("submit", Call("submit")),
        ("list_customers", Call("list_customers")),
        (json.dumps(GET), Call("get_invoice", {"invoice_id": "inv_901"})),
        (
            "apply_discount cus_001 10",
            Call("apply_discount", {"customer_id": "cus_001", "percent": 10.0}),
        ),
    ],
)
def test_a_person_can_type_short_calls(line: str, call: Call) -> None:
    assert PILOT.typed(line).batch == [call]


def test_a_person_can_type_short_disturbances() -> None:
    assert CRISIS.typed("outage get_invoice").batch == [Disturbance("outage", "get_invoice")]
    assert "outage" in CRISIS.typing_hint
    assert "get_customer cus_001" in PILOT.typing_hint


def test_kinds_strengths_and_captions_name_the_moves() -> None:
    batch = [Call("create_refund", {"invoice_id": "inv_1"}), Call("list_customers"), Call("x\n")]
    assert PILOT.kind_of(batch).tolist() == [7, 2, -1]
    assert PILOT.strength_of(batch).tolist() == [1.0, 0.0, 0.0]
    captions = [PILOT.caption(batch, i) for i in range(3)]
    assert captions == [
        "create_refund(invoice_id='inv_1')",
        "list_customers()",
        r"unknown tool 'x\n'",
    ]
    storm = [Disturbance("late_invoice", "cus_1", 1250), NOTHING]
    assert CRISIS.kind_of(storm).tolist() == [5, -1]
    assert CRISIS.strength_of(storm).tolist() == [3.0, 0.0]
    assert [CRISIS.caption(storm, i) for i in range(2)] == ["late_invoice cus_1 $12.50", "pass"]


def test_schemas_accept_exactly_the_documented_form() -> None:
    schema = PILOT.schema
    assert [each["properties"]["tool"]["const"] for each in schema["anyOf"]] == list(TOOLS)
    assert all(each["required"] == ["tool", "args"] for each in schema["anyOf"])
    assert set(CRISIS.schema["properties"]["disturbance"]["enum"]) == {*KIND_NAMES, "pass"}
    json.dumps([schema, CRISIS.schema], allow_nan=False)
