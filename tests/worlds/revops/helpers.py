"""Makers of companies, games and moves, and the luck of the rulebook in plain integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from revops_ma import catalog
from revops_ma.table import Table, play
from revops_ma.worlds.revops import WORLD
from revops_ma.worlds.revops.actions import ACTIONS
from revops_ma.worlds.revops.company import Company
from revops_ma.worlds.revops.crises import CRISES
from revops_ma.worlds.revops.kernel import CRISIS_MOVE, PILOT_MOVE
from revops_ma.worlds.revops.world import Settings

PILOT, CRISIS = WORLD.roles
PILOT_SEAT, CRISIS_SEAT = 0, 1
ROW = np.array([0])

COMPANY = Company(
    mrr=60_000.0,
    cac=1_000.0,
    ltv=6_000.0,
    churn=0.05,
    runway=10.0,
    marketing=20_000.0,
    support=0.5,
    arpa=500.0,
    slack=0.5,
)
"""Round figures, so that expectations can be worked out by hand."""

_WORD = 2**64 - 1


def company(**changes: float) -> Company:
    return COMPANY._replace(**changes)


def games(*seeds: int, difficulty: str = "normal", **fields: Any) -> Any:
    """Deal games and overwrite some of their fields."""
    dealt = WORLD.deal(Settings(difficulty=difficulty), seeds or (0,))
    for name, value in fields.items():
        dealt[name] = value
    return dealt


def crisis_turn(seed: int = 0, **fields: Any) -> Any:
    """A game at its first crisis turn, with round figures."""
    return games(seed, **{"month": 3, "turn": CRISIS_SEAT, **COMPANY._asdict(), **fields})


def pilot_move(action: str | int, magnitude: float = 0.5, count: int = 1) -> Any:
    index = ACTIONS.index(action) if isinstance(action, str) else action
    return np.array([(index, magnitude)] * count, PILOT_MOVE)


def crisis_move(crisis: str | int, r1: float = 1.0, r2: float = 1.0, is_delta: int = 0) -> Any:
    index = CRISES.index(crisis) if isinstance(crisis, str) else crisis
    return np.array([(index, r1, r2, is_delta)], CRISIS_MOVE)


def players(pilot: Any, crisis: Any, scene: Any) -> dict[str, Any]:
    """Seat two agents, given by name or as they are."""
    agents = {
        role: catalog.agent(agent, role, scene) if isinstance(agent, str) else agent
        for role, agent in (("pilot", pilot), ("crisis", crisis))
    }
    return {role: agent.seated(scene, agents) for role, agent in agents.items()}


def match(pilot: Any, crisis: Any, difficulty: str, seeds: Any) -> Table:
    """Play one episode per seed to the end."""
    scene = catalog.scenario(f"revops/{difficulty}")
    table = Table(scene.world, scene.settings, seeds)
    return play(table, players(pilot, crisis, scene))


def mix(x: int) -> int:
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _WORD
    return x ^ (x >> 31)


def key_of(seed: int) -> int:
    golden = 0x9E3779B97F4A7C15
    return mix((mix((seed + golden) & _WORD) + golden) & _WORD)


def bits(key: int, step: int, lane: int) -> int:
    return mix((key + (step * 32 + lane + 1) * 0x9E3779B97F4A7C15) & _WORD)


def uniform(key: int, step: int, lane: int) -> float:
    return (bits(key, step, lane) >> 11) * 2.0**-53


def bell(key: int, step: int, lane: int) -> float:
    b = bits(key, step, lane)
    total = sum((b >> shift) & 0xFFFF for shift in (0, 16, 32, 48))
    return (total - 131070) * (1.7320508075688772 / 65536)
