"""What the driver of sessions knows of each: what it sees, what it has been through, its record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from revops_ma.episode import FAILED, Episode
from revops_ma.game import Flags, Floats
from revops_ma.rollout.held import Spec
from revops_ma.rollout.messages import Past, Report
from revops_ma.rollout.playing import failed_episode

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Waiting:
    """What waiting sessions see, side by side."""

    ids: Ids
    """[n] ascending."""
    texts: list[str]
    """[n]"""
    numbers: Floats
    """[n, d] in the order of the role's `observation_space`."""
    mask: Flags
    """[n, kinds] which kinds of move are legal."""

    def __len__(self) -> int:
        """Give the number of sessions that wait."""
        return len(self.ids)


@dataclass(frozen=True)
class Told:
    """What became of the sessions of one step, in the order in which they were given."""

    ids: Ids
    """[n]"""
    rewards: Floats
    """[n] of the held seat since its previous turn; NaN where the session failed."""
    ended: Flags
    """[n] completed or failed; the record is in `Sessions.episodes`."""
    failed: Flags
    """[n] could not be brought back after its worker had died: counted, never rewarded."""


class Board:
    """The state of N sessions, by id."""

    def __init__(self, specs: Sequence[Spec]) -> None:
        role, size = specs[0].held.speaks, len(specs)
        self.specs = specs
        self.pasts = [Past() for _ in specs]
        self.episodes: list[Episode | None] = [None] * size
        self._waits = np.zeros(size, np.bool_)
        self._rewards = np.zeros(size)
        self._texts = [""] * size
        self._numbers = np.zeros((size, *role.observation_space.shape))
        self._mask = np.zeros((size, len(role.kinds())), np.bool_)

    @property
    def waiting(self) -> Waiting:
        """What all sessions that wait see."""
        ids = np.flatnonzero(self._waits)
        texts = [self._texts[each] for each in ids]
        return Waiting(ids, texts, self._numbers[ids], self._mask[ids])

    def is_over(self, session: int) -> bool:
        """Whether a session has its record."""
        return self.episodes[session] is not None

    def told(self, ids: Sequence[int]) -> Told:
        """What the last turn brought to some sessions."""
        records = [self.episodes[each] for each in ids]
        ended = np.array([record is not None for record in records], np.bool_)
        failed = np.array(
            [bool(record and record.status == FAILED) for record in records], np.bool_
        )
        numbers = np.array(ids, np.int64)
        return Told(numbers, self._rewards[numbers], ended, failed)

    def note(self, report: Report) -> None:
        """Take what a worker reports."""
        ids = report.ids
        self._rewards[ids] = report.rewards
        self._waits[ids] = ~report.ended
        for at, session in enumerate(ids):
            past = self.pasts[session]
            past.moves += report.moves[at]
            past.refused = report.refused[at].tolist()
            past.fallbacks = report.fallbacks[at].tolist()
            past.asked += report.asked[at]
        if report.waiting:
            self._numbers[report.waiting] = report.numbers
            self._mask[report.waiting] = report.mask
            for session, text in zip(report.waiting, report.texts, strict=True):
                self._texts[session] = text
        for session, episode in report.episodes.items():
            self.episodes[session] = episode

    def fail(self, session: int, reason: str) -> None:
        """Give a session up."""
        spec = self.specs[session]
        self.episodes[session] = failed_episode(spec.held.name, spec.seed, reason)
        self._waits[session] = False
        self._rewards[session] = np.nan
