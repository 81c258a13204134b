"""Names to cards to objects, and errors that say what to do."""

import pytest

from revops_ma import catalog
from revops_ma.cards import ScenarioCard
from revops_ma.errors import BadInput, CardError, UnknownName
from revops_ma.table import Table, play
from tests.worlds.revops.helpers import players

SCENE = catalog.scenario("revops/normal")

AGENT = """
kind = "scripted"
bot = "constant"
role = "pilot"
about = "Negotiates at a strength of its own, every month."

[params]
action = "negotiate_contracts"
magnitude = 0.7
"""
SCENARIO = """
world = "revops"
title = "Strikes every month"
about = "The crisis engine moves after every month."

[rules]
difficulty = "easy"
crisis_every = 1
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder of cards of one's own, in front of the shipped ones."""
    (tmp_path / "agents").mkdir()
    (tmp_path / "scenarios" / "revops").mkdir(parents=True)
    monkeypatch.setenv(catalog.PATH_VARIABLE, str(tmp_path))
    return tmp_path


def add(home, path, text):
    file = home / path
    file.write_text(text, encoding="utf-8")
    return file


def test_an_unknown_agent_is_met_with_the_nearest_name_all_names_and_the_way_out():
    with pytest.raises(UnknownName) as caught:
        catalog.agent("heuristik", "pilot", SCENE)
    message = str(caught.value)
    assert message.startswith("no agent called 'heuristik'; did you mean 'heuristic'? Known: ")
    assert "fixed-marketing" in message
    assert message.endswith("Add agents/<name>.toml")


def test_an_unknown_scenario_is_met_alike():
    with pytest.raises(
        UnknownName, match=r"no scenario called 'revops/norml'; did you mean 'revop"
    ):
        catalog.scenario("revops/norml")


def test_a_name_like_no_other_gets_no_guess():
    with pytest.raises(UnknownName, match=r"no agent called 'qqq'\. Known: "):
        catalog.agent("qqq", "pilot", SCENE)


def test_an_unknown_world_names_the_known_ones():
    with pytest.raises(UnknownName, match="no world called 'revop'; did you mean 'revops'"):
        catalog.world("revop")


def test_errors_of_the_catalog_are_wrong_input():
    assert issubclass(UnknownName, BadInput)
    assert issubclass(CardError, BadInput)
    assert issubclass(BadInput, ValueError)


def test_an_agent_is_one_file(home):
    add(home, "agents/negotiator.toml", AGENT)
    assert "negotiator" in catalog.fitting("pilot", SCENE.world)
    table = Table(SCENE.world, SCENE.settings, range(4))
    play(table, players("negotiator", "rule-based", SCENE))
    assert {move.tolist() for move in table.log[0].batch} == {(8, 0.7)}
    assert table.is_over


def test_a_scenario_is_one_file(home):
    add(home, "scenarios/revops/monthly.toml", SCENARIO)
    scene = catalog.scenario("revops/monthly")
    table = Table(scene.world, scene.settings, range(4))
    play(table, players("heuristic", "rule-based", scene))
    assert [turn.role for turn in table.log[:4]] == [0, 1, 0, 1]
    assert "revops/monthly" in [card.name for card in catalog.scenarios()]


def test_own_cards_come_before_shipped_ones_of_the_same_name(home):
    shipped = catalog.agent("heuristic", "pilot", SCENE)
    add(home, "agents/heuristic.toml", AGENT)
    own = catalog.agent("heuristic", "pilot", SCENE)
    assert own.identity != shipped.identity
    assert own.card.bot == "constant"
    assert catalog.agent("rule-based", "crisis", SCENE).name == "rule-based"


def test_the_first_of_several_folders_wins(home, tmp_path_factory, monkeypatch):
    other = tmp_path_factory.mktemp("other")
    (other / "agents").mkdir()
    add(home, "agents/mine.toml", AGENT)
    add(other, "agents/mine.toml", AGENT.replace("0.7", "0.2"))
    monkeypatch.setenv(catalog.PATH_VARIABLE, f"{other}:{home}")
    assert catalog.agent("mine", "pilot", SCENE).params["magnitude"] == 0.2


def test_the_path_of_a_card_is_as_good_as_a_name(tmp_path):
    for given in (path := add(tmp_path, "mine.toml", AGENT), str(path)):
        assert catalog.agent(given, "pilot", SCENE).name == "mine"
    scene = catalog.scenario(str(add(tmp_path, "monthly.toml", SCENARIO)))
    assert scene.settings.crisis_every == 1


def test_the_path_of_no_file_is_an_unknown_name():
    with pytest.raises(UnknownName, match=r"no agent file 'no/such\.toml'"):
        catalog.agent("no/such.toml", "pilot", SCENE)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (AGENT.replace("role", "rolle"), r"rolle: Extra inputs are not permitted \(got 'pilot'\)"),
        (AGENT.replace('bot = "constant"', "bot = 7"), r"bot: .*valid string \(got 7\)"),
        (AGENT.replace('bot = "constant"\n', ""), r"bot: Field required$"),
        (AGENT.replace('"scripted"', '"magic"'), r"kind: .*\(got 'magic'\)"),
        (AGENT.replace("Negotiates at a strength of its own, every month.", "Short"), "about: "),
        (AGENT + "sees = ", "not a readable TOML file: "),
        ("kind = scripted", "not a readable TOML file: "),
    ],
)
def test_a_card_with_an_error_is_named_with_file_key_and_value(home, text, message):
    path = add(home, "agents/broken.toml", text)
    with pytest.raises(CardError, match=message) as caught:
        catalog.agent("broken", "pilot", SCENE)
    assert str(caught.value).startswith(f"{path}: ")


def test_a_card_that_is_no_text_is_named(home):
    (home / "agents" / "broken.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CardError, match=r"broken\.toml: not a readable TOML file"):
        catalog.agent("broken", "pilot", SCENE)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            SCENARIO.replace('"revops"', '"space"'),
            r"world of scenario .*got 'space'; allowed: .*revops",
        ),
        (SCENARIO.replace('"easy"', '"brutal"'), r"\[rules\]: difficulty: .*\(got 'brutal'\)"),
        (SCENARIO.replace("crisis_every = 1", "crisis_every = 0"), r"\[rules\]: crisis_every: "),
        (SCENARIO.replace("crisis_every = 1", 'crisis_every = "1"'), r"\[rules\]: crisis_every: "),
        (SCENARIO + "speed = 3", r"\[rules\]: speed: Extra inputs are not permitted \(got 3\)"),
    ],
)
def test_a_scenario_with_an_error_is_named_with_key_and_value(home, text, message):
    add(home, "scenarios/revops/broken.toml", text)
    with pytest.raises(CardError, match=message):
        catalog.scenario("revops/broken")


@pytest.mark.parametrize(
    ("name", "role", "message"),
    [
        (
            "heuristic",
            "crisis",
            "agent heuristic plays role 'pilot', not 'crisis'; allowed: .*rule-",
        ),
        (
            "rule-based",
            "pilot",
            "agent rule-based plays role 'crisis', not 'pilot'; allowed: .*heur",
        ),
    ],
)
def test_an_agent_in_the_wrong_seat_names_those_that_fit(name, role, message):
    with pytest.raises(CardError, match=message):
        catalog.agent(name, role, SCENE)


def test_equal_rules_have_equal_identities_whatever_they_are_called(home):
    copy = add(
        home, "scenarios/revops/copy.toml", 'world="revops"\ntitle="A"\nabout="A copy of it."'
    )
    assert catalog.scenario("revops/copy").identity == SCENE.identity
    copy.write_text(SCENARIO, encoding="utf-8")
    assert catalog.scenario("revops/copy").identity != SCENE.identity


def test_cards_do_not_change():
    card = SCENE.card
    with pytest.raises(ValueError, match="frozen"):
        card.title = "Another"
    assert isinstance(card, ScenarioCard)


def test_a_folder_of_cards_that_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv(catalog.PATH_VARIABLE, str(tmp_path / "nowhere"))
    with pytest.raises(
        BadInput, match=r"nowhere.*allowed: folders that hold agents/ and scenarios/"
    ):
        catalog.agents()
