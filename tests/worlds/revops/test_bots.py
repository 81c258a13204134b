"""Scripted players where calibration figures do not say enough."""

import numpy as np
import pytest

from revops_ma import catalog
from revops_ma.errors import CardError
from revops_ma.game import View
from revops_ma.worlds.revops import WORLD
from revops_ma.worlds.revops.actions import ACTIONS
from revops_ma.worlds.revops.bots.heuristic import PLAIN, TUNED, Thresholds, decide
from revops_ma.worlds.revops.crises import strike
from revops_ma.worlds.revops.rewards import score_month
from tests.worlds.revops.helpers import COMPANY, CRISIS_SEAT, company, crisis_turn, games, match

SCENE = catalog.scenario("revops/normal")


@pytest.mark.parametrize(("name", "thresholds"), [("heuristic", PLAIN), ("heuristic-tuned", TUNED)])
def test_the_cards_thresholds_are_those_that_search_agents_imagine(name, thresholds):
    params = catalog.agent(name, "pilot", SCENE).params
    assert Thresholds(*(params[field] for field in Thresholds._fields)) == thresholds


# A company that no rule of the plain heuristic is worried about; it then invests in features.
CALM = company(churn=0.04, support=0.8, mrr=60_000.0, marketing=24_000.0, runway=10.0)


@pytest.mark.parametrize(
    ("changes", "action", "magnitude"),
    [
        ({"runway": 2.9}, "decrease_marketing", 0.9),
        ({"runway": 2.9, "marketing": 12_000.0}, "fire_support", 0.8),
        ({"runway": 2.9, "marketing": 12_000.0, "support": 0.7}, "cut_costs", 1.0),
        ({"churn": 0.07, "support": 0.4}, "hire_support", 0.9),
        ({"churn": 0.07, "support": 0.4, "runway": 6.5}, "negotiate_contracts", 1.0),
        ({"support": 0.71}, "hire_support", 0.87),  # 3 * (1.0 - .71)
        ({"support": 0.2}, "hire_support", 1.0),
        ({"mrr": 28_000.0, "marketing": 11_000.0}, "discount_campaign", 1.0),
        ({"cac": 1_900.0}, "decrease_marketing", 0.7),
        ({"cac": 1_900.0, "marketing": 20_000.0}, "pivot_segment", 0.8),
        ({"cac": 1_900.0, "marketing": 20_000.0, "runway": 6.5}, "cut_costs", 0.5),
        ({"runway": 5.9}, "cut_costs", 0.8),
        ({"churn": 0.051}, "negotiate_contracts", 0.8),
        ({"marketing": 18_000.0}, "increase_marketing", 0.6),
        ({"churn": 0.034}, "raise_prices", 0.6),
        ({"support": 0.6, "runway": 6.4}, "hire_support", 0.5),
        ({}, "feature_investment", 0.6),
        ({"runway": 8.0}, "negotiate_contracts", 0.5),
    ],
)
def test_the_first_rule_that_applies_decides(changes, action, magnitude):
    chosen, strength = decide(CALM._replace(**changes), PLAIN)
    assert (ACTIONS[chosen], strength) == (action, pytest.approx(magnitude))


def test_lookahead_leaves_the_pilot_the_lowest_reward_of_this_month():
    game = crisis_turn(previous_mrr=60_000.0)
    view = View(WORLD, game, np.array([0]), CRISIS_SEAT)
    move = catalog.agent("lookahead", "crisis", SCENE).act(view).batch[0]
    rewards = [score_month(strike(COMPANY, k, 1.0, 1.0), 60_000.0, 3)[4] for k in range(8)]
    assert move["crisis"] == int(np.argmin(rewards))
    assert move["r1"] == move["r2"] == 1.0


def test_random_agents_draw_from_luck_of_their_own():
    dealt = games(*range(3_000))
    view = View(WORLD, dealt, np.arange(3_000), 0)
    moves = catalog.agent("random", "pilot", SCENE).act(view).batch
    assert np.bincount(moves["action"], minlength=10).min() > 240  # 300 each, 3.6 deviations
    assert moves["magnitude"].min() >= 0.1
    assert moves["magnitude"].max() < 1.0
    assert moves["magnitude"].mean() == pytest.approx(0.55, abs=0.02)


def test_the_engine_that_always_passes_never_strikes_and_saves_all_it_can():
    passed = match("heuristic", "none", "normal", range(20))
    assert (passed.games["last_crisis"] == -1).all()
    assert (passed.games["bank"][passed.games["month"] >= 6] == 2.25).all()


@pytest.mark.parametrize(
    ("bot", "role", "params", "words"),
    [
        ("constant", "pilot", 'action = "print_money"\nmagnitude = 1.0', "'increase_marketing'"),
        ("constant", "pilot", 'action = "cut_costs"\nmagnitude = 7.0', "less than or equal to 1"),
        ("constant", "pilot", 'action = "cut_costs"\nmagnitude = nan', "finite number"),
        ("constant", "crisis", 'crisis = "METEOR"', "'CHURN_SPIKE'"),
        (
            "constant",
            "crisis",
            'crisis = "PRICE_WAR"\nseverity = -3.0',
            "than or equal to 0",
        ),
        ("hunter", "crisis", "futures = 0", "greater than or equal to 1"),
        ("hunter", "crisis", "futures = 25", "less than or equal to 24"),
        ("hunter", "crisis", 'futures = "12"', "valid integer"),
        ("planner", "pilot", "futures = []", "at least 1 item"),
        ("planner", "pilot", "futures = [-3]", "greater than or equal to 1"),
        ("planner", "pilot", "keep = 2.0", "less than or equal to 1"),
        ("planner", "pilot", "keep = 0.0", "greater than 0"),
        ("best-constant", "crisis", "seeds = 0\nknown = []", "greater than or equal to 1"),
    ],
)
def test_a_parameter_out_of_range_is_told_with_its_card(tmp_path, bot, role, params, words):
    card = tmp_path / "mine.toml"
    card.write_text(
        f'kind = "scripted"\nbot = "{bot}"\nabout = "A wrong value."\n[params]\n{params}\n'
    )
    with pytest.raises(CardError, match=words):
        catalog.agent(card, role, catalog.scenario("revops/normal"))


def test_the_planner_survives_where_the_heuristic_does_not():
    seeds = range(1_000_000, 1_000_060)
    rows = np.arange(60)
    survived = {
        name: int(WORLD.won(match(name, "rule-based", "normal", seeds).games, rows).sum())
        for name in ("heuristic-tuned", "planner")
    }
    assert survived["planner"] >= 55
    assert survived["planner"] > survived["heuristic-tuned"]


def test_the_hunter_does_more_harm_than_the_sources_engine():
    seeds = range(1_000_000, 1_000_060)
    returns = {
        name: match("heuristic", name, "normal", seeds).returns[:, 0].mean()
        for name in ("rule-based", "hunter")
    }
    assert returns["hunter"] < returns["rule-based"] - 5
