"""Two runs on the same seeds: where they part, and what the difference comes to.

Luck is keyed, so the same seed deals the same game and the same market to both runs: an episode is
equal up to the first move that differs, and the differences of the figures are paired by seed.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from revops_ma.arena.statistics import Estimate, difference
from revops_ma.episode import COMPLETED, Episode
from revops_ma.errors import BadInput
from revops_ma.progress import track
from revops_ma.rollout.recorded import Rules, play_again, rules_of
from revops_ma.run import Run

Key = tuple[int, int]
"""Position of the matchup in the plan, and seed."""
Pairs = list[tuple[Episode, Episode]]


@dataclass(frozen=True, slots=True)
class Side:
    """What one run did at the point where they part."""

    matchup: str
    role: str | None
    """Who moved; None where this run has no move there."""
    move: Any
    """The packed move as it was recorded."""
    caption: str
    """The move in words."""
    before: str
    """Digest of the state before the move."""
    after: str
    """Digest of the state after it."""


@dataclass(frozen=True, slots=True)
class Parting:
    """The first step at which two episodes differ."""

    position: int
    """Position of the matchup in the plan, from 0."""
    seed: int
    move: int
    """Index of the first move that differs; the number of moves where all are the same."""
    step: int
    """Step of the episode, from 1."""
    a: Side
    b: Side


@dataclass(frozen=True, slots=True)
class MatchupDifference:
    """One matchup of each run on their common seeds; differences are `b - a`."""

    position: int
    a: str
    b: str
    pairs: int
    """Seeds on which both runs completed the episode."""
    equal: int
    differences: dict[str, Estimate]

    def to_json(self) -> dict[str, Any]:
        """Give the part of the document on this matchup."""
        estimates = {name: estimate.to_json() for name, estimate in self.differences.items()}
        return {**asdict(self), "differences": estimates}


@dataclass(frozen=True, slots=True)
class RunDifference:
    """What `diff` tells."""

    a: Path
    b: Path
    rules: tuple[str, str]
    """Scenario identities as recorded."""
    compared: int
    equal: int
    only_a: int
    only_b: int
    first: Parting | None
    matchups: list[MatchupDifference]
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """Give the `diff --json` document."""
        return {
            "a": str(self.a),
            "b": str(self.b),
            "rules": list(self.rules),
            "compared": self.compared,
            "equal": self.equal,
            "different": self.compared - self.equal,
            "only_a": self.only_a,
            "only_b": self.only_b,
            "first": asdict(self.first) if self.first else None,
            "matchups": [matchup.to_json() for matchup in self.matchups],
            "seconds": round(self.seconds, 3),
        }


def compare_runs(a: Path, b: Path) -> RunDifference:
    """Compare two runs matchup by matchup, in the order of their plans, on the seeds of both.

    Raises BadInput for runs of other worlds, of another number of matchups, or without a common
    seed.
    """
    began = time.perf_counter()
    runs = Run(a), Run(b)
    rules = rules_of(runs[0].config), rules_of(runs[1].config)
    _check_comparable(runs, rules)
    with track("runs read", 2) as advance:
        told = []
        for run in runs:
            told.append(_by_key(run))
            advance(1)
    ours, theirs = told
    common = [key for key in ours if key in theirs]
    if not common:
        raise BadInput(
            f"{a} and {b} have no seed in common: {_seeds(runs[0])} there, {_seeds(runs[1])} here"
        )
    parted = [key for key in common if not _same(ours[key], theirs[key])]
    first = _parting(rules, parted[0], ours[parted[0]], theirs[parted[0]]) if parted else None
    return RunDifference(
        a=runs[0].path,
        b=runs[1].path,
        rules=(rules[0].recorded, rules[1].recorded),
        compared=len(common),
        equal=len(common) - len(parted),
        only_a=len(ours) - len(common),
        only_b=len(theirs) - len(common),
        first=first,
        matchups=list(_matchups(rules[0], common, ours, theirs)),
        seconds=time.perf_counter() - began,
    )


def _check_comparable(runs: tuple[Run, Run], rules: tuple[Rules, Rules]) -> None:
    worlds = [side.world.name for side in rules]
    if worlds[0] != worlds[1]:
        raise BadInput(f"{runs[0].path} is of the world {worlds[0]}, {runs[1].path} of {worlds[1]}")
    counts = [len(run.config["matchups"]) for run in runs]
    if counts[0] != counts[1]:
        raise BadInput(
            f"{runs[0].path} has {counts[0]} matchups, {runs[1].path} has {counts[1]};"
            " only runs with the same number can be compared, matchup by matchup"
        )


def _by_key(run: Run) -> dict[Key, Episode]:
    planned = run.config["episodes"]
    return {(at // planned, episode.seed): episode for at, episode in enumerate(run.episodes())}


def _seeds(run: Run) -> str:
    first, count = run.config["seed"], run.config["episodes"]
    return f"{first} to {first + count - 1}"


def _same(ours: Episode, theirs: Episode) -> bool:
    return (ours.status, ours.digest, ours.moves) == (theirs.status, theirs.digest, theirs.moves)


def _matchups(
    rules: Rules, common: Sequence[Key], ours: Mapping[Key, Episode], theirs: Mapping[Key, Episode]
) -> Iterator[MatchupDifference]:
    for position in sorted({key[0] for key in common}):
        pairs = [(ours[key], theirs[key]) for key in common if key[0] == position]
        done = [pair for pair in pairs if all(each.status == COMPLETED for each in pair)]
        yield MatchupDifference(
            position=position,
            a=pairs[0][0].matchup,
            b=pairs[0][1].matchup,
            pairs=len(done),
            equal=sum(_same(*pair) for pair in pairs),
            differences=_differences(done, rules),
        )


def _differences(pairs: Pairs, rules: Rules) -> dict[str, Estimate]:
    """Paired differences `b - a` of the figures that tables show."""
    first = rules.world.roles[0].name
    figures = {
        "episode_return": lambda episode: episode.returns[first],
        "survival": lambda episode: float(episode.won),
        "steps": lambda episode: float(episode.steps),
        **{name: _fact(name) for name in rules.world.facts_shown},
    }
    return {
        name: difference([of(b) for _, b in pairs], [of(a) for a, _ in pairs])
        for name, of in figures.items()
    }


def _fact(name: str) -> Any:
    return lambda episode: episode.facts[name]


def _parting(rules: tuple[Rules, Rules], key: Key, ours: Episode, theirs: Episode) -> Parting:
    """Replay both episodes up to the first move that differs, and over it."""
    both = list(ours.moves), list(theirs.moves)
    move = next(
        (at for at, (mine, other) in enumerate(zip_longest(*both)) if mine != other), len(both[0])
    )
    sides = [
        _side(rule, episode, moves, move)
        for rule, episode, moves in zip(rules, (ours, theirs), both, strict=True)
    ]
    steps = {step for step, _ in sides}
    return Parting(key[0], key[1], move, min(steps), sides[0][1], sides[1][1])


def _side(rules: Rules, episode: Episode, moves: Sequence[Any], at: int) -> tuple[int, Side]:
    before, step = _state(rules, episode, moves[:at])
    after, _ = _state(rules, episode, moves[: at + 1])
    role, move, caption = None, None, "no move"
    if at < len(moves):
        index, move = moves[at]
        seat = rules.world.roles[index]
        role, caption = seat.name, seat.caption(seat.unpack([move]), 0)
    return step, Side(episode.matchup, role, move, caption, before, after)


def _state(rules: Rules, episode: Episode, moves: Sequence[Any]) -> tuple[str, int]:
    """Digest of the state after some moves, and the step that is being played then."""
    table, _ = play_again(rules, [replace(episode, moves=moves)])
    state = hashlib.blake2b(table.world.fingerprint(table.games, 0), digest_size=8)
    return state.hexdigest(), int(table.steps[0]) + 1
