"""A tournament: every pilot against every crisis engine on the same seeds."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from revops_ma import catalog
from revops_ma.arena import nash
from revops_ma.arena.calling import NO_WISHES, CallWishes
from revops_ma.arena.campaign import play_plan, seed_range
from revops_ma.arena.ratings import Rating, rate
from revops_ma.arena.results import Result, paired, summarise
from revops_ma.arena.statistics import Estimate, difference
from revops_ma.episode import Episode
from revops_ma.errors import BadInput
from revops_ma.rollout import RolloutPool, seat


@dataclass(frozen=True, slots=True)
class Tournament:
    """The outcome of a tournament: the payoff table and what follows from it."""

    scenario: str
    roles: tuple[str, str]
    pilots: list[str]
    crises: list[str]
    seed: int
    cells: dict[tuple[str, str], Result]
    """Result by (pilot, crisis)."""
    episodes: list[Episode]
    run: Path | None
    seconds: float

    @property
    def ratings(self) -> dict[tuple[int, str], Rating]:
        """Bradley-Terry rating by (0 pilot or 1 crisis, name)."""
        return rate({pair: (cell.wins, cell.completed) for pair, cell in self.cells.items()})

    @property
    def payoff(self) -> np.ndarray:
        """[pilots, crises] mean returns of the pilot."""
        return np.array(
            [
                [self.cells[pilot, crisis].episode_return.mean for crisis in self.crises]
                for pilot in self.pilots
            ],
            np.float64,
        )

    @property
    def equilibrium(self) -> nash.Equilibrium | None:
        """The Nash equilibrium of the payoff table; None where a pairing completed no episode."""
        payoff = self.payoff
        return nash.solve(payoff) if np.isfinite(payoff).all() else None

    def best_response(self, pilot: str) -> str:
        """The crisis engine that leaves a pilot the lowest mean return."""
        returns = np.nan_to_num(self.payoff[self.pilots.index(pilot)], nan=np.inf)
        return self.crises[int(returns.argmin())]

    def gap(self, crisis: str, pilot: str, other: str) -> Estimate:
        """How much more one pilot returns than another against a crisis engine, paired by seed."""
        return difference(*paired(self.cells[pilot, crisis], self.cells[other, crisis]))

    def to_json(self) -> dict[str, Any]:
        """Give the `tournament --json` document."""
        first = self.roles[0]
        cells = self.cells
        return {
            "scenario": self.scenario,
            f"{first}s": self.pilots,
            "crises": self.crises,
            "seed": self.seed,
            "episodes": next(iter(cells.values())).planned,
            "planned": sum(cell.planned for cell in cells.values()),
            "completed": sum(cell.completed for cell in cells.values()),
            "failed": sum(cell.failed for cell in cells.values()),
            "payoff": {
                pilot: {crisis: cells[pilot, crisis].to_json() for crisis in self.crises}
                for pilot in self.pilots
            },
            "ratings": self._named_ratings(),
            "nash": self._named_mixtures(),
            "best_response": {pilot: self.best_response(pilot) for pilot in self.pilots},
            "run": str(self.run) if self.run else None,
            "seconds": round(self.seconds, 3),
        }

    def _named_mixtures(self) -> dict[str, Any] | None:
        found = self.equilibrium
        if found is None:
            return None
        return {
            "value": found.value,
            self.roles[0]: dict(zip(self.pilots, found.rows.tolist(), strict=True)),
            self.roles[1]: dict(zip(self.crises, found.columns.tolist(), strict=True)),
        }

    def _named_ratings(self) -> dict[str, dict[str, float]]:
        """Ratings by agent; a name that sits on both sides is told apart as `name (role)`."""
        both = set(self.pilots) & set(self.crises)
        return {
            f"{name} ({self.roles[side]})" if name in both else name: rating.to_json()
            for (side, name), rating in self.ratings.items()
        }


def play_tournament(  # noqa: PLR0913, PLR0917 - who, where, how often, what for: as in play_match
    pilots: Sequence[str],
    crises: Sequence[str],
    scenario: str,
    episodes: int,
    seed: int | None = None,
    out: Path | None = None,
    pool: RolloutPool | None = None,
    wishes: CallWishes = NO_WISHES,
) -> Tournament:
    """Play every pairing on the same seeds; `pool` plays, by default this process.

    Raises BadInput for an empty or doubled list, unknown names, fewer than one episode, a bad seed,
    or a directory that holds another run: before anything is played or written.
    """
    started = time.perf_counter()
    scene = catalog.scenario(scenario)
    roles = tuple(role.name for role in scene.world.roles)
    _check_names(f"--{roles[0]}s", pilots, catalog.fitting(roles[0], scene.world))
    _check_names("--crises", crises, catalog.fitting(roles[1], scene.world))
    seeds = seed_range(seed, episodes, wishes.source or out)
    pairs = [(pilot, crisis) for pilot in pilots for crisis in crises]
    matchups = [seat(scene, dict(zip(roles, pair, strict=True)), seeds) for pair in pairs]
    groups = play_plan("tournament", matchups, out, pool, wishes)
    cells = {
        pair: summarise(group, len(seeds), scene.world)
        for pair, group in zip(pairs, groups, strict=True)
    }
    return Tournament(
        scenario=scene.name,
        roles=(roles[0], roles[1]),
        pilots=list(pilots),
        crises=list(crises),
        seed=seeds.start,
        cells=cells,
        episodes=[episode for group in groups for episode in group],
        run=out,
        seconds=time.perf_counter() - started,
    )


def _check_names(flag: str, names: Sequence[str], known: Sequence[str]) -> None:
    if isinstance(names, str):
        raise BadInput.of(flag, names, f"a list of names, one or more of {', '.join(known)}")
    if not names or not all(names):
        raise BadInput.of(flag, list(names), f"one or more of {', '.join(known)}")
    doubled = sorted({name for name in names if list(names).count(name) > 1})
    if doubled:
        raise BadInput(f"{flag}: {', '.join(doubled)} named twice; name each agent once")
