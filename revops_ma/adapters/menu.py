"""What a server offers of one world: its scenarios, and who sits opposite unless asked otherwise.

Only names of the catalog can be asked for, never paths: a card may name any Python function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from revops_ma import catalog
from revops_ma.adapters.problem import Problem
from revops_ma.adapters.seat import Seat
from revops_ma.catalog import Scenario
from revops_ma.errors import BadInput, RevopsError, UnknownName
from revops_ma.game import Agent, World

SHORTHANDS = ("difficulty", "task_id")
"""Reset arguments that name a scenario of the world by the last part of its name."""
LANGUAGE = "language"
"""Kind of the cards whose agents ask a language model."""


@dataclass(frozen=True)
class Order:
    """One episode that was asked for and can be played."""

    seat: Seat
    names: Mapping[str, str]
    """Agent by role, the seat's own aside."""
    seed: int | None
    episode_id: str | None

    @property
    def is_slow(self) -> bool:
        """Whether an opponent may take long, so that others must not wait for it."""
        return any(is_slow(agent) for agent in self.seat.players.values())


class Menu:
    """The scenarios and agents of one world. Scenarios that were loaded once stay as they are."""

    def __init__(
        self,
        scenarios: Sequence[str],
        opponents: Mapping[str, str] | None = None,
        *,
        models: bool = True,
    ) -> None:
        """Offer a world: that of the scenarios, which are dealt in turn where none is asked for.

        `opponents` names an agent by role; where there is none the scenario's own takes the seat.
        Without `models` no language model can be asked for beside those that are named here.
        """
        found = [catalog.scenario(name) for name in scenarios]
        if not found or len({scene.world.name for scene in found}) > 1:
            raise BadInput.of("scenarios", list(scenarios), "one or more scenarios of one world")
        self.world: World = found[0].world
        self.rotation = tuple(scene.name for scene in found)
        self.opponents = dict(opponents or {})
        self._scenarios = {scene.name: scene for scene in found}
        self.models = models
        self._agents: dict[tuple[str, str, str], Agent] = {}
        self.asks = _asks(self.world)
        for role, name in self.opponents.items():
            self._agent(name, role, found[0])

    @cached_property
    def scenarios(self) -> list[str]:
        """Names of all that can be asked for, the rotation first."""
        known = [card.name for card in catalog.scenarios() if card.world == self.world.name]
        return list(dict.fromkeys([*self.rotation, *known]))

    @cached_property
    def agents(self) -> dict[str, list[str]]:
        """Names of the agents that can take each role."""
        kinds = {card.name: card.kind for card in catalog.agents()}
        return {
            role.name: [
                name
                for name in catalog.fitting(role.name, self.world)
                if self.models or kinds[name] != LANGUAGE or name == self.opponents.get(role.name)
            ]
            for role in self.world.roles
        }

    def order(self, asked: object, turn: int = 0) -> Order:
        """Read reset arguments; `turn` counts the episodes of a session.

        Raises Problem (`bad_input`) with what was given and what is allowed.
        """
        try:
            return self._order(self.asks.model_validate(asked), turn)
        except ValidationError as error:
            raise Problem("bad_input", catalog.explain(error)) from None
        except RevopsError as error:
            raise Problem("bad_input", str(error)) from error

    def _order(self, ask: Any, turn: int) -> Order:
        scene = self.scenario(self._wanted(ask, turn))
        others = [role.name for role in self.world.roles if role.name != ask.seat]
        if getattr(ask, ask.seat, None) is not None:
            raise BadInput(f"the {ask.seat} is you: name an agent for {', '.join(others)} only")
        names = {role: getattr(ask, role) or self._usual(role, scene) for role in others}
        agents = {role: self._agent(name, role, scene) for role, name in names.items()}
        return Order(Seat(scene, ask.seat, agents), names, ask.seed, ask.episode_id)

    def _wanted(self, ask: Any, turn: int) -> str:
        short = {name: getattr(ask, name) for name in SHORTHANDS if getattr(ask, name) is not None}
        given = [ask.scenario, *short.values()] if ask.scenario else [*short.values()]
        if len(given) > 1:
            raise BadInput(f"give one of scenario, {', '.join(SHORTHANDS)}, not {len(given)}")
        if ask.scenario:
            return ask.scenario
        if short:
            return f"{self.world.name}/{given[0]}"
        return self.rotation[turn % len(self.rotation)]

    def scenario(self, name: str) -> Scenario:
        """A scenario of this world by name."""
        if name not in self._scenarios:
            if name not in self.scenarios:
                way_out = "Ask for one of these."
                raise UnknownName.among("scenario of this server", name, self.scenarios, way_out)
            self._scenarios[name] = catalog.scenario(name)
        return self._scenarios[name]

    def _usual(self, role: str, scene: Scenario) -> str:
        """Who takes a role that nobody was named for."""
        named = self.opponents.get(role)
        if named is not None:
            return named
        fitting = self.agents[role]
        return scene.card.against if scene.card.against in fitting else fitting[0]

    def agent(self, name: str, role: str, scene: Scenario) -> Agent:
        """An agent by name; Problem (`bad_input`) if there is none that can take the role."""
        try:
            return self._agent(name, role, scene)
        except RevopsError as error:
            raise Problem("bad_input", str(error)) from error

    def _agent(self, name: str, role: str, scene: Scenario) -> Agent:
        fitting = self.agents[role]
        if name not in fitting:
            what = f"{role} of {self.world.name}"
            raise UnknownName.among(what, name, fitting, "Ask for one of these.")
        key = (name, role, scene.name)
        if key not in self._agents:
            self._agents[key] = catalog.agent(name, role, scene)
        return self._agents[key]


def is_slow(agent: Agent) -> bool:
    """Whether an agent may take long: searches say so, and whatever does not say it may."""
    return bool(getattr(agent, "is_slow", True))


def _asks(world: World) -> type[BaseModel]:
    """The model of reset arguments: a role's name takes the name of an agent."""
    roles = [role.name for role in world.roles]
    seat = Field(default=roles[0], pattern=f"^({'|'.join(roles)})$", description="your seat")
    name: Any = (str | None, Field(default=None, max_length=255))
    fields: dict[str, Any] = {
        "seed": (int | None, Field(default=None, ge=0, le=2**63 - 1, description="drawn if left")),
        "episode_id": name,
        "scenario": name,
        **dict.fromkeys(SHORTHANDS, name),
        "seat": (str, seat),
        **dict.fromkeys(roles, name),
    }
    strict = ConfigDict(extra="forbid", strict=True, title="Reset")
    return create_model("Reset", __config__=strict, **fields)
