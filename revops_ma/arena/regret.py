"""Regret: how much more every decision of an episode could have earned.

At each decision of the first role every alternative move is played instead, under the same luck and
with the same players after it. All those games are played side by side: each follows the record up
to its decision, plays its alternative there, and goes on by the players' own choices.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revops_ma.arena.recast import Cast
from revops_ma.episode import Episode
from revops_ma.errors import BadInput, RevopsError
from revops_ma.game import Floats, Reply, Role, Rows, View
from revops_ma.table import Table

MOST_GAMES = 4_000
"""Games (decisions times alternatives) that one episode may cost in a report."""


class TooCostly(RevopsError):
    """An episode whose alternatives would take too long to play; the message says why."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of the first role and the best that could have been played instead."""

    step: int
    """Step of the episode, from 1."""
    played: str
    best: str
    """The alternative that earns most; the played move where none earns more."""
    gain: float
    """How much more the whole episode would have returned; 0 where nothing would."""


@dataclass(frozen=True, slots=True)
class Regret:
    """All decisions of one episode."""

    seed: int
    episode_return: float
    alternatives: int
    """Moves that were tried at each decision."""
    decisions: list[Decision]

    def to_json(self) -> dict[str, Any]:
        """Give the document of `what-if --regret --json`."""
        return {
            "seed": self.seed,
            "episode_return": self.episode_return,
            "alternatives": self.alternatives,
            "decisions": [
                {"step": d.step, "played": d.played, "best": d.best, "gain": d.gain}
                for d in self.decisions
            ],
        }


def regret(cast: Cast, episode: Episode, *, limited: bool = False) -> Regret:
    """Work out the regret of every decision of a recorded episode.

    With `limited` an episode that would take long raises TooCostly instead. Raises BadInput for an
    episode without recorded moves.
    """
    if not episode.moves:
        raise BadInput(f"seed {episode.seed} has no recorded moves")
    role = cast.scenario.world.roles[0]
    options = alternatives(role)
    forks = np.array([at for at, (index, _) in enumerate(episode.moves) if index == 0])
    if limited:
        _check_cost(cast, len(forks), len(options.batch))
    line = _Forks(cast, episode, options, forks)
    returns = line.play().reshape(len(forks), -1)
    returns[:, sorted(options.refused)] = -np.inf
    actual = episode.returns[role.name]
    decisions = [
        _decision(role, options, gains, episode.moves[at][1], int(line.steps[number]))
        for number, (gains, at) in enumerate(zip(returns - actual, forks, strict=True))
    ]
    return Regret(episode.seed, actual, len(options.batch), decisions)


def alternatives(role: Role) -> Reply:
    """Every move of a role's training space."""
    sizes = role.training_space.nvec
    grid = np.stack(np.meshgrid(*(np.arange(size) for size in sizes), indexing="ij"), axis=-1)
    points: NDArray[np.int64] = grid.reshape(-1, len(sizes)).astype(np.int64)
    return role.discrete(points)


def _check_cost(cast: Cast, decisions: int, options: int) -> None:
    """Decide by what is declared, not by a clock: a report of the same run has the same bytes."""
    if decisions * options > MOST_GAMES:
        raise TooCostly(
            f"{decisions} decisions with {options:,} alternatives each are too many for a report"
        )
    for player in cast.players.values():
        if getattr(player, "is_slow", True):
            raise TooCostly(f"{player.name} takes too long to be asked about every alternative")


def _decision(role: Role, options: Reply, gains: Floats, packed: Any, step: int) -> Decision:
    played = role.caption(role.unpack([packed]), 0)
    best = int(np.argmax(gains))
    if not gains[best] > 0:
        return Decision(step, played, played, 0.0)
    return Decision(step, played, role.caption(options.batch, best), float(gains[best]))


class _Forks:
    """All alternatives to all decisions of one episode, as rows of one table.

    Row d * A + a plays alternative a of A at decision d. Rows that have not forked yet are all in
    the same state: they follow the record in step.
    """

    def __init__(self, cast: Cast, episode: Episode, options: Reply, forks: Rows) -> None:
        """Deal one game per alternative."""
        self._cast, self._moves, self._options = cast, episode.moves, options
        self._size = len(options.batch)
        self._fork = np.repeat(forks, self._size)
        scene = cast.scenario
        self.table = Table(scene.world, scene.settings, [episode.seed] * len(self._fork))
        self.steps = np.zeros(len(forks), np.int64)
        """Step of each decision."""

    def play(self) -> Floats:
        """[rows] returns of the first role."""
        move = 0
        while views := self.table.waiting():
            for view in views:
                fork = self._fork[view.rows]
                self._answer(view, view.rows[fork > move], partial(self._recorded, move=move))
                self._answer(view, view.rows[fork == move], self._changed)
                self._answer(view, view.rows[fork < move], self._cast.players[view.role.name].act)
            move += 1
        return self.table.returns[:, 0]

    def _answer(self, view: View, rows: Rows, decide: Callable[[View], Reply]) -> None:
        if len(rows):
            seen = View(view.world, self.table.games, rows, view.role_index)
            self.table.take(seen, decide(seen))

    def _recorded(self, seen: View, move: int) -> Reply:
        index, packed = self._moves[move]
        if index != seen.role_index:
            raise BadInput(f"the recorded moves do not fit the rules: move {move}")
        return Reply(seen.role.unpack([packed] * len(seen)))

    def _changed(self, seen: View) -> Reply:
        decision = int(seen.rows[0]) // self._size
        self.steps[decision] = self.table.steps[seen.rows[0]] + 1
        return Reply(self._options.batch, self._options.refused)
