"""Gymnasium environment of one seat; hosted agents play the others.

One step is one move of the seat and everything that follows until it is asked again. Its reward is
what the seat earned on the way; months before the seat's first turn are paid with its first step.
An episode ends by termination only, at the horizon too: the step number is observed.
"""

from __future__ import annotations

import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from revops_ma import catalog
from revops_ma.adapters.actions import ActionForm, action_space, reader
from revops_ma.adapters.info import LazyInfo
from revops_ma.adapters.render import RENDER_MODES, check_render_mode, screen
from revops_ma.adapters.seat import Seat, find_scenario
from revops_ma.errors import BadInput
from revops_ma.game import Agent, Reply
from revops_ma.luck import check_seed

_ROW = np.zeros(1, np.int64)
Step = tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]
"""Observation, reward, terminated, truncated, info."""


class SingleSeatEnv(gymnasium.Env[NDArray[np.float32], Any]):
    """One seat of a scenario against hosted agents, e.g. `crisis="rule-based"`.

    Observations are the role's numbers as float32. An illegal or unreadable action is a refused
    move: the world's fallback is played and `info["refused"]` names the reason. `actions` is
    "native" (Dict samples or JSON objects) or "discrete" (MultiDiscrete samples).
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(
        self,
        scenario: str | Path | catalog.Scenario,
        role: str,
        *,
        actions: ActionForm = "native",
        render_mode: str | None = None,
        **opponents: str | Path | Agent,
    ) -> None:
        """Take the seat `role`; every other role needs an opponent, given by its role's name."""
        self.seat = Seat(find_scenario(scenario), role, opponents)
        self.render_mode = check_render_mode(render_mode)
        self.observation_space = deepcopy(self.seat.role.observation_space)
        self.action_space = action_space(self.seat.role, actions)
        self._read = reader(self.seat.role, actions)
        self._is_done = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Deal the game of a seed; None draws one from the environment's own generator.

        So a seeded reset makes the following unseeded ones reproducible. The info reports the seed.
        Raises BadInput (a ValueError) for what is no seed, and for options: there are none.
        """
        check_no_options(options)
        if seed is not None:
            seed = check_seed(seed)
        super().reset(seed=seed)
        self.seat.deal([int(self.np_random.integers(2**31)) if seed is None else seed])
        self._is_done = False
        return self._show(None)

    def step(self, action: Any) -> Step:
        """Play one action; ResetNeeded before the first reset and after the end."""
        return self.answer(self._read((action,)))

    def answer(self, reply: Reply) -> Step:
        """Play a move that was read elsewhere, from a text for example; like `step`."""
        if self._is_done:
            raise ResetNeeded("this episode is over or was never begun: call reset() first")
        reward = float(self.seat.play(reply)[0])
        self._is_done = bool(self.seat.over[0])
        refused = reply.refused[0].reason if reply.refused else None
        observation, info = self._show(refused)
        return observation, reward, self._is_done, False, info

    def render(self) -> str | None:
        """Text for the seat: returned in mode "ansi", printed in mode "human"."""
        if self.render_mode is None or not len(self.seat.table):
            return None
        text = screen(self.seat.world, self.seat.table.games, 0)
        if self.render_mode == "ansi":
            return text
        sys.stdout.write(text + "\n")
        return None

    def _show(self, refused: str | None) -> tuple[NDArray[np.float32], dict[str, Any]]:
        seat, table = self.seat, self.seat.table
        seat.outcomes.clear()
        if self.render_mode == "human":
            self.render()
        numbers = seat.world.observe32(table.games, _ROW, seat.index)
        return numbers[0], LazyInfo.of(table, refused)


def check_no_options(options: dict[str, Any] | None) -> None:
    """BadInput if there are reset options: nobody would act on them."""
    if options:
        raise BadInput.of("reset options", sorted(map(str, options)), "none")
