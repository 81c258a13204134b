"""Matches that a visitor asks for: few at a time, short ones, and none that cost money."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import Executor
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from revops_ma import catalog
from revops_ma.adapters.menu import Menu, is_slow
from revops_ma.adapters.problem import Problem
from revops_ma.arena.match import play_match
from revops_ma.errors import RevopsError

MOST_EPISODES, MOST_SLOW_EPISODES = 500, 5
"""Longest match of quick agents, and of those that search."""


class Fixture(BaseModel):
    """A match of one agent per seat."""

    model_config = ConfigDict(extra="forbid", strict=True)

    world: str = Field(max_length=80)
    scenario: str = Field(max_length=80)
    players: dict[str, str]
    episodes: int = Field(default=100, ge=1, le=MOST_EPISODES)
    seed: int = Field(default=1_000_000, ge=0, le=2**53)


class Fixtures:
    """Plays matches, one at a time."""

    def __init__(self, menus: Mapping[str, Menu]) -> None:
        """Offer the agents of some menus."""
        self.menus = menus
        self._playing = asyncio.Lock()

    async def play(self, fixture: Fixture, pool: Executor) -> dict[str, Any]:
        """Play a match and give its document; Problem where it may not be played."""
        self._check(fixture)
        if self._playing.locked():
            raise Problem("busy", "another match is being played: try again in a moment")
        async with self._playing:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(pool, _play, fixture)

    def _check(self, fixture: Fixture) -> None:
        menu = self.menus.get(fixture.world)
        if menu is None:
            raise Problem("bad_input", f"world: allowed: {', '.join(self.menus)}")
        if fixture.scenario not in menu.scenarios:
            raise Problem("bad_input", f"scenario: allowed: {', '.join(menu.scenarios)}")
        scene = menu.scenario(fixture.scenario)
        roles = [role.name for role in menu.world.roles]
        if sorted(fixture.players) != sorted(roles):
            raise Problem("bad_input", f"players: name one agent for each of {', '.join(roles)}")
        agents = [menu.agent(name, role, scene) for role, name in fixture.players.items()]
        kinds = {card.name: card.kind for card in catalog.agents()}
        if "language" in (kinds.get(name) for name in fixture.players.values()):
            raise Problem("bad_input", "language models play single episodes here, no matches")
        if any(map(is_slow, agents)) and fixture.episodes > MOST_SLOW_EPISODES:
            raise Problem(
                "bad_input", f"agents that search play at most {MOST_SLOW_EPISODES} episodes here"
            )


def _play(fixture: Fixture) -> dict[str, Any]:
    try:
        match = play_match(fixture.players, fixture.scenario, fixture.episodes, fixture.seed)
    except RevopsError as error:
        raise Problem("bad_input", str(error)) from error
    return match.to_json()
