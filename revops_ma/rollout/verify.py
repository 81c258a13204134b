"""Does a run replay? Every episode is computed anew from its seed and moves, and compared."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from revops_ma.episode import COMPLETED, Episode, digest_of, episodes_of
from revops_ma.errors import RunFailed
from revops_ma.rollout.embedded import EmbeddedPool
from revops_ma.rollout.pool import RolloutPool
from revops_ma.rollout.recorded import EPISODES_PER_TABLE, Rules, play_again, rules_of
from revops_ma.rollout.work import Pace, Work
from revops_ma.run import Run

_COMPARED = ("steps", "won", "ending", "returns", "facts")
"""Fields of an episode that the rules decide, in the order in which they are told."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One episode that does not come out as it was recorded."""

    episode: int
    """Its number in the run, from 0."""
    matchup: str
    seed: int
    step: int
    """The step at which it shows: where the moves stop to fit, or else the last."""
    what: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a replay found."""

    run: Path
    rules: Rules
    episodes: int
    identical: int
    failed: int
    """Episodes that failed when they were played: they have nothing to compare."""
    mismatches: list[Mismatch]
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether every completed episode came out to the last bit."""
        return not self.mismatches

    def to_json(self) -> dict[str, Any]:
        """Give the `replay --json` document."""
        return {
            "run": str(self.run),
            "scenario_recorded": self.rules.recorded,
            "scenario_current": self.rules.current,
            "episodes": self.episodes,
            "identical": self.identical,
            "failed": self.failed,
            "mismatches": [asdict(mismatch) for mismatch in self.mismatches],
            "seconds": round(self.seconds, 3),
        }


def verify(path: Path, pool: RolloutPool | None = None) -> Verdict:
    """Replay a run, on the workers of a pool or in this process.

    Raises BadInput for what is no sound run, RunFailed where its rules are of another version.
    """
    began = time.perf_counter()
    run = Run(path)
    rules = rules_of(run.config)
    if not rules.can_replay:
        raise RunFailed(f"{path} cannot be replayed: {rules.change}; it names {_versions(run)}")
    told = list(run.episodes())
    completed = [(at, each) for at, each in enumerate(told) if each.status == COMPLETED]
    work = Work(_mismatches, _unknown, rules, completed)
    done = (pool or EmbeddedPool()).work([work], Pace.steady(EPISODES_PER_TABLE))
    mismatches = [mismatch for each in done for mismatch in each.results]
    return Verdict(
        run=Path(path),
        rules=rules,
        episodes=len(told),
        identical=len(completed) - len(mismatches),
        failed=len(told) - len(completed),
        mismatches=sorted(mismatches, key=lambda mismatch: mismatch.episode),
        seconds=time.perf_counter() - began,
    )


def _mismatches(rules: Rules, told: Sequence[tuple[int, Episode]]) -> list[Mismatch]:
    """Play some episodes side by side and tell those that come out otherwise."""
    table, misfits = play_again(rules, [episode for _, episode in told])
    played = episodes_of(table, "", record=False)
    found = []
    for row, (number, episode) in enumerate(told):
        if row in misfits:
            misfit = misfits[row]
            step, what = misfit.step, f"move {misfit.move}: {misfit.why}"
        else:
            digest = digest_of(table, row, episode.moves)
            step, what = played[row].steps, _difference(episode, played[row], digest)
        if what:
            found.append(Mismatch(number, episode.matchup, episode.seed, step, what))
    return found


def _unknown(rules: Rules, told: Sequence[tuple[int, Episode]], reason: str) -> list[Mismatch]:
    """Episodes that could not be played again are not known to be identical."""
    return [
        Mismatch(number, episode.matchup, episode.seed, 0, f"not played again: {reason}")
        for number, episode in told
    ]


def _difference(told: Episode, played: Episode, digest: str) -> str:
    """The first field that differs; empty where none does."""
    for name in _COMPARED:
        recorded, computed = getattr(told, name), getattr(played, name)
        if recorded != computed:
            return f"{name}: recorded {recorded}, computed {computed}"
    if told.digest != digest:
        return f"digest: recorded {told.digest}, computed {digest}"
    return ""


def _versions(run: Run) -> str:
    return ", ".join(f"{name} {number}" for name, number in run.manifest["versions"].items())
