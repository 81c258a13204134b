"""The dashboards that people and language models read."""

import json
import re

import pytest

from revops_ma.worlds.revops import WORLD
from revops_ma.worlds.revops.actions import ACTIONS
from revops_ma.worlds.revops.crises import CRISES
from revops_ma.worlds.revops.text import ACTION_GUIDE, crisis_line
from tests.worlds.revops.helpers import ROW, crisis_turn, games


def texts(game):
    return [WORLD.describe(game, ROW, role)[0] for role in (0, 1)]


def test_both_seats_read_the_seven_figures():
    for text in texts(crisis_turn()):
        for figure in (
            "$60,000 (dead below $20,000)",
            "$1,000",
            "$6,000 (LTV/CAC 6.00)",
            "5.0% a month (dead above 20%)",
            "10.0 months (dead at 0)",
            "$20,000 a month (33% of MRR)",
            "50%",
        ):
            assert figure in text


def test_the_pilot_reads_the_month_it_plays_and_the_crisis_the_one_that_is_on():
    pilot, crisis = texts(crisis_turn(month=3))
    assert "month 4 of 30" in pilot
    assert "month 3 of 30" in crisis


def test_hidden_figures_are_in_no_text():
    told = texts(games(0))
    changed = texts(games(0, arpa=999.0, slack=0.123, k_cac=1.0, k_churn=0.2, k_fix=5.0, key=1))
    assert changed == told


def test_every_action_and_crisis_is_explained():
    pilot, crisis = texts(crisis_turn())
    assert set(ACTION_GUIDE) == set(ACTIONS)
    for name in ACTIONS:
        assert f"  {name}: {ACTION_GUIDE[name]}" in pilot
    for index in range(len(CRISES)):
        assert f"  {crisis_line(index)}" in crisis


def test_a_crisis_is_told_with_its_numbers():
    assert crisis_line(0) == "CHURN_SPIKE (churn +4 points, MRR -8 % at severity 1)"
    assert crisis_line(-1) == "none"


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"last_crisis": -1, "crisis_age": -1}, "Your last crisis: none\n"),
        ({"last_crisis": 3, "crisis_age": 3}, "at severity 1), 3 months ago\n"),
        ({"last_crisis": 3, "crisis_age": 1}, "at severity 1), 1 month ago\n"),
        (
            {"bank": 2.25},
            "Severity bank: 2.25; a severity s costs s*s; the most you can afford now",
        ),
        ({"action_1": -1}, "Pilot's last moves: none\n"),
        (
            {"action_1": 2, "magnitude_1": 0.8, "action_2": 7, "magnitude_2": 1.0},
            "Pilot's last moves: hire_support 0.80, cut_costs 1.00\n",
        ),
        ({}, "Weakness (1 = broken): churn 0.25, cac 0.20, support 0.50, runway 0.17, mrr 0.00\n"),
    ],
)
def test_the_crisis_reads_its_own_state_and_the_pilots_moves(fields, line):
    assert line in texts(crisis_turn(**fields))[1]


def test_the_active_crisis_is_told_to_the_pilot():
    assert "Active crisis:    CASH_CRUNCH (runway -3 months" in texts(games(0, active_crisis=3))[0]
    assert "Active crisis:    none" in texts(games(0))[0]


def test_the_form_of_the_answer_is_a_readable_move_once_filled_in():
    for role, text in zip(WORLD.roles, texts(crisis_turn()), strict=True):
        form = re.search(r"\{.*\}", text)[0]
        filled = form.replace("<action>", "cut_costs").replace("<crisis or PASS>", "PRICE_WAR")
        filled = re.sub(r"<[\d.]+ to [\d.]+>", "0.5", filled)
        assert json.loads(filled)
        assert not role.texts([filled]).refused
        assert not role.texts([filled]).notes
