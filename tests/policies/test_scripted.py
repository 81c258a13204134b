"""Scripted agents: from a card to a function, its parameters and what it may see."""

import copy
import pickle
import sys

import numpy as np
import pytest

from revops_ma import catalog
from revops_ma.errors import BadInput, CardError, HiddenState
from revops_ma.game import View
from revops_ma.table import Table, play
from tests.worlds.revops.helpers import players

SCENE = catalog.scenario("revops/normal")

OWN_BOTS = """
import numpy as np

def steady(view, *, level: int, note: str = "none"):
    return view.role.discrete(np.full((len(view), 2), level))

def peek(view):
    return view.secrets()

def silent(view):
    pass

def short(view):
    return view.role.discrete(np.zeros((1, 2), int))

def untyped(view, *, level=3):
    return view.role.discrete(np.full((len(view), 2), level))

def dreamer(view, *, level: "NoSuchType" = 3):
    return view.role.discrete(np.full((len(view), 2), level))

not_a_function = 7

def copycat(view, *, opponent, scenario):
    assert opponent.name == "none" and scenario.name == "revops/normal"
    return view.role.discrete(np.zeros((len(view), 2), int))
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A module of bots and a folder of cards of one's own."""
    (tmp_path / "agents").mkdir()
    (tmp_path / "own_bots.py").write_text(OWN_BOTS, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv(catalog.PATH_VARIABLE, str(tmp_path))
    yield tmp_path
    sys.modules.pop("own_bots", None)


def card(home, bot, extra="", params=""):
    text = f'kind = "scripted"\nbot = "{bot}"\nabout = "A bot of one\'s own."\n{extra}\n{params}'
    (home / "agents" / "mine.toml").write_text(text, encoding="utf-8")
    return catalog.agent("mine", "pilot", SCENE)


SEAT = 'world = "revops"\nrole = "pilot"'


def view():
    games = SCENE.world.deal(SCENE.settings, [1, 2])
    return View(SCENE.world, games, np.arange(2), 0)


def test_a_card_can_name_any_function_of_any_module(home):
    agent = card(home, "own_bots:steady", SEAT, "[params]\nlevel = 3")
    assert agent.act(view()).batch["action"].tolist() == [3, 3]
    table = Table(SCENE.world, SCENE.settings, range(3))
    play(table, players(agent, "rule-based", SCENE))
    assert table.is_over


def test_a_function_of_a_module_needs_its_seat(home):
    with pytest.raises(CardError, match="bot 'own_bots:steady' needs `world` and `role` too"):
        card(home, "own_bots:steady", "", "[params]\nlevel = 3")


@pytest.mark.parametrize("bot", ["own_bots:nothing", "no_such_module:steady"])
def test_a_function_that_cannot_be_imported_is_named(home, bot):
    with pytest.raises(CardError, match=f"agent mine: cannot import '{bot}'"):
        card(home, bot, SEAT)


def test_a_bot_that_the_world_does_not_have_is_named(home):
    with pytest.raises(
        CardError, match=r"there is no function pilot_dreamer in revops_ma.worlds\."
    ):
        card(home, "dreamer", SEAT)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ("level = 3\nlvel = 4", r"\[params\] lvel: Extra inputs.*; allowed: level, note"),
        ("note = 'x'", r"\[params\] level: Field required; allowed: level, note"),
        ("level = 'high'", r"\[params\] level: Input should be a valid integer.*; allowed: level"),
    ],
)
def test_wrong_parameters_are_named_with_the_allowed_ones(home, params, message):
    with pytest.raises(CardError, match=message):
        card(home, "own_bots:steady", SEAT, f"[params]\n{params}")


def test_an_agent_that_sees_the_dashboard_cannot_read_the_full_state(home):
    agent = card(home, "own_bots:peek", SEAT)
    with pytest.raises(HiddenState, match="the pilot asked for the full state; its card says sees"):
        agent.act(view())


def test_an_agent_that_says_so_sees_everything(home):
    agent = card(home, "own_bots:peek", f'{SEAT}\nsees = "everything"')
    games, rows = agent.act(view()).batch
    assert len(games) == len(rows) == 2


def test_a_bot_is_told_who_it_plays_against_once_it_is_seated(home):
    agent = card(home, "own_bots:copycat", SEAT)
    with pytest.raises(BadInput, match="mine needs to know its opponent: play it in a match"):
        agent.act(view())
    seated = players(agent, "none", SCENE)["pilot"]
    assert seated.act(view()).batch["action"].tolist() == [0, 0]


def test_most_agents_stay_what_they_are_when_seated():
    agent = catalog.agent("heuristic", "pilot", SCENE)
    assert agent.seated(SCENE, {"pilot": agent}) is agent


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda agent: pickle.loads(pickle.dumps(agent))])
def test_agents_copy_with_their_matchup(copied):
    seated = players("heuristic", "best-constant", SCENE)["crisis"]
    twin = copied(seated)
    assert twin.identity == seated.identity
    assert (
        twin.matchup["opponent"].identity == "heuristic@" + seated.matchup["opponent"].card.digest
    )


def test_an_identity_changes_with_the_card():
    tuned = catalog.agent("heuristic-tuned", "pilot", SCENE)
    plain = catalog.agent("heuristic", "pilot", SCENE)
    again = catalog.agent("heuristic", "pilot", SCENE)
    assert plain.identity == again.identity != tuned.identity
    assert plain.identity.startswith("heuristic@")


def test_players_that_search_say_that_they_are_slow():
    assert catalog.agent("planner", "pilot", SCENE).is_slow
    assert catalog.agent("hunter", "crisis", SCENE).is_slow
    assert not catalog.agent("heuristic", "pilot", SCENE).is_slow


@pytest.mark.parametrize(
    ("bot", "message"),
    [
        ("own_bots:not_a_function", "got 7; allowed: a function"),
        ("own_bots:untyped", "parameter 'level' of own_bots:untyped has no type"),
        ("own_bots:dreamer", "the parameters of own_bots:dreamer cannot be read"),
        ("broken_bots:anything", "ZeroDivisionError: division by zero"),
        ("own_bots:absent", "cannot import 'own_bots:absent'"),
    ],
)
def test_a_bot_that_cannot_be_made_is_one_clear_error(home, bot, message):
    (home / "broken_bots.py").write_text("1 / 0", encoding="utf-8")
    with pytest.raises(CardError, match=message):
        card(home, bot, SEAT)


@pytest.mark.parametrize("bot", ["silent", "short"])
def test_a_bot_that_does_not_answer_for_every_game_is_told_what_to_return(home, bot):
    agent = card(home, f"own_bots:{bot}", SEAT)
    with pytest.raises(BadInput, match="a Reply or a batch of 2 moves"):
        agent.act(view())


def test_a_card_of_a_function_without_a_seat_fits_nowhere(home):
    (home / "agents" / "mine.toml").write_text(
        'kind = "scripted"\nbot = "own_bots:peek"\nabout = "A bot without a seat."\n'
    )
    assert "mine" not in catalog.fitting("pilot", SCENE.world)
