"""The players of a recorded episode, made again from their cards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from revops_ma import catalog
from revops_ma.cards import ScenarioCard
from revops_ma.catalog import Scenario
from revops_ma.errors import BadInput
from revops_ma.game import Agent
from revops_ma.rollout.recorded import rules_of
from revops_ma.run import Run


@dataclass(frozen=True)
class Cast:
    """Who played where, ready to play on."""

    scenario: Scenario
    players: Mapping[str, Agent]
    """One seated agent per role name."""


def recast(run: Run, episode: int) -> Cast:
    """Make the scenario and the players of one episode of a run again.

    The rules are those that the run recorded, also where the scenario's card is gone. Raises
    BadInput where the rules or a player's card have changed since: the episode would not go on as
    it began.
    """
    config = run.config
    scene = _scenario(config)
    identities = config["matchups"][episode // config["episodes"]]
    agents = {}
    for role, identity in identities.items():
        name = run.card_of(identity) or identity.rsplit("@", 1)[0]
        agent = catalog.agent(name, role, scene)
        if agent.identity != identity:
            raise BadInput(
                f"{identity} has changed since: it is {agent.identity} now; play the match again"
            )
        agents[role] = agent
    return Cast(scene, {role: agent.seated(scene, agents) for role, agent in agents.items()})


def _scenario(config: Mapping[str, Any]) -> Scenario:
    rules = rules_of(config)
    if not rules.can_replay:
        raise BadInput(f"{config['scenario']}: {rules.change}")
    card = ScenarioCard(
        name=config["scenario"],
        about="The rules that a run has recorded.",
        world=rules.world.name,
        title=config["scenario"][:80],
    )
    return Scenario(card, rules.world, rules.settings)
