"""A model plays sessions: all live episodes of a turn are answered in one batch."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from revops_ma.episode import COMPLETED
from revops_ma.game import Reply, Role
from revops_ma.rollout import Held, RolloutPool, Sessions, Spec, Waiting
from revops_ma.training.pilot_grpo.trajectory import Trajectory


class Answers(Protocol):
    """What a writer gives."""

    prompts: list[list[int]]
    answers: list[list[int]]
    texts: list[str]


class Asks(Protocol):
    """Whoever answers texts."""

    def __call__(self, texts: Sequence[str], /) -> Any:
        """Answer all texts, in order."""
        ...


@dataclass
class Played:
    """Episodes that a model played, and where the time went."""

    trajectories: list[Trajectory]
    world_seconds: float = 0.0
    """Of the environment and the rollout layer."""
    model_seconds: float = 0.0
    failures: dict[str, int] = field(default_factory=dict)

    @property
    def finished(self) -> list[Trajectory]:
        """Those to learn from."""
        return [each for each in self.trajectories if not each.failure]

    @property
    def invalid_share(self) -> float:
        """Share of refused answers."""
        turns = [refused for each in self.finished for refused in each.refused]
        return sum(turns) / len(turns) if turns else 0.0


def specs_of(
    opponents: Sequence[Held], seeds: Sequence[int], copies: int, first: int
) -> list[Spec]:
    """`copies` sessions per seed, one opponent per seed, in turn beginning with number `first`."""
    return [
        Spec(opponents[(first + at) % len(opponents)], seed)
        for at, seed in enumerate(seeds)
        for _ in range(copies)
    ]


def play(pool: RolloutPool, specs: Sequence[Spec], copies: int, ask: Asks) -> Played:
    """Play all sessions to their end; sessions n*copies to (n+1)*copies-1 are a group."""
    played = Played(
        [
            Trajectory(at // copies, spec.seed, spec.held.name.rpartition(" vs ")[2])
            for at, spec in enumerate(specs)
        ]
    )
    began = time.perf_counter()
    with pool.open(specs) as sessions:
        while len(waiting := sessions.waiting):
            thinking = time.perf_counter()
            written = ask(waiting.texts)
            played.model_seconds += time.perf_counter() - thinking
            _take(played, sessions, waiting, written)
        _finish(played, sessions)
    played.world_seconds = time.perf_counter() - began - played.model_seconds
    return played


def _take(played: Played, sessions: Sessions, waiting: Waiting, written: Answers) -> None:
    reply = read(sessions.role, written.texts)
    told = sessions.step(waiting.ids, reply)
    rewards = told.rewards.tolist()
    for at, session in enumerate(waiting.ids.tolist()):
        one = played.trajectories[session]
        one.prompts.append(written.prompts[at])
        one.answers.append(written.answers[at])
        one.numbers.append(waiting.numbers[at])
        one.rewards.append(rewards[at])
        one.refused.append(at in reply.refused)


def read(role: Role, texts: Sequence[str]) -> Reply:
    """What a role reads in texts; equal texts are read once, for models have few things to say."""
    different = {text: at for at, text in enumerate(dict.fromkeys(texts))}
    found = role.texts(list(different))
    if len(different) == len(texts) or not isinstance(found.batch, np.ndarray):
        return role.texts(texts)
    places = [different[text] for text in texts]
    return Reply(
        found.batch[places],
        {at: found.refused[place] for at, place in enumerate(places) if place in found.refused},
        {at: found.notes[place] for at, place in enumerate(places) if place in found.notes},
    )


def _finish(played: Played, sessions: Sessions) -> None:
    for one, episode in zip(played.trajectories, sessions.episodes, strict=True):
        assert episode is not None
        if episode.status != COMPLETED:
            one.failure = episode.reason
            played.failures[episode.reason] = played.failures.get(episode.reason, 0) + 1
            continue
        one.won, one.total = episode.won, episode.returns[sessions.role.name]
