"""What if: the same luck, the same players, one decision changed.

An episode is played to a step and forks there: one line goes on as it was, the other plays another
move, or another agent from then on. Luck is keyed, so both lines meet the same market; over many
seeds the differences are paired and need far fewer games than independent runs would.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from revops_ma import catalog
from revops_ma.arena.campaign import seed_range
from revops_ma.arena.recast import Cast, recast
from revops_ma.arena.statistics import Estimate, difference, share
from revops_ma.catalog import Scenario
from revops_ma.episode import Episode
from revops_ma.errors import BadInput
from revops_ma.game import Agent, Floats, Reply, Role, Rows, View
from revops_ma.run import Run
from revops_ma.table import Table


@dataclass(frozen=True)
class Change:
    """What is different in the forked line."""

    step: int
    """First step (from 1) that is different."""
    moves: Mapping[str, Reply] = field(default_factory=dict)
    """One move by role, played instead at the role's first turn from that step on."""
    players: Mapping[str, Agent] = field(default_factory=dict)
    """Agents by role that take over from that step on."""


NO_CHANGE = Change(step=1)


@dataclass(frozen=True)
class Line:
    """How one line went: everything the comparison needs, per game."""

    returns: Floats
    steps: Floats
    won: Floats
    facts: Mapping[str, Floats]
    traces: list[Mapping[str, Floats]]
    """Figures of all games at the start and after every round of turns."""


@dataclass(frozen=True)
class Comparison:
    """Both lines over the same seeds, and what the change made of it."""

    scenario: str
    seeds: range
    at: int
    """First step that is different."""
    base: Line
    fork: Line

    def effects(self) -> dict[str, Estimate]:
        """Paired mean difference (fork - base) by figure, with its 95 % interval."""
        pairs = {
            "episode_return": (self.fork.returns, self.base.returns),
            "won": (self.fork.won, self.base.won),
            "steps": (self.fork.steps, self.base.steps),
            **{name: (self.fork.facts[name], self.base.facts[name]) for name in self.base.facts},
        }
        return {name: difference(ours, theirs) for name, (ours, theirs) in pairs.items()}

    def pairing_gain(self) -> float | None:
        """How many times smaller the standard error is than with independent seeds.

        Compares the returns: sqrt(var(fork) + var(base)) over the deviation of the paired
        differences. None where the change makes no difference at all or there is only one seed.
        """
        paired = float(np.std(self.fork.returns - self.base.returns))
        if len(self.seeds) < 2 or paired == 0.0:
            return None
        return math.sqrt(np.var(self.fork.returns) + np.var(self.base.returns)) / paired

    def to_json(self) -> dict[str, Any]:
        """Give the document of `what-if --json`."""
        return {
            "scenario": self.scenario,
            "seed": self.seeds.start,
            "seeds": len(self.seeds),
            "at": self.at,
            "base": _told(self.base),
            "fork": _told(self.fork),
            "difference": {name: effect.to_json() for name, effect in self.effects().items()},
            "standard_error_ratio": self.pairing_gain(),
        }


def ask(
    run: Path, episode: int, at: int, changes: Mapping[str, str | None], *, seeds: int
) -> Comparison:
    """Ask about one episode of a run, or about `seeds` seeds from its own on.

    `changes` may hold `move` (another move of the first role), `crisis` (of the second) as text,
    and `pilot`, the name of an agent that takes over. Raises BadInput for an episode or step that
    is not there, moves that cannot be read, no change at all, or an agent that changed since.
    """
    cast, told = episode_of(run, episode)
    scene, seed = cast.scenario, told.seed
    first, second = (role.name for role in scene.world.roles)
    if not 1 <= at <= told.steps:
        raise BadInput.of("--at", at, f"1 to {told.steps}, the steps of that episode")
    change = _change_of(scene, at, changes, (first, second))
    return compare(scene, cast.players, seed_range(seed, seeds), change)


def episode_of(run: Path, episode: int) -> tuple[Cast, Episode]:
    """Read one episode of a run and make its players again; see `recast`."""
    asked = Run(run)
    told = list(asked.episodes())
    if not 0 <= episode < len(told):
        raise BadInput.of("episode", episode, f"0 to {len(told) - 1}, as counted in {run}")
    return recast(asked, episode), told[episode]


def _change_of(
    scene: Scenario, at: int, changes: Mapping[str, str | None], roles: tuple[str, str]
) -> Change:
    moves = {
        role: read_move(scene.world.roles[index], flag, text)
        for index, (role, flag) in enumerate(zip(roles, ("move", "crisis"), strict=True))
        if (text := changes.get(flag)) is not None
    }
    name = changes.get("pilot")
    players = {}
    if name is not None:
        agents = {roles[0]: catalog.agent(name, roles[0], scene)}
        players = {roles[0]: agents[roles[0]].seated(scene, agents)}
    if not moves and not players:
        raise BadInput("nothing is different: give --move, --crisis or --pilot")
    return Change(at, moves, players)


def compare(
    scenario: Scenario, players: Mapping[str, Agent], seeds: range, change: Change
) -> Comparison:
    """Play every seed twice, as it is and with the change."""
    lines = [play_line(scenario, players, seeds, change) for change in (NO_CHANGE, change)]
    return Comparison(scenario.name, seeds, change.step, *lines)


def play_line(
    scenario: Scenario, players: Mapping[str, Agent], seeds: range, change: Change
) -> Line:
    """Play one line to the end."""
    world = scenario.world
    table = Table(world, scenario.settings, seeds)
    rows = np.arange(len(seeds))
    done = {role.name: np.zeros(len(seeds), np.bool_) for role in world.roles}
    traces = [_traced(table, rows)]
    while views := table.waiting():
        for view in views:
            for part, decide in _parts(table, view, players, change, done[view.role.name]):
                seen = View(world, table.games, part, view.role_index)
                table.take(seen, decide(seen))
        traces.append(_traced(table, rows))
    return Line(
        returns=table.returns[:, 0].copy(),
        steps=table.steps.astype(np.float64),
        won=world.won(table.games, rows).astype(np.float64),
        facts=world.facts(table.games, rows),
        traces=traces,
    )


def _parts(
    table: Table,
    view: View,
    players: Mapping[str, Agent],
    change: Change,
    done: Any,
) -> Iterator[tuple[Rows, Any]]:
    """The rows of a view by who decides for them: nobody new, the changed move, the new agent."""
    role = view.role.name
    due = table.steps[view.rows] + 1 >= change.step
    move = change.moves.get(role)
    fresh = due & ~done[view.rows] if move is not None else np.zeros(len(view), np.bool_)
    done[view.rows[fresh]] = True
    deciders = (
        (~due, players[role].act),
        (fresh, lambda seen: repeated(view.role, move, len(seen))),
        (due & ~fresh, change.players.get(role, players[role]).act),
    )
    for which, decide in deciders:
        if which.any():
            yield view.rows[which], decide


def repeated(role: Role, move: Reply | None, count: int) -> Reply:
    """The same move for several games."""
    if move is None:
        raise BadInput(f"no move for the {role.name}")
    return Reply(role.unpack(role.pack(move.batch) * count))


def read_move(role: Role, flag: str, text: str) -> Reply:
    """Read a move that a person typed; BadInput with the reason where it cannot be read."""
    reply = role.typed(text)
    if reply.refused:
        refused = reply.refused[0]
        kinds = ", ".join(role.kinds())
        raise BadInput(
            f"--{flag}: {refused.reason} {refused.detail}: got {text!r};"
            f" allowed: one JSON move of the {role.name}, kinds {kinds}"
        )
    return reply


def _traced(table: Table, rows: Rows) -> dict[str, Floats]:
    figures = table.world.trace(table.games, rows)
    return {"step": table.steps.astype(np.float64), **{n: v.copy() for n, v in figures.items()}}


def _told(line: Line) -> dict[str, Any]:
    return {
        "episode_return": float(line.returns.mean()),
        "won": share(int(line.won.sum()), len(line.won)).to_json(),
        "steps": float(line.steps.mean()),
        **{name: float(values.mean()) for name, values in line.facts.items()},
    }
