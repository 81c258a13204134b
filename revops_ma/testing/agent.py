"""The contract of agents."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from revops_ma import catalog
from revops_ma.catalog import Scenario
from revops_ma.errors import HiddenState
from revops_ma.game import Agent, Reply, View
from revops_ma.table import Table
from revops_ma.testing.expect import ContractBroken, equal, expect, strict_json
from revops_ma.testing.lab import SEEDS, Lab, prints_of, scene_of, views_of
from revops_ma.testing.turns import check_outcome

LOOK_EVERY = 4
"""An agent is cross-examined on every so many-th view: slow agents play too."""


def check_agent(
    agent: str | Path | Agent,
    role: str,
    scenario: str | Scenario,
    seeds: Sequence[int] = SEEDS,
) -> None:
    """Check that an agent keeps the contract of `Agent` in one seat of a scenario.

    It answers every view with that many finite, legal moves, changes no game, keeps no hidden state
    (the same view twice, some of its rows, a copy: the same answer), and reads the full state only
    if its card says so.
    """
    scene = scene_of(scenario)
    if isinstance(agent, (str, Path)):
        agent = catalog.agent(agent, role, scene)
    lab = Lab(scene, list(seeds))
    players = lab.players | {role: agent}
    seated = {name: player.seated(scene, players) for name, player in players.items()}
    table, looked = lab.table(), 0
    for view in views_of(table):
        if view.role.name != role:
            table.take(view, seated[view.role.name].act(view))
            continue
        if looked % LOOK_EVERY == 0:
            _check_answers(seated[role], view, table)
        looked += 1
        check_outcome(table.world, table.take(view, _answer(seated[role], view)))
    expect(looked > 0, f"views of the {role}", looked, "at least one in the games")


def _check_answers(agent: Agent, view: View, table: Table) -> None:
    """Ask an agent several times about the same games."""
    role, games = view.role, table.games
    before = prints_of(view.world, games)

    def ask(who: Agent, rows: Any) -> list[Any]:
        asked = View(view.world, games, rows, view.role_index)
        return role.pack(_answer(who, asked).batch)

    answers = ask(agent, view.rows)
    strict_json(answers, role)
    equal(ask(agent, view.rows), answers, f"{agent.name}'s answer to the same view, asked again")
    some = np.arange(len(view))[::2]
    expected = [answers[position] for position in some]
    equal(ask(agent, view.rows[some]), expected, f"{agent.name}'s answer to some of the rows")
    equal(ask(copy.deepcopy(agent), view.rows), answers, f"the answer of a copy of {agent.name}")
    pickled = pickle.loads(pickle.dumps(agent))  # noqa: S301 (pickled a moment ago)
    equal(ask(pickled, view.rows), answers, f"the answer of {agent.name}, pickled")
    equal(pickled.identity, agent.identity, f"identity of {agent.name}, pickled")
    equal(prints_of(view.world, games), before, f"the games that {agent.name} looked at")


def _answer(agent: Agent, view: View) -> Reply:
    card = getattr(agent, "card", None)
    if getattr(card, "sees", "everything") == "dashboard":
        view.dashboard_only()
    try:
        reply = agent.act(view)
    except HiddenState as error:
        raise ContractBroken(f"{agent.name} asked for more than it sees: {error}") from None
    role = view.role
    equal(len(reply.batch), len(view), f"moves of {agent.name}")
    kinds, strengths = role.kind_of(reply.batch), role.strength_of(reply.batch)
    expect(np.isfinite(strengths).all(), f"moves of {agent.name}", strengths, "finite strengths")
    known = np.flatnonzero(kinds >= 0)
    legal = view.mask[known, kinds[known]].all()
    expect(legal, f"moves of {agent.name}", kinds.tolist(), "kinds that the view's mask allows")
    return reply
