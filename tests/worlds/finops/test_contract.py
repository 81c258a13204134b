"""The contract tests of the package and the environment checks of others, over this world."""

import pytest

from revops_ma import catalog
from revops_ma.policies.language import agent as language
from revops_ma.testing import check_agent, check_world
from tests.policies.language.stand_in import StandIn

SCENARIOS = [card.name for card in catalog.scenarios() if card.world == "finops"]
STORM = "finops/loyalty-storm"
SEATS = [
    (role.name, name)
    for role in catalog.scenario(STORM).world.roles
    for name in catalog.fitting(role.name, catalog.scenario(STORM).world)
]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_world_keeps_the_contract_of_worlds_and_roles(scenario: str) -> None:
    check_world(scenario)


@pytest.mark.parametrize(("role", "name"), SEATS)
def test_every_agent_that_fits_keeps_the_contract_of_agents(
    role: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(language, "provider_of", lambda _: StandIn())  # no model is asked
    check_agent(name, role, STORM, seeds=range(2))
