"""Gymnasium vector environment of one seat of N games, played as one batch.

Autoreset is SAME_STEP: the step that ends a game returns the first observation of the next one;
the last observation and info of the ended game are in `infos["final_obs"]` and
`infos["final_info"]`. A game that ends goes on with its seed + num_envs, so games that start on
num_envs neighbouring seeds never share one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, iterate
from numpy.typing import NDArray

from revops_ma import catalog
from revops_ma.adapters.actions import ActionForm, DiscreteReader, action_space, reader
from revops_ma.adapters.gymnasium import check_no_options
from revops_ma.adapters.seat import Seat, find_scenario
from revops_ma.errors import BadInput
from revops_ma.game import Agent, Batch, Cycle, Floats, Reply, Rows
from revops_ma.luck import check_seed

LARGEST_SEED = 2**62
"""Leaves room to count on from game to game."""

Observations = NDArray[np.float32]
Step = tuple[Observations, Floats, NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class SeatVectorEnv(VectorEnv[Observations, Any, NDArray[Any]]):
    """N times the environment of `SingleSeatEnv`, with equal observations and rewards.

    Where the world has a compiled loop against the opponents, a step is one call of it; else the
    opponents are asked, each once for all games that wait for it.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(
        self,
        num_envs: int,
        scenario: str | Path | catalog.Scenario,
        role: str,
        *,
        actions: ActionForm = "native",
        render_mode: None = None,
        **opponents: str | Path | Agent,
    ) -> None:
        """Take the seat `role` in `num_envs` games."""
        if isinstance(num_envs, bool) or not isinstance(num_envs, Integral) or num_envs < 1:
            raise BadInput.of("num_envs", num_envs, "a whole number from 1")
        if render_mode is not None:
            raise BadInput.of("render_mode", render_mode, "None: watch a single environment")
        self.num_envs = num_envs
        self.seat = Seat(find_scenario(scenario), role, opponents)
        self.world = self.seat.world
        self.single_observation_space = deepcopy(self.seat.role.observation_space)
        self.single_action_space = action_space(self.seat.role, actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.seeds: NDArray[np.int64] = np.zeros(num_envs, np.int64)
        """[N] seed of each game being played."""
        self._read = reader(self.seat.role, actions)
        self._stepper: Callable[[Batch], Cycle] | None = None
        self._all: Rows = np.arange(num_envs)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observations, dict[str, Any]]:
        """Deal all games anew: from seed, seed + 1, ... or from one seed each; None draws."""
        check_no_options(options)
        seeds = self._seeds(seed)
        self.seeds = np.array(seeds)
        self.seat.deal(seeds)
        games = self.seat.table.games
        self._stepper = self.world.stepper(games, self.seat.index, self.seat.players)
        everyone = np.ones(self.num_envs, np.bool_)
        return self._observe(), {"seed": self.seeds.copy(), "_seed": everyone}

    def step(self, actions: Any) -> Step:
        """Play one action in every game; ResetNeeded before the first reset."""
        if not len(self.seat.table):
            raise ResetNeeded("call reset() before step()")
        rows = self._all if self._stepper else self.seat.rows
        reply = self._read_rows(actions, rows)
        cycle = self._stepper(reply.batch) if self._stepper else self.seat.cycle(reply)
        self.seeds[cycle.ended] += self.num_envs
        infos = self._infos(cycle) if cycle.ended.any() else {}
        if reply.refused:
            at = [int(rows[position]) for position in reply.refused]
            self._tell(infos, "refused", at, [r.reason for r in reply.refused.values()])
        never = np.zeros(self.num_envs, np.bool_)
        return self._observe(), cycle.rewards, cycle.ended, never, infos

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int]:
        if seed is None or not isinstance(seed, (Sequence, np.ndarray)):
            first = check_seed(seed)
            seeds = [first + i for i in range(self.num_envs)]
        else:
            seeds = [check_seed(one) for one in seed]
        if len(seeds) != self.num_envs:
            raise BadInput.of("number of seeds", len(seeds), f"{self.num_envs}, one a game")
        if max(seeds) > LARGEST_SEED:
            raise BadInput.of("seed", max(seeds), f"up to {LARGEST_SEED} here")
        return seeds

    def _read_rows(self, actions: Any, rows: Rows) -> Reply:
        if isinstance(self._read, DiscreteReader) and is_table(actions):
            given: Any = actions
        else:
            given = list(iterate(self.action_space, actions))
        if len(given) != self.num_envs:
            raise BadInput.of("number of actions", len(given), f"{self.num_envs}, one a game")
        if isinstance(self._read, DiscreteReader) and is_table(given):
            return self._read.table(given[rows])
        return self._read([given[row] for row in rows])

    def _observe(self) -> Observations:
        return self.world.observe32(self.seat.table.games, self._all, self.seat.index)

    def _infos(self, cycle: Cycle) -> dict[str, Any]:
        """Last observation and figures of the games that ended, and the seeds that follow."""
        at, finals = np.flatnonzero(cycle.ended), cycle.finals
        rows = np.arange(len(at))
        infos: dict[str, Any] = {}
        last = self.world.observe32(finals, rows, self.seat.index)
        self._tell(infos, "final_obs", at, list(last))
        figures = {
            "seed": self.seeds[at] - self.num_envs,
            **self.world.trace(finals, rows),
            **self.world.facts(finals, rows),
            "ending": self.world.endings(finals, rows),
            "won": self.world.won(finals, rows),
        }
        told: dict[str, Any] = {}
        for name, column in figures.items():
            self._tell(told, name, at, column)
        parts: dict[str, Any] = {}
        for name, column in zip(self.world.signals, cycle.signals.T, strict=True):
            self._tell(parts, name, at, column)
        told |= {"reward_breakdown": parts, "_reward_breakdown": cycle.ended.copy()}
        infos |= {"final_info": told, "_final_info": cycle.ended.copy()}
        self._tell(infos, "seed", at, self.seeds[at])
        return infos

    def _tell(self, infos: dict[str, Any], name: str, at: Any, column: Any) -> None:
        """Write a column for some games as Gymnasium does: an [N] array, and who is in it."""
        is_array = isinstance(column, np.ndarray)
        values = np.zeros(self.num_envs, column.dtype if is_array else object)
        if is_array:
            values[at] = column
        else:
            values[:] = None
            for row, value in zip(at, column, strict=True):
                values[row] = value
        mask = np.zeros(self.num_envs, np.bool_)
        mask[at] = True
        infos[name], infos[f"_{name}"] = values, mask


def is_table(actions: Any) -> bool:
    """Whether actions come as an [N, k] array of integers."""
    return isinstance(actions, np.ndarray) and actions.ndim == 2 and actions.dtype.kind in "iu"
