"""Which game a session is: the seat that its caller holds, who sits in the others, and the seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from revops_ma.adapters.seat import Opponents, find_scenario, invite
from revops_ma.catalog import Scenario
from revops_ma.errors import BadInput
from revops_ma.game import Agent, Role
from revops_ma.luck import check_seed

HOLDER = "caller"
"""Name of the player in a held seat, in the matchups of its episodes."""


@dataclass(frozen=True)
class Held:
    """One seat of a scenario that is kept free, with the agents of all other seats."""

    scenario: Scenario
    role: str
    players: Mapping[str, Agent]
    """One seated agent per other role name."""
    holder: str = HOLDER
    """How the player in the seat is called in the records."""

    @property
    def index(self) -> int:
        """Index of the held role in its world."""
        return self.scenario.world.role_index(self.role)

    @property
    def speaks(self) -> Role:
        """The held role: it reads texts, objects and integers into replies."""
        return self.scenario.world.roles[self.index]

    @property
    def name(self) -> str:
        """`pilot vs crisis`, by the names of the players in the order of the roles."""
        names = {role: agent.name for role, agent in self.players.items()} | {
            self.role: self.holder
        }
        return " vs ".join(names[role.name] for role in self.scenario.world.roles)


@dataclass(frozen=True)
class Spec:
    """One session to open. The same one may be opened any number of times: they are equal games."""

    held: Held
    seed: int


def hold(scenario: str | Scenario, role: str, opponents: Opponents, holder: str = HOLDER) -> Held:
    """Keep a seat free: `opponents` gives an agent's name, .toml path or object per other role.

    Raises BadInput for unknown names, or a seat that lacks or has one player too many.
    """
    scene = find_scenario(scenario)
    return Held(scene, role, invite(scene, role, opponents), holder)


def specs_of(held: Held, seeds: Sequence[int]) -> list[Spec]:
    """One session per seed; BadInput for what is no seed."""
    return [Spec(held, check_seed(seed)) for seed in seeds]


def check_specs(specs: Sequence[Spec]) -> Role:
    """The role that all specs hold; BadInput where there are none or they differ."""
    held = {(spec.held.scenario.world.name, spec.held.role) for spec in specs}
    if len(held) != 1:
        got = ", ".join(sorted(f"{role} of {world}" for world, role in held)) or "none"
        raise BadInput.of("seats of the sessions", got, "one role of one world for all of them")
    return specs[0].held.speaks
