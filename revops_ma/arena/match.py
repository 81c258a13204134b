"""A match: one pilot against one crisis engine over a range of seeds."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from revops_ma import catalog
from revops_ma.arena.calling import NO_WISHES, CallWishes
from revops_ma.arena.campaign import play_plan, seed_range
from revops_ma.arena.results import Result, summarise
from revops_ma.episode import Episode
from revops_ma.rollout import RolloutPool, seat


@dataclass(frozen=True, slots=True)
class Match:
    """The outcome of a match."""

    scenario: str
    players: dict[str, str]
    """Name of the agent by role."""
    seed: int
    result: Result
    episodes: list[Episode]
    run: Path | None
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """Give the `match --json` document."""
        return {
            "scenario": self.scenario,
            **self.players,
            "seed": self.seed,
            "episodes": self.result.planned,
            **self.result.to_json(),
            "run": str(self.run) if self.run else None,
            "seconds": round(self.seconds, 3),
        }


def play_match(  # noqa: PLR0913, PLR0917 - who, where, how often, what for
    players: dict[str, str],
    scenario: str,
    episodes: int,
    seed: int | None = None,
    out: Path | None = None,
    pool: RolloutPool | None = None,
    wishes: CallWishes = NO_WISHES,
) -> Match:
    """Play `episodes` games on seeds seed, seed + 1, ... and work out the figures.

    `players` names one agent per role; `pool` plays, by default this process; `wishes` are about
    calls to models. Raises BadInput for unknown names, fewer than one episode, a bad seed, a
    directory that holds another run, or a model that cannot be asked.
    """
    started = time.perf_counter()
    scene = catalog.scenario(scenario)
    seeds = seed_range(seed, episodes, wishes.source or out)
    matchup = seat(scene, players, seeds)
    (played,) = play_plan("match", [matchup], out, pool, wishes)
    result = summarise(played, len(seeds), scene.world)
    seconds = time.perf_counter() - started
    return Match(scene.name, dict(players), seeds.start, result, played, out, seconds)
