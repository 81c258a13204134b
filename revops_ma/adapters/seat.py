"""One seat of N games for an environment, while hosted agents play the other seats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revops_ma import catalog
from revops_ma.errors import BadInput
from revops_ma.game import OVER, Agent, Cycle, Floats, Outcome, Reply, Rows, View
from revops_ma.table import Table

Opponents = Mapping[str, "str | Path | Agent"]
"""Who plays the other seats: an agent's name, .toml path or object by role name."""


class Seat:
    """Plays all other seats until it is this one's turn, and keeps what the seat is owed.

    A seat that is paid before its first turn gets that with its first step. A game that ends before
    the first turn leaves a step whose action is not played and which pays what is owed.
    """

    def __init__(self, scenario: catalog.Scenario, role: str, opponents: Opponents) -> None:
        """Invite the opponents: exactly one for each of the other roles."""
        self.scenario = scenario
        self.world = scenario.world
        self.players = invite(scenario, role, opponents)
        self.index = self.world.role_index(role)
        self.role = self.world.roles[self.index]
        self.table = Table(self.world, scenario.settings, [])
        self.owed: Floats = np.zeros(0)
        self.outcomes: list[Outcome] = []
        """Of the turns since the last step of the seat."""

    def deal(self, seeds: Sequence[int]) -> None:
        """Deal one game per seed and play up to the seat's first turn."""
        self.table = Table(self.world, self.scenario.settings, seeds)
        self.owed = np.zeros(len(seeds))
        self.outcomes = []
        self._host()

    def relive(self, seed: int, moves: Sequence[Sequence[Any]], steps: int) -> None:
        """Deal one game and play recorded moves, `[role index, packed move]`, up to a step.

        `steps` of the game are played; from there the seat and its opponents go on by themselves.
        The luck is that of the recorded game. Raises BadInput for moves of another game.
        """
        self.table = Table(self.world, self.scenario.settings, [seed])
        self.owed, self.outcomes = np.zeros(1), []
        for role, packed in moves:
            view = self.table.view_of(0)
            if int(self.table.steps[0]) >= steps and role == self.index:
                break
            if view is None or view.role_index != role:
                raise BadInput(f"these are not the moves of seed {seed} in {self.scenario.name}")
            self._take(view, Reply(view.role.unpack([packed])))
        self._host()

    @property
    def rows(self) -> Rows:
        """Games that wait for the seat."""
        return np.flatnonzero(self.world.to_move(self.table.games) == self.index)

    @property
    def over(self) -> NDArray[np.bool_]:
        """[N] which games have ended."""
        return self.world.to_move(self.table.games) == OVER

    def play(self, reply: Reply) -> Floats:
        """Play the seat's moves in all `rows`, then everybody else's; return [N] rewards."""
        if len(self.table) == 1:
            view = self.table.view_of(0)
            if view is not None and view.role_index == self.index:
                self._take(view, reply)
        elif len(rows := self.rows):
            self._take(View(self.world, self.table.games, rows, self.index), reply)
        self._host()
        paid, self.owed = self.owed, np.zeros(len(self.table))
        return paid

    def cycle(self, reply: Reply) -> Cycle:
        """Play, and deal each game that ended anew with its seed + N."""
        rewards = self.play(reply)
        ended = self.over
        rows = np.flatnonzero(ended)
        done = Cycle(
            rewards, ended, self.world.fork(self.table.games, rows), self._last_signals()[rows]
        )
        self.outcomes.clear()
        self.table.forget()
        if len(rows):
            seeds = [self.table.seeds[row] + len(self.table) for row in rows]
            self.table.deal_again(rows, seeds)
            self._host()
        return done

    def _host(self) -> None:
        if len(self.table) == 1:
            self._host_one()
            return
        while views := [view for view in self.table.waiting() if view.role_index != self.index]:
            for view in views:
                self._take(view, self.players[view.role.name].act(view))

    def _host_one(self) -> None:
        """The same for a single game, without the work of telling games apart."""
        while (view := self.table.view_of(0)) is not None and view.role_index != self.index:
            self._take(view, self.players[view.role.name].act(view))

    def _take(self, view: View, reply: Reply) -> None:
        outcome = self.table.take(view, reply)
        if len(self.table) == 1:
            self.owed[0] += outcome.paid(0)[self.index]
        else:
            self.owed[outcome.rows] += outcome.rewards[:, self.index]
        self.outcomes.append(outcome)

    def _last_signals(self) -> Floats:
        signals = np.zeros((len(self.table), len(self.world.signals)))
        for outcome in self.outcomes:
            signals[outcome.rows[outcome.scored]] = outcome.signals[outcome.scored]
        return signals


def invite(scenario: catalog.Scenario, role: str, opponents: Opponents) -> dict[str, Agent]:
    """Make the agents of the other seats, ready to play; BadInput if one lacks or is too many."""
    roles = [known.name for known in scenario.world.roles]
    if role not in roles:
        raise BadInput.of("role", role, ", ".join(roles))
    others = [name for name in roles if name != role]
    if set(opponents) != set(others):
        raise BadInput.of(
            f"opponents of the {role}", ", ".join(sorted(opponents)) or "none", ", ".join(others)
        )
    players = {name: _player(who, name, scenario) for name, who in opponents.items()}
    return {name: agent.seated(scenario, players) for name, agent in players.items()}


def _player(who: object, role: str, scenario: catalog.Scenario) -> Agent:
    if isinstance(who, (str, Path)):
        return catalog.agent(who, role, scenario)
    if not isinstance(who, Agent):
        raise BadInput.of(f"the {role}", who, "an agent's name, a .toml path or an Agent")
    return who


def find_scenario(scenario: str | Path | catalog.Scenario) -> catalog.Scenario:
    """A scenario by its name or .toml path; a Scenario is returned as it is."""
    return scenario if isinstance(scenario, catalog.Scenario) else catalog.scenario(scenario)
