"""Order-free Bradley-Terry ratings of pilots and crisis engines with intervals.

The chance that a pilot wins an episode against a crisis engine is 1 / (1 + 10 ** (-(p - c) / 400))
with both ratings on the Elo scale (Bradley and Terry 1952). Fitted to all episodes at once, so the
order of play does not matter; a weak prior keeps ratings finite where somebody always wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from revops_ma.arena.statistics import Z95

ELO_PER_LOGIT = 400 / np.log(10)
CENTRE = 1_000.0
"""Mean rating of all agents of a table."""
PRIOR_SD = 1_000.0
"""Standard deviation of the Gaussian prior on a rating, in Elo points: nearly flat."""
_STEPS = 100
_TOLERANCE = 1e-10


@dataclass(frozen=True, slots=True)
class Rating:
    """A rating with its 95 % interval (from the curvature of the posterior)."""

    rating: float
    low: float
    high: float

    def to_json(self) -> dict[str, float]:
        """Give {rating, low, high}."""
        return {"rating": self.rating, "low": self.low, "high": self.high}


def rate(results: Mapping[tuple[str, str], tuple[int, int]]) -> dict[tuple[int, str], Rating]:
    """Rate the agents from {(pilot, crisis): (episodes won by the pilot, episodes)}.

    Returns {(side, name): Rating} with side 0 for pilots and 1 for crisis engines.
    """
    pilots = sorted({pilot for pilot, _ in results})
    crises = sorted({crisis for _, crisis in results})
    agents = [(0, name) for name in pilots] + [(1, name) for name in crises]
    design = np.zeros((len(results), len(agents)))
    for row, (pilot, crisis) in enumerate(results):
        design[row, agents.index((0, pilot))] = 1.0
        design[row, agents.index((1, crisis))] = -1.0
    wins, games = np.array(list(results.values()), np.float64).T
    strength, covariance = _fit(design, wins, games)
    # A common shift of all ratings changes no prediction: report them around the centre.
    centring = np.eye(len(agents)) - 1.0 / len(agents)
    points = centring @ strength * ELO_PER_LOGIT + CENTRE
    spread = np.diag(centring @ covariance @ centring.T).clip(0.0)
    halves = Z95 * np.sqrt(spread) * ELO_PER_LOGIT
    return {
        agent: Rating(float(point), float(point - half), float(point + half))
        for agent, point, half in zip(agents, points, halves, strict=True)
    }


def _fit(
    design: NDArray[np.float64], wins: NDArray[np.float64], games: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Newton's method on the penalised log-likelihood: strengths in logits and their covariance."""
    size = design.shape[1]
    prior = np.eye(size) * (ELO_PER_LOGIT / PRIOR_SD) ** 2
    strength = np.zeros(size)
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-design @ strength))
        slope = design.T @ (wins - games * chance) - prior @ strength
        weight = games * chance * (1 - chance)
        curvature = design.T @ (weight[:, None] * design) + prior
        step = np.linalg.solve(curvature, slope)
        strength = strength + np.clip(step, -2.0, 2.0)
        if np.abs(step).max() < _TOLERANCE:
            break
    return strength, np.linalg.inv(curvature)
