"""The worst that at most three strikes can do to each agent, who knows its moves and all luck.

Scripted agents are searched to the end, so their figure is exact. A model answers a few thousand
times a second, not millions of times: its search follows the most promising sequences only (a
beam), and what it finds is an upper bound of what the model survives. Models are asked for their
likeliest answer: a worst case needs an agent whose moves can be known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from revops_ma.arena.exploit import worst_cases
from revops_ma.arena.statistics import mean, share
from revops_ma.catalog import Scenario
from revops_ma.game import Agent
from revops_ma.progress import track
from revops_ma.training.pilot_grpo.agent import TinyAgent

CRISES, GAMES, BEAM = 3, 20, 8
"""Strikes per episode, seeds, and sequences that a beam follows at a time."""


def worst_of(
    agents: Mapping[str, Agent], scene: Scenario, seeds: Sequence[int], crises: int = CRISES
) -> dict[str, Any]:
    """Survival and return of each agent in the worst case of each seed, and if that is proven."""
    found = {}
    with track("worst cases: pilots", len(agents)) as advance:
        for name, agent in agents.items():
            beam = BEAM if isinstance(agent, TinyAgent) else None
            cases = worst_cases(scene, agent, crises, seeds, beam=beam)
            found[name] = {
                "crises": crises,
                "seeds": len(cases),
                "exact": all(case.is_exact for case in cases),
                "survival": share(sum(not case.killable for case in cases), len(cases)).to_json(),
                "episode_return": mean([case.episode_return for case in cases]).to_json(),
            }
            advance(1)
    return found
