"""The exact worst case of a league's pilot on a few seeds, where the world can be searched."""

from __future__ import annotations

from typing import Any

from revops_ma.arena.exploit import worst_cases
from revops_ma.arena.statistics import mean, share
from revops_ma.catalog import Scenario
from revops_ma.game import Agent
from revops_ma.training.league.settings import Settings
from revops_ma.training.recipe import VALIDATION_SEEDS


def exact_figures(scenario: Scenario, pilot: Agent, settings: Settings) -> dict[str, Any]:
    """Survival and return under the worst sequence of at most `exact_crises` strikes a seed."""
    return exact_worst(
        scenario, pilot, settings.exact_crises, VALIDATION_SEEDS[: settings.exact_seeds]
    )


def exact_worst(scenario: Scenario, pilot: Agent, crises: int, seeds: range) -> dict[str, Any]:
    """The same for any seeds; `proven` counts those on which the search came to its end."""
    found = worst_cases(scenario, pilot, crises, seeds)
    return {
        "crises": crises,
        "seeds": len(found),
        "proven": sum(worst.is_exact for worst in found),
        "survival": share(sum(not worst.killable for worst in found), len(found)).to_json(),
        "episode_return": mean([worst.episode_return for worst in found]).to_json(),
    }
