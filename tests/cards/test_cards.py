"""Every card is read, played and held to the contract: a new one is picked up by itself."""

import pytest

from revops_ma import catalog
from revops_ma.policies.language import agent as language
from revops_ma.policies.language.providers import provider_of
from revops_ma.testing import check_agent, check_world
from tests.policies.language.stand_in import StandIn

SCENARIOS = catalog.scenarios()
AGENTS = catalog.agents()
CARDS = [*SCENARIOS, *AGENTS]


def first_scenario(world):
    """The scenario whose seats a world's agents are tried in: its reference, or the first."""
    names = [card.name for card in SCENARIOS if card.world == world]
    return f"{world}/normal" if f"{world}/normal" in names else names[0]


SEATS = [
    pytest.param(name, role.name, world, id=f"{world}-{role.name}-{name}")
    for world in catalog.worlds()
    for role in catalog.world(world).roles
    for name in catalog.fitting(role.name, catalog.world(world))
]


def by_name(card):
    return card.name


@pytest.mark.parametrize("card", CARDS, ids=by_name)
def test_a_card_says_what_it_is_in_whole_sentences(card):
    assert card.about[0].isupper() or card.about[0].isdigit()
    assert card.about.endswith(".")
    assert "\n" not in card.about


@pytest.mark.parametrize("cards", [SCENARIOS, AGENTS], ids=["scenarios", "agents"])
def test_names_are_unique_and_sorted(cards):
    names = [card.name for card in cards]
    assert names == sorted(set(names))
    assert len({card.digest for card in cards}) == len(cards)
    assert len({card.about for card in cards}) == len(cards)


@pytest.mark.parametrize("card", CARDS, ids=by_name)
def test_names_are_lower_case_words_that_fit_a_command_line(card):
    assert set(card.name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-/")


@pytest.mark.parametrize("card", SCENARIOS, ids=by_name)
def test_a_scenario_names_a_world_and_stands_in_its_folder(card):
    assert card.world in catalog.worlds()
    assert card.name.startswith(f"{card.world}/")
    assert catalog.scenario(card.name).card == card


@pytest.mark.parametrize("card", AGENTS, ids=by_name)
def test_an_agent_fits_a_seat_of_its_world(card):
    seats = [seat.values for seat in SEATS if seat.values[0] == card.name]
    assert seats
    if card.world is not None:
        assert {world for _, _, world in seats} == {card.world}
    if card.role is not None:
        assert {role for _, role, _ in seats} == {card.role}


@pytest.mark.parametrize("card", SCENARIOS, ids=by_name)
def test_the_world_of_a_scenario_keeps_its_contract(card):
    check_world(card.name)


@pytest.mark.parametrize("card", [c for c in AGENTS if c.kind == "language"], ids=by_name)
def test_a_language_card_names_a_provider_that_can_be_made(card):
    assert provider_of(card).identity.startswith(f"{card.provider}:")
    assert not card.in_all


@pytest.mark.parametrize(("name", "role", "world"), SEATS)
def test_an_agent_keeps_its_contract(name, role, world, monkeypatch):
    # Models cost money or minutes: language agents have somebody else answer for them.
    monkeypatch.setattr(language, "provider_of", lambda _: StandIn())
    check_agent(name, role, first_scenario(world), seeds=range(4))
