"""PettingZoo AEC environment over a Table of one game: every seat is an agent, named by its role.

An agent is paid when a step of the game is scored, not when it moves: rewards of months in which
another seat moves last reach it in its next `last()`. Both agents end with the same termination;
a game that reached its horizon is terminated too, because the step number is observed.
"""

from __future__ import annotations

import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.env import AECIterable
from pettingzoo.utils.env_logger import EnvLogger

from revops_ma import catalog
from revops_ma.adapters.actions import ActionForm, action_space, reader
from revops_ma.adapters.info import LazyInfo
from revops_ma.adapters.render import check_render_mode, screen
from revops_ma.adapters.seat import find_scenario
from revops_ma.game import View
from revops_ma.luck import check_seed
from revops_ma.table import Table

_ROW = np.zeros(1, np.int64)
"""The only game of the table."""


def aec_env(
    scenario: str | Path | catalog.Scenario,
    render_mode: str | None = None,
    actions: ActionForm = "native",
) -> TableEnv:
    """Make the AEC environment of a scenario's name, .toml path or object.

    `actions` is "native" (Dict samples or JSON objects) or "discrete" (MultiDiscrete samples).
    """
    return TableEnv(find_scenario(scenario), render_mode, actions)


class TableEnv(AECEnv[str, NDArray[np.float32], Any]):
    """One game of a scenario with every seat open.

    Observations are the role's numbers as float32. An illegal or unreadable action is a refused
    move: the world's fallback is played and `infos[agent]["refused"]` names the reason of the
    agent's latest move. The environment pickles and deep-copies in the middle of a game.
    """

    metadata: dict[str, Any]

    def __init__(
        self,
        scenario: catalog.Scenario,
        render_mode: str | None = None,
        actions: ActionForm = "native",
    ) -> None:
        """Prepare the seats; `reset` deals the game."""
        super().__init__()
        self.scenario = scenario
        self.world = scenario.world
        self.render_mode = check_render_mode(render_mode)
        self.metadata = {
            "name": scenario.name,
            "render_modes": ["human", "ansi"],
            "is_parallelizable": False,
        }
        roles = self.world.roles
        self.possible_agents = [role.name for role in roles]
        self.agents = []
        self.action_spaces = {role.name: action_space(role, actions) for role in roles}
        self.observation_spaces = {role.name: deepcopy(role.observation_space) for role in roles}
        self.table: Table | None = None
        """The game being played, with its log; None before the first reset."""
        self._readers = [reader(role, actions) for role in roles]
        self._index = {name: index for index, name in enumerate(self.possible_agents)}
        self._view: View | None = None
        self._refused: dict[str, str | None] = {}

    def observation_space(self, agent: str) -> Any:
        """The Box of an agent's observations; the same object every time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The space of an agent's actions; the same object every time."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game. A seed of None draws one; every info reports it.

        Raises BadInput (a ValueError) for what is no seed. There are no options; PettingZoo's own
        checks pass some, so they are accepted and left unread.
        """
        self.table = Table(self.world, self.scenario.settings, [check_seed(seed)])
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {}
        self._refused = dict.fromkeys(self.agents)
        self._skip_agent_selection = None
        for name in self.agents:
            self.infos[name] = LazyInfo.of(self.table, None)
        self._offer_turn(self.table)

    def step(self, action: Any) -> None:
        """Play the selected agent's action, or None for an agent that is done."""
        view, table = self._view, self.table
        if view is None or table is None:
            self._step_without_turn(action)
            return
        agent = self.agent_selection
        reply = self._readers[view.role_index]((action,))
        outcome = table.take(view, reply)
        self._refused[agent] = reply.refused[0].reason if reply.refused else None
        self._cumulative_rewards[agent] = 0.0
        self._pay(outcome.paid(0))
        self._offer_turn(table)

    def observe(self, agent: str) -> NDArray[np.float32]:
        """What an agent sees now, its turn or not."""
        if self.table is None:
            EnvLogger.error_observe_before_reset()
            raise AssertionError
        return self.world.observe32(self.table.games, _ROW, self._index[agent])[0]

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, NDArray[np.float32], Any]:
        """Iterate over the agents to move, those that are done included."""
        if self.table is None:
            EnvLogger.error_agent_iter_before_reset()
        return super().agent_iter(max_iter)

    def render(self) -> str | None:
        """Text for the agent to move: returned in mode "ansi", printed in mode "human"."""
        if self.table is None:
            EnvLogger.error_render_before_reset()
            raise AssertionError
        if self.render_mode is None:
            return None
        text = screen(self.world, self.table.games, 0)
        if self.render_mode == "ansi":
            return text
        sys.stdout.write(text + "\n")
        return None

    def close(self) -> None:
        """Nothing to release."""

    def _pay(self, paid: list[float]) -> None:
        rewards, cumulative = self.rewards, self._cumulative_rewards
        for name, index in self._index.items():
            rewards[name] = paid[index]
            cumulative[name] += paid[index]

    def _offer_turn(self, table: Table) -> None:
        """Select the agent to move, or let all agents end; the other keeps its last info."""
        self._view = view = table.view_of(0)
        if view is not None:
            self.agent_selection = name = view.role.name
            self.infos[name] = LazyInfo.of(table, self._refused[name])
        else:
            self.terminations = dict.fromkeys(self.agents, True)
            self.infos = {name: LazyInfo.of(table, self._refused[name]) for name in self.agents}
            self._deads_step_first()
        if self.render_mode == "human":
            self.render()

    def _step_without_turn(self, action: Any) -> None:
        if self.table is None:
            EnvLogger.error_step_before_reset()
        elif self.agents:
            self._was_dead_step(action)
        else:
            EnvLogger.warn_step_after_terminated_truncated()
