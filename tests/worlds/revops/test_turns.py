"""Who moves when, what a turn leaves behind, and the crisis engine's bank (sections 6 to 8)."""

import json
import math

import numpy as np
import pytest

from revops_ma.worlds.revops import WORLD
from revops_ma.worlds.revops.crises import CRISES, PASS
from tests.worlds.revops import helpers
from tests.worlds.revops.helpers import (
    CRISIS,
    CRISIS_SEAT,
    PILOT_SEAT,
    ROW,
    crisis_move,
    crisis_turn,
    games,
    pilot_move,
)

OVER = -1


def decide(game, action="negotiate_contracts", magnitude=0.5):
    return WORLD.apply(game, ROW, PILOT_SEAT, pilot_move(action, magnitude))


def hit(game, *move, **fields):
    return WORLD.apply(game, ROW, CRISIS_SEAT, crisis_move(*move, **fields))


def test_the_crisis_engine_moves_every_third_month_and_pays_then():
    game = games(3, difficulty="easy")
    seats, scored = [], []
    while (seat := int(WORLD.to_move(game)[0])) != OVER:
        seats.append(seat)
        outcome = decide(game) if seat == PILOT_SEAT else hit(game, PASS, 0.0, 0.0)
        scored.append(bool(outcome.scored[0]))
    assert game["month"][0] == 30
    assert seats == [0, 0, 0, 1] * 10
    assert scored == [True, True, False, True] * 10


def test_an_unscored_turn_pays_nothing_and_ends_nothing_even_when_the_company_is_dead():
    game = games(0, month=2, runway=0.0, cac=6_000.0)
    outcome = decide(game)
    assert game["runway"][0] <= 0
    assert outcome.rewards.tolist() == [[0.0, 0.0]]
    assert not outcome.scored[0]
    assert not outcome.ended[0]
    assert WORLD.to_move(game)[0] == CRISIS_SEAT


def test_a_company_that_is_dead_already_is_struck_all_the_same():
    game = crisis_turn(runway=0.0)
    outcome = hit(game, "CHURN_SPIKE")
    assert game["churn"][0] == pytest.approx(0.09)
    assert WORLD.endings(game, ROW) == ["bankrupt"]
    assert outcome.ended[0]
    assert outcome.rewards[0, 0] < -1


@pytest.mark.parametrize(
    ("figures", "ending"),
    [
        ({"mrr": 19_999.0, "runway": 0.0, "churn": 0.5}, "mrr_collapsed"),
        ({"runway": 0.0, "churn": 0.5}, "bankrupt"),
        ({"churn": 0.5}, "churned_out"),
        ({"month": 30}, "survived"),
        ({"month": 30, "mrr": 20_000.0, "marketing": 5_000.0}, "survived"),
        ({"month": 30, "mrr": 19_999.0, "marketing": 5_000.0}, "mrr_collapsed"),
        ({}, "none"),
    ],
)
def test_the_first_cause_that_applies_names_the_ending(figures, ending):
    game = crisis_turn(**figures)
    outcome = hit(game, PASS, 0.0, 0.0)
    assert WORLD.endings(game, ROW) == [ending]
    assert bool(outcome.ended[0]) is (ending != "none")
    assert bool(WORLD.won(game, ROW)[0]) is (ending == "survived")


def test_growth_is_measured_from_the_month_end_after_the_crisis():
    game = crisis_turn(previous_mrr=60_000.0)
    struck = hit(game, "ENTERPRISE_CHURN")
    assert game["previous_mrr"][0] == 48_000
    assert struck.detail["growth"][0] == pytest.approx(0, abs=1e-15)  # -20 % within the month
    after = decide(game)
    growth = game["mrr"][0] / 48_000 - 1
    assert after.detail["growth"][0] == min(1.0, 0.3 + 7 * growth)


def test_the_first_months_growth_uses_the_mrr_at_its_end():
    game = games(0, mrr=20_500.0, churn=0.15, cac=6_000.0)
    outcome = decide(game, "cut_costs", 1.0)
    assert game["mrr"][0] < 20_000
    assert outcome.detail["growth"][0] == 0.0


def test_the_rewards_of_both_seats_cancel():
    outcome = hit(crisis_turn(runway=0.0), "CASH_CRUNCH")
    assert outcome.rewards.sum() == 0.0
    assert outcome.rewards[0, 1] > 1


def test_a_pass_keeps_the_last_crisis_and_lets_it_age():
    game = crisis_turn()
    hit(game, "PRICE_WAR")
    seen = []
    while game["month"][0] < 9:
        seen.append((int(game["last_crisis"][0]), int(game["crisis_age"][0])))
        decide(game, "hire_support", 0.1)
        if WORLD.to_move(game)[0] == CRISIS_SEAT:
            hit(game, PASS, 0.0, 0.0)
    war = CRISES.index("PRICE_WAR")
    assert seen == [(war, age) for age in range(6)]


def test_no_crisis_has_an_age_before_the_first():
    game = games(0)
    decide(game)
    assert (game["last_crisis"][0], game["crisis_age"][0]) == (PASS, -1)


def test_the_active_crisis_shows_only_right_after_a_strike():
    game = crisis_turn()
    hit(game, "TALENT_WAR")
    talent_war = 8 + CRISES.index("TALENT_WAR")
    assert np.flatnonzero(WORLD.observe(game, ROW, PILOT_SEAT)[0, 8:]) + 8 == [talent_war]
    decide(game)
    assert not WORLD.observe(game, ROW, PILOT_SEAT)[0, 8:].any()


def test_a_passed_turn_shows_no_active_crisis():
    game = crisis_turn(last_crisis=4, active_crisis=-1, crisis_age=3)
    hit(game, PASS, 0.0, 0.0)
    assert not WORLD.observe(game, ROW, PILOT_SEAT)[0, 8:].any()


def test_saving_two_turns_pays_for_one_of_full_severity():
    game = crisis_turn()
    banks = [game["bank"][0]]
    for severity in (0.0, 0.0, 1.5, 1.5):
        outcome = hit(game, "CAC_EXPLOSION", severity, severity)
        banks.append(game["bank"][0])
    assert banks == [1.0, 2.0, 2.25, 1.0, 1.0]
    assert outcome.played["r1"][0] == 1.0  # the second 1.5 in a row is cut to the bank


@pytest.mark.parametrize("severity", [math.nan, -0.5, 0.0, -math.inf])
def test_a_severity_that_is_nothing_is_a_pass(severity):
    game = crisis_turn()
    outcome = hit(game, "CASH_CRUNCH", severity, severity)
    assert outcome.played["crisis"][0] == PASS
    assert game["runway"][0] == 10
    assert game["bank"][0] == 2.0


def test_the_rule_based_fallback_strikes_at_severity_1_and_is_charged():
    game = crisis_turn(support=0.3, bank=2.25)
    outcome = WORLD.apply(game, ROW, CRISIS_SEAT, CRISIS.texts(["no idea"]).batch)
    played = outcome.played[0]
    assert CRISES[played["crisis"]] == "SUPPORT_CRISIS"
    assert (played["r1"], played["r2"]) == (1.0, 1.0)
    assert game["bank"][0] == 2.25


# Section 8's table: (reply, bank, crisis, r1, r2, bank after); None is a pass, "rule" the engine.
FREE_FORM = [
    (
        {"crisis_type": "CHURN_SPIKE", "churn_pts": 4, "mrr_pct": -8},
        1.0,
        "CHURN_SPIKE",
        1.0,
        1.0,
        1.0,
    ),
    (
        {"crisis_type": "CHURN_SPIKE", "churn_pts": 9, "mrr_pct": -2, "cac_pct": 500},
        1.0,
        "CHURN_SPIKE",
        1.0,
        0.16666666666666666,
        1.0,
    ),
    ({"crisis_type": "CASH_CRUNCH", "runway_months": -9}, 2.25, "CASH_CRUNCH", 1.5, 0.0, 1.0),
    ({"crisis_type": "CASH_CRUNCH", "runway_months": 3}, 1.0, None, 0.0, 0.0, 2.0),
    ({"crisis_type": "METEOR", "mrr_pct": -50}, 1.0, "rule", 1.0, 1.0, 1.0),
    (
        {"crisis_type": "PRICE_WAR", "mrr_pct": math.nan, "cac_pct": 15},
        1.0,
        "PRICE_WAR",
        0.0,
        0.5,
        1.75,
    ),
    ({"crisis_type": "CAC_EXPLOSION", "mrr_pct": -10}, 1.5, "rule", 1.0, 1.0, 1.5),
    (
        {"crisis_type": "TALENT_WAR", "runway_months": -1, "support_pts": -15},
        1.3,
        "TALENT_WAR",
        0.3040467800264368,
        1.140175425099138,
        1.0,
    ),
    ({"crisis_type": "ENTERPRISE_CHURN", "mrr_pct": 0}, 1.0, None, 0.0, 0.0, 2.0),
]
# More rows of the same rules.
FREE_FORM += [
    # wrong signs and infinities have ratio 0; the other component still counts
    (
        {"crisis_type": "REGULATORY_HIT", "runway_months": 2, "cac_pct": 10},
        1.0,
        "REGULATORY_HIT",
        0.0,
        0.5,
        1.75,
    ),
    (
        {"crisis_type": "REGULATORY_HIT", "runway_months": -math.inf, "cac_pct": 10},
        1.0,
        "REGULATORY_HIT",
        0.0,
        0.5,
        1.75,
    ),
    (
        {"crisis_type": "REGULATORY_HIT", "runway_months": -(10**400), "cac_pct": 10},
        1.0,
        "REGULATORY_HIT",
        0.0,
        0.5,
        1.75,
    ),
    # texts, booleans and null are no numbers, infinity is no finite one
    ({"crisis_type": "ENTERPRISE_CHURN", "mrr_pct": "-20"}, 1.0, "rule", 1.0, 1.0, 1.0),
    ({"crisis_type": "ENTERPRISE_CHURN", "mrr_pct": True}, 1.0, "rule", 1.0, 1.0, 1.0),
    ({"crisis_type": "ENTERPRISE_CHURN", "mrr_pct": None}, 1.0, "rule", 1.0, 1.0, 1.0),
    ({"crisis_type": "ENTERPRISE_CHURN", "mrr_pct": -math.inf}, 1.0, "rule", 1.0, 1.0, 1.0),
    ({"crisis_type": "ENTERPRISE_CHURN"}, 1.0, "rule", 1.0, 1.0, 1.0),
    # a missing component has ratio 0
    ({"crisis_type": "TALENT_WAR", "support_pts": -5}, 1.0, "TALENT_WAR", 0.0, 0.5, 1.75),
]


@pytest.mark.parametrize("as_text", [False, True], ids=["object", "text"])
@pytest.mark.parametrize(("reply", "bank", "crisis", "r1", "r2", "bank_after"), FREE_FORM)
def test_free_form_deltas_come_out_as_in_the_rulebook(
    reply, bank, crisis, r1, r2, bank_after, as_text
):
    game = crisis_turn(bank=bank)
    read = CRISIS.texts([json.dumps(reply)]) if as_text else CRISIS.objects([reply])
    played = WORLD.apply(game, ROW, CRISIS_SEAT, read.batch).played[0]
    # helpers.COMPANY is weakest in support (.5), where SUPPORT_CRISIS hurts most
    expected = {None: PASS, "rule": CRISES.index("SUPPORT_CRISIS")}
    assert played["crisis"] == expected.get(crisis, CRISES.index(crisis) if crisis in CRISES else 9)
    assert (played["r1"], played["r2"]) == (r1, r2)
    assert game["bank"][0] == bank_after
    assert bool(read.refused) is (crisis == "rule")


def test_the_other_crises_fields_are_dropped_and_noted():
    read = CRISIS.objects([FREE_FORM[1][0]])
    assert read.notes == {0: ("foreign_field",)}


def test_observations_hold_what_the_rulebook_shows():
    game = crisis_turn(bank=1.25, last_crisis=2, action_1=9, magnitude_1=0.7)
    pilot = WORLD.observe(game, ROW, PILOT_SEAT)[0]
    crisis = WORLD.observe(game, ROW, CRISIS_SEAT)[0]
    shown = [60_000, 1_000, 6_000, 0.05, 10, 20_000, 0.5, 3]
    assert pilot[:8].tolist() == crisis[:8].tolist() == shown
    assert crisis[8:13] == pytest.approx([0.25, 0.2, 0.5, 1 / 6, 0.0])
    assert crisis[13:15].tolist() == [1.25, 10]  # bank, turns left with this one
    assert np.flatnonzero(crisis[15:23]).tolist() == [2]
    assert crisis[23:26].tolist() == [0.7, 0, 0]
    assert np.flatnonzero(crisis[26:]).tolist() == [9]


def test_turns_left_count_down_to_one():
    left = []
    for month in range(3, 31, 3):
        left.append(WORLD.observe(crisis_turn(month=month), ROW, CRISIS_SEAT)[0, 14])
    assert left == list(range(10, 0, -1))


def test_each_seat_has_luck_of_its_own():
    game = games(5, month=3)
    key = helpers.key_of(5)
    pilot = helpers.uniform(helpers.mix(key ^ 0xA5A5A5A55A5A5A5A), 4, 1)  # the month to be played
    crisis = helpers.uniform(helpers.mix(key ^ 0xC3C3C3C33C3C3C3C), 3, 0)  # the month being played
    assert WORLD.luck(game, ROW, PILOT_SEAT, 1).tolist() == [pilot]
    assert WORLD.luck(game, ROW, CRISIS_SEAT, 0).tolist() == [crisis]


def test_another_rhythm_is_a_setting():
    game = games(0, crisis_every=1)
    decide(game)
    assert WORLD.to_move(game)[0] == CRISIS_SEAT
