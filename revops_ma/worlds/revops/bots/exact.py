"""The exact adversary: it knows the luck and the pilot, and plays the worst sequence there is.

The plan of a game is a pure function of its seed, the scenario and the pilot: nothing has to be
remembered from turn to turn, and the same seed is searched only once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from revops_ma.errors import BadInput
from revops_ma.game import Agent, View
from revops_ma.search import NODE_LIMIT, Found, Search, in_threads
from revops_ma.worlds.revops.games import CRISIS_SEAT, MONTHS

_FAST_KINDS = ("scripted", "numeric")
"""Kinds of pilot that answer thousands of imagined games at once."""


Strikes = Annotated[int, Field(ge=0, le=MONTHS)]
Nodes = Annotated[int, Field(ge=1)]


def exact(
    view: View,
    *,
    opponent: Agent,
    scenario: Any,
    crises: Strikes = 3,
    nodes: Nodes = NODE_LIMIT,
) -> Any:
    """Play the sequence of at most `crises` strikes that leaves this pilot the lowest return.

    It is searched from the first month on, on the true luck: exactly, or as far as `nodes` games
    a seed go. A pilot that does not play as planned (a person, a fork) still meets the plan.
    """
    games, rows = view.secrets()
    _check_fast(opponent)
    turns = games["month"][rows] // games["crisis_every"][rows] - 1
    plans = _plans(opponent, scenario, crises, nodes, games["seed"][rows].tolist())
    entries = [plan[turn] for plan, turn in zip(plans, turns, strict=True)]
    return view.role.menu()[np.array(entries, np.int64)]


def _check_fast(opponent: Agent) -> None:
    kind = getattr(getattr(opponent, "card", None), "kind", "scripted")
    if kind not in _FAST_KINDS or getattr(opponent, "is_slow", False):
        raise BadInput(
            f"pilot {opponent.name} is too slow for exact, which asks it hundreds of thousands of"
            f" times a game; allowed: fast {' or '.join(_FAST_KINDS)} pilots"
        )


@cache
def _known(pilot: str, rules: str, crises: int, nodes: int) -> dict[int, Any]:
    """Plans by seed of a pilot in a scenario."""
    return {}


def _plans(
    pilot: Agent, scenario: Any, crises: int, nodes: int, seeds: list[int]
) -> list[Sequence[int]]:
    known = _known(pilot.identity, scenario.identity, crises, nodes)
    world, turns = scenario.world, scenario.world.most_turns(scenario.settings, CRISIS_SEAT)
    search = Search(world, pilot, turns, min(crises, turns), nodes)

    def job(part: Sequence[int]) -> list[Any]:
        games, found = world.deal(scenario.settings, part), Found.nothing(len(part), turns)
        search.quick(games, found)
        search.lowest(games, found)
        return list(found.paths)

    new = [seed for seed in dict.fromkeys(seeds) if seed not in known]
    if new:
        known.update(zip(new, in_threads(job, new, "exact crises: seeds"), strict=True))
    return [known[seed] for seed in seeds]
