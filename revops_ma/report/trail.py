"""Sample episodes: which ones, and what happened in them step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from revops_ma.episode import Episode, digest_of, replay
from revops_ma.game import Entry, World
from revops_ma.report.collect import Findings, Pairing, Rules
from revops_ma.table import Table


@dataclass(frozen=True, slots=True)
class Move:
    """One move as it took effect."""

    role: int
    kind: int
    """Index into the role's `kinds()`, negative where it is none of them."""
    strength: float
    caption: str
    entry: Entry | None
    """What came of it, where the world tells."""


@dataclass(slots=True)
class Step:
    """What happened from one scored step to the next."""

    moves: list[Move] = field(default_factory=list)
    signals: list[float] = field(default_factory=list)
    reward: float = 0.0
    """What the first role was paid."""
    figures: Mapping[str, float] = field(default_factory=dict)
    """Trace figures at its end."""


@dataclass(frozen=True, slots=True)
class Trail:
    """A replayed episode."""

    title: str
    pairing: Pairing
    episode: Episode
    brief: str
    """The task of the episode in words; empty where all have the same one."""
    start: Mapping[str, float]
    """Trace figures before the first step."""
    steps: Sequence[Step]
    is_faithful: bool
    """Whether the replay came out with the recorded digest."""

    def strikes(self) -> dict[int, str]:
        """What roles other than the first did, by step; passes are left out."""
        return {
            at: ", ".join(told)
            for at, step in enumerate(self.steps, start=1)
            if (told := [m.caption for m in step.moves if m.role > 0 and m.kind >= 0])
        }

    @property
    def is_told(self) -> bool:
        """Whether the world tells what came of the moves."""
        return any(move.entry for step in self.steps for move in step.moves)

    def values(self, figure: str) -> list[float]:
        """A trace figure before the first step and after each."""
        return [self.start[figure], *(step.figures[figure] for step in self.steps)]


def samples(findings: Findings) -> list[Trail]:
    """Replay the worst, the median and the best episode of the most telling matchup.

    That is the only one of a match; of a tournament it is the best-rated first role against the
    opponent that leaves it the least.
    """
    pairing = telling(findings)
    if pairing is None or not findings.rules.are_current:
        return []
    picked = chosen(pairing.completed, findings.world.roles[0].name)
    return [follow(findings.rules, pairing, episode, title) for title, episode in picked]


def telling(findings: Findings) -> Pairing | None:
    """Pick the matchup that the samples come from; None where no episode was completed."""
    played = [pairing for pairing in findings.pairings if pairing.completed]
    if findings.kind == "tournament" and played:
        ratings = findings.ratings
        best = max(
            {pairing.players[0] for pairing in played}, key=lambda n: (ratings[0, n].rating, n)
        )
        played = [pairing for pairing in played if pairing.players[0] == best]
    return min(played, key=lambda pairing: pairing.result.returns.mean(), default=None)


def chosen(episodes: Sequence[Episode], role: str) -> list[tuple[str, Episode]]:
    """Worst, median and best by a role's return, then by seed; those with moves only.

    One of them stands for all where every episode went the same way.
    """
    able = [episode for episode in episodes if episode.moves]
    order = sorted(able, key=lambda episode: (episode.returns[role], episode.seed))
    if all((each.returns, each.moves) == (order[0].returns, order[0].moves) for each in order):
        return [("Every episode" if len(order) > 1 else "Episode", each) for each in order[:1]]
    if len(order) < 3:
        return [("Episode", episode) for episode in order]
    return [("Worst", order[0]), ("Median", order[(len(order) - 1) // 2]), ("Best", order[-1])]


def follow(rules: Rules, pairing: Pairing, episode: Episode, title: str) -> Trail:
    """Replay one episode and note what happened; no steps where the moves do not fit any more."""
    world, steps = rules.world, [Step()]

    def note(table: Table) -> None:
        turn = table.log[-1]
        role, step, outcome = world.roles[turn.role], steps[-1], turn.outcome
        kind = int(role.kind_of(outcome.played)[0])
        strength = float(role.strength_of(outcome.played)[0])
        entry = world.narrate(table.games, turn.role, outcome, 0)
        step.moves.append(Move(turn.role, kind, strength, role.caption(outcome.played, 0), entry))
        step.signals = np.add(step.signals or 0.0, outcome.signals[0]).tolist()
        step.reward += float(outcome.rewards[0, 0])
        step.figures = _trace(world, table)
        if outcome.scored[0] and not outcome.ended[0]:
            steps.append(Step())

    opening = Table(world, rules.settings, [episode.seed])
    brief, start = world.brief(opening.games, 0), _trace(world, opening)
    try:
        table = replay(world, rules.settings, episode.seed, episode.moves, note)
    except ValueError:
        return Trail(title, pairing, episode, brief, start, [], is_faithful=False)
    is_faithful = digest_of(table, 0, episode.moves) == episode.digest
    done = [step for step in steps if step.moves]
    return Trail(title, pairing, episode, brief, start, done, is_faithful)


def _trace(world: World, table: Table) -> dict[str, float]:
    figures = world.trace(table.games, np.array([0]))
    return {name: float(values[0]) for name, values in figures.items()}
