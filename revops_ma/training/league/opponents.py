"""Scripted opponents of a league: cards of the catalog, and one engine per kind of move."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from revops_ma import catalog
from revops_ma.catalog import Scenario
from revops_ma.game import Agent, Reply, Role, View

CONSTANTS = "constants"
"""Name that stands for all constant opponents."""


@dataclass(frozen=True)
class Constant:
    """Plays the same entry of its role's menu, every turn."""

    name: str
    entry: int
    move: str
    """The move as JSON text."""

    @property
    def identity(self) -> str:
        """Name and a hash of the move."""
        return f"{self.name}@{hashlib.blake2b(self.move.encode(), digest_size=8).hexdigest()}"

    def act(self, view: View) -> Reply:
        """Play it in every game."""
        return Reply(view.role.menu()[np.full(len(view), self.entry)])

    def seated(self, scenario: Any, players: Mapping[str, Agent]) -> Agent:
        """Nothing to know of the matchup."""
        return self


def constants(role: Role) -> Iterator[Constant]:
    """One agent per entry of a role's menu, passes left out."""
    menu, kinds = role.menu(), role.kinds()
    packed = role.pack(menu)
    for entry, kind in enumerate(role.kind_of(menu).tolist()):
        if kind >= 0:
            name = f"always-{kinds[kind].lower().replace('_', '-')}"
            yield Constant(name, entry, json.dumps(packed[entry]))


@dataclass(frozen=True)
class Scripts:
    """The scripted opponents with their shares, which sum to 1."""

    members: Sequence[tuple[Agent, float]]

    @classmethod
    def of(cls, names: Sequence[str], scenario: Scenario) -> Scripts:
        """Make them; BadInput for names that cannot take the second seat."""
        seat = scenario.world.roles[1]
        members: list[tuple[Agent, float]] = []
        for name in names:
            found: list[Agent] = (
                list(constants(seat))
                if name == CONSTANTS
                else [catalog.agent(name, seat.name, scenario)]
            )
            members += [(agent, 1 / len(names) / len(found)) for agent in found]
        return cls(members)

    @property
    def agents(self) -> list[Agent]:
        """The agents, in order."""
        return [agent for agent, _ in self.members]
