"""Players that always do the same, and the crisis engine that knows which same is worst."""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from revops_ma.game import Agent, Reply, View
from revops_ma.progress import track
from revops_ma.table import Table, play
from revops_ma.worlds.revops.actions import ACTIONS, MAGNITUDE_MAX, MAGNITUDE_MIN
from revops_ma.worlds.revops.crises import CRISES, MAX_SEVERITY, PASS
from revops_ma.worlds.revops.games import MONTHS, PILOT_SEAT
from revops_ma.worlds.revops.kernel import CRISIS_MOVE, PILOT_MOVE
from revops_ma.worlds.revops.moves import NO_ACTION

Action = StrEnum("Action", [(name, name) for name in ACTIONS])
Crisis = StrEnum("Crisis", [(name, name) for name in CRISES])
Magnitude = Annotated[float, Field(ge=MAGNITUDE_MIN, le=MAGNITUDE_MAX)]
Severity = Annotated[float, Field(ge=0.0, le=MAX_SEVERITY)]
Seeds = Annotated[int, Field(ge=1, le=100_000)]


def strikes(crises: Any, severity: float = 1.0, size: int | None = None) -> Any:
    """Crisis moves of one severity: from an array of indices, or one index `size` times."""
    moves: Any = np.zeros(len(crises) if size is None else size, CRISIS_MOVE)
    moves["crisis"] = crises
    moves["r1"] = moves["r2"] = severity
    return moves


def constant_action(view: View, *, action: Action, magnitude: Magnitude) -> Any:
    """One action at one magnitude, every month."""
    moves: Any = np.zeros(len(view), PILOT_MOVE)
    moves["action"], moves["magnitude"] = ACTIONS.index(action), magnitude
    return moves


def no_decision(view: View) -> Any:
    """No decision at all: what every refused move comes to."""
    return np.full(len(view), np.array(NO_ACTION, PILOT_MOVE))


def no_crisis(view: View) -> Any:
    """Pass every turn."""
    return strikes(PASS, 0.0, len(view))


def constant_crisis(view: View, *, crisis: Crisis, severity: Severity = 1.0) -> Any:
    """One crisis at one severity, every turn."""
    return strikes(CRISES.index(crisis), severity, len(view))


class Known(BaseModel):
    """An answer worked out before: for a pilot so slow that nobody wants to wait for it again."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pilot: str
    """Identity of the pilot's card; an edited card is another pilot."""
    rules: str
    """Identity of the scenario."""
    crisis: Crisis


def best_constant(
    view: View, *, opponent: Agent, scenario: Any, seeds: Seeds = 2_000, known: list[Known]
) -> Any:
    """The one crisis that, struck every turn, leaves this pilot the lowest mean return.

    Tried on dev seeds 0 .. seeds-1; the first minimum in table order wins. The answer is worked
    out once per pilot and scenario, or taken from `known`.
    """
    for answer in known:
        if (answer.pilot, answer.rules) == (opponent.identity, scenario.identity):
            return strikes(CRISES.index(answer.crisis), 1.0, len(view))
    return strikes(worst_constant(opponent, scenario, seeds), 1.0, len(view))


@cache
def _worked_out() -> dict[tuple[str, str, int], int]:
    return {}


def worst_constant(pilot: Agent, scenario: Any, seeds: int) -> int:
    """Index of the crisis that `best_constant` plays against a pilot in a scenario."""
    key = (pilot.identity, scenario.identity, seeds)
    if key not in _worked_out():
        returns = constant_returns(pilot, scenario, seeds)
        _worked_out()[key] = int(np.argmin(returns))
    return _worked_out()[key]


def constant_returns(pilot: Agent, scenario: Any, seeds: int) -> list[float]:
    """Mean return of a pilot on seeds 0 .. seeds-1 under each crisis struck every turn."""
    returns = []
    with track(f"best-constant against {pilot.name}: turns", len(CRISES) * MONTHS) as advance:
        for crisis in range(len(CRISES)):
            table = Table(scenario.world, scenario.settings, range(seeds))
            players = {"pilot": pilot, "crisis": _Always(crisis)}
            play(table, players, on_turn=lambda table: advance(table.log[-1].role == PILOT_SEAT))
            returns.append(float(table.returns[:, 0].mean()))
    return returns


class _Always:
    """A crisis agent for the inner games of `best_constant`."""

    identity = name = "always"

    def __init__(self, crisis: int) -> None:
        self.crisis = crisis

    def act(self, view: View) -> Reply:
        return Reply(strikes(self.crisis, 1.0, len(view)))

    def seated(self, scenario: Any, players: Any) -> Agent:
        return self
