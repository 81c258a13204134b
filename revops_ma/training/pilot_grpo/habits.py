"""What an agent does: which move after which strike, how strongly, in which states.

A world may say what is worth telling, in a module `habits` of its folder.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import numpy as np

from revops_ma.catalog import Scenario
from revops_ma.game import Agent, Floats, Reply, View
from revops_ma.table import Table, play

NO_STRIKE = "none"
PARTS = 4
"""Quarters of a figure's range of values, by which the strength of moves is told."""


@dataclass
class _Watched:
    """An agent that is watched; strikes of the other seat are told to the one that moves next."""

    agent: Agent
    strikes: dict[int, str]
    is_striker: bool
    after: list[str] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)
    strengths: list[float] = field(default_factory=list)
    traces: list[dict[str, Floats]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.agent.name

    @property
    def identity(self) -> str:
        return self.agent.identity

    def act(self, view: View) -> Reply:
        rows, role = view.rows.tolist(), view.role
        trace = {} if self.is_striker else view.world.trace(*view.secrets())
        reply = self.agent.act(view)
        kinds = role.kind_of(reply.batch).tolist()
        if self.is_striker:
            names = role.kinds()
            self.strikes.update({r: names[k] for r, k in zip(rows, kinds, strict=True) if k >= 0})
            return reply
        self.traces.append(trace)
        self.kinds += kinds
        self.strengths += role.strength_of(reply.batch).tolist()
        self.after += [self.strikes.pop(row, NO_STRIKE) for row in rows]
        return reply

    def seated(self, scenario: Any, players: Any) -> Agent:
        return self


@dataclass(frozen=True)
class Habits:
    """Shares and means over all moves of one agent."""

    agent: str
    moves: int
    by_strike: dict[str, dict[str, float]]
    """Share of each kind of move, by the strike of the turn before."""
    strength: dict[str, float]
    """Mean strength of moves, by the quarter of a figure."""
    states: dict[str, float]
    """Share of turns in a state that the world names."""

    def to_json(self) -> dict[str, Any]:
        """All figures."""
        return self.__dict__


def habits_of(
    agent: Agent, opponent: Agent, scenario: Scenario, role: str, seeds: Sequence[int]
) -> Habits:
    """Watch an agent play one opponent."""
    world = scenario.world
    other = next(one.name for one in world.roles if one.name != role)
    seated = {
        name: one.seated(scenario, {role: agent, other: opponent})
        for name, one in ((role, agent), (other, opponent))
    }
    strikes: dict[int, str] = {}
    watched = _Watched(seated[role], strikes, is_striker=False)
    striker = _Watched(seated[other], strikes, is_striker=True)
    play(Table(world, scenario.settings, seeds), {role: watched, other: striker})
    kinds = world.roles[world.role_index(role)].kinds()
    trace = {
        name: np.concatenate([each[name] for each in watched.traces]) for name in watched.traces[0]
    }
    own = _own_habits(world.name)
    return Habits(
        agent=agent.name,
        moves=len(watched.kinds),
        by_strike=_by_strike(watched, kinds),
        strength=_strength(np.array(watched.strengths), trace, own.STRENGTH_BY) if own else {},
        states={n: float(is_so.mean()) for n, is_so in own.shares(trace).items()} if own else {},
    )


def _own_habits(world: str) -> Any:
    name = f"revops_ma.worlds.{world}.habits"
    return importlib.import_module(name) if find_spec(name) else None


def _by_strike(watched: _Watched, kinds: Sequence[str]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    after, made = np.array(watched.after), np.array(watched.kinds)
    for strike in sorted(set(watched.after)):
        chosen = made[after == strike]
        shares = {kinds[k]: float((chosen == k).mean()) for k in range(len(kinds))}
        found[strike] = {name: share for name, share in shares.items() if share > 0}
    return found


def _strength(strengths: Floats, trace: dict[str, Floats], figure: str) -> dict[str, float]:
    values = trace[figure]
    edges = np.quantile(values, np.linspace(0, 1, PARTS + 1))
    place = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, PARTS - 1)
    return {
        f"{figure} {edges[at]:.1f} to {edges[at + 1]:.1f}": float(strengths[place == at].mean())
        for at in range(PARTS)
        if (place == at).any()
    }
