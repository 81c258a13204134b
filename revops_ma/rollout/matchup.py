"""Who plays whom, where, on which seeds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from revops_ma import catalog
from revops_ma.catalog import Scenario
from revops_ma.game import Agent


@dataclass(frozen=True)
class Matchup:
    """One pairing over a range of seeds."""

    scenario: Scenario
    players: Mapping[str, Agent]
    """One seated agent per role name."""
    seeds: range

    @property
    def name(self) -> str:
        """`pilot vs crisis`, by the names of the agents in the order of the roles."""
        return " vs ".join(self.players[role.name].name for role in self.scenario.world.roles)


def seat(scenario: Scenario, names: Mapping[str, str], seeds: range) -> Matchup:
    """Make the agents of a matchup from their names and tell each who sits where."""
    agents = {
        role.name: catalog.agent(names[role.name], role.name, scenario)
        for role in scenario.world.roles
    }
    players = {role: agent.seated(scenario, agents) for role, agent in agents.items()}
    return Matchup(scenario, players, seeds)
