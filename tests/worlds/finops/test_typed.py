"""What a person types, and what the terminal shows in return."""

import pytest

from revops_ma.game import Refused
from revops_ma.worlds.finops.roles import ROLES
from revops_ma.worlds.finops.terminal import pilot_screen
from revops_ma.worlds.finops.tickets import Family
from revops_ma.worlds.finops.tools import TOOLS
from revops_ma.worlds.finops.typed import call_typed, disturbance_typed

from .helpers import ask, mixed_ticket, open_task, opened

PILOT, CRISIS = ROLES


@pytest.mark.parametrize(
    ("line", "tool", "args"),
    [
        ("get_customer cus_12", "get_customer", {"customer_id": "cus_12"}),
        ("  create_refund   inv_901 ", "create_refund", {"invoice_id": "inv_901"}),
        ("Create_Refund inv_901", "create_refund", {"invoice_id": "inv_901"}),
        ("create_refund(inv_901)", "create_refund", {"invoice_id": "inv_901"}),
        ("create_refund(invoice_id='inv_901')", "create_refund", {"invoice_id": "inv_901"}),
        ("search_customers Tech Corp", "search_customers", {"name": "Tech Corp"}),
        ('search_customers "Tech Corp"', "search_customers", {"name": "Tech Corp"}),
        ("search_customers O'Brien", "search_customers", {"name": "O'Brien"}),
        ("search_customers 2026", "search_customers", {"name": "2026"}),
        ("list_customers", "list_customers", {}),
        ("submit()", "submit", {}),
        ("apply_discount c 10", "apply_discount", {"customer_id": "c", "percent": 10.0}),
        ("apply_discount c 10%", "apply_discount", {"customer_id": "c", "percent": 10.0}),
        ("apply_discount(c, 12.5)", "apply_discount", {"customer_id": "c", "percent": 12.5}),
        (
            "apply_discount customer_id=c, percent=10",
            "apply_discount",
            {"customer_id": "c", "percent": 10.0},
        ),
        ("apply_discount c ten", "apply_discount", {"customer_id": "c", "percent": "ten"}),
    ],
)
def test_short_forms_are_read_as_a_person_means_them(line, tool, args):
    assert call_typed(line) == {"tool": tool, "args": args}


@pytest.mark.parametrize("line", ["submit later", "submit please, I am done", "submit(now)"])
def test_a_word_too_many_never_submits(line):
    reply = PILOT.typed(line)
    assert reply.refused[0].reason == "too_many_words"
    assert not reply.batch[0].tool


def test_a_slip_of_the_pen_is_answered_with_what_was_meant():
    refused = call_typed("get_custmer cus_1")
    assert isinstance(refused, Refused)
    assert "did you mean get_customer?" in refused.detail
    assert "known: search_customers" in call_typed("please help me").detail
    assert "did you mean outage?" in disturbance_typed("outtage").detail


@pytest.mark.parametrize("line", ["", "!", "(", "\x1b[2J", "(" * 3000, "a" * 50_000, "😀 1"])
def test_no_line_makes_the_readers_raise(line):
    assert PILOT.typed(line).refused
    assert CRISIS.typed(line).refused


@pytest.mark.parametrize(
    ("line", "move"),
    [
        ("pass", {"disturbance": "pass", "target": ""}),
        ("outage get_invoice", {"disturbance": "outage", "target": "get_invoice"}),
        (
            "late_invoice cus_008 $50.01",
            {"disturbance": "late_invoice", "target": "cus_008", "amount_cents": 5_001},
        ),
    ],
)
def test_disturbances_have_short_forms_with_amounts_in_dollars(line, move):
    assert disturbance_typed(line) == move
    assert not CRISIS.typed(line).refused


@pytest.mark.parametrize("line", ["late_invoice cus_008 lots", "outage get_invoice 3"])
def test_a_disturbance_with_a_word_too_many_is_refused(line):
    assert disturbance_typed(line).reason == "too_many_words"


def test_the_first_screen_has_ticket_and_manual_in_80_columns():
    lines = pilot_screen(open_task("task1")).splitlines()
    assert max(map(len, lines)) < 80
    text = " ".join(" ".join(lines).split())
    assert "double-charged for their March invoice" in text
    assert all(name in text for name in TOOLS)


def test_later_screens_have_the_newest_answer_as_a_table():
    desk = open_task("task1")
    ask(desk, "list_invoices", customer_id="cus_001")
    screen = pilot_screen(desk)
    assert "2 invoices, $1,000.00 together" in screen
    assert "inv_902  cus_001   2026-03  $500.00" in screen
    assert "Step 2 of 10" in screen
    assert "double-charged" not in screen
    ask(desk, "get_invoice", invoice_id="no\x1b[2Jthing")
    assert "\x1b" not in pilot_screen(desk)


def test_names_from_a_database_cannot_drive_the_terminal():
    ticket = mixed_ticket(Family.REFUND)
    evil = ticket.customers[0]._replace(name="Acme\x1b[2J\n\x9b31m")
    desk = opened(ticket)
    desk.tables.customers[evil.id] = evil
    for tool, args in (("list_customers", {}), ("get_customer", {"customer_id": evil.id})):
        ask(desk, tool, **args)
        assert all(line.isprintable() for line in pilot_screen(desk).splitlines())
