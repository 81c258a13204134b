"""What the driver of sessions and the workers that host them say to each other: plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from revops_ma.calls import Asked
from revops_ma.episode import Episode
from revops_ma.game import Batch, Flags, Floats, Refused, Reply, Role, Rows
from revops_ma.rollout.held import Held

Turn = tuple[str, Asked]
"""A role's name, and what a model was asked for it in one turn."""


@dataclass
class Past:
    """What a session has been through: enough to bring it back on another worker."""

    moves: list[str] = field(default_factory=list)
    """Texts of all moves of both sides, `[role index,packed move]`, up to the last answer."""
    refused: list[int] = field(default_factory=list)
    """[roles] moves refused so far; empty before the first turn."""
    fallbacks: list[int] = field(default_factory=list)
    asked: list[Turn] = field(default_factory=list)
    """What models were asked so far, and answered."""


@dataclass(frozen=True)
class Seated:
    """Sessions to be dealt on one worker, each brought to where it stood."""

    helds: Sequence[Held]
    ids: Sequence[int]
    tables: Sequence[int]
    """[n] index into `helds`: what has the same one is played at one table."""
    seeds: Sequence[int]
    pasts: Sequence[Past]


@dataclass(frozen=True)
class Orders:
    """One turn of some sessions: the moves of the held seat, or none to play up to its first."""

    ids: Sequence[int]
    packed: Sequence[Any] | None = None
    """One packed move each."""
    refused: Mapping[int, Refused] = field(default_factory=dict)
    """By position in `ids`, as in a Reply; so are the next three."""
    notes: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    fallbacks: frozenset[int] = frozenset()
    asked: Mapping[int, Asked] = field(default_factory=dict)

    @classmethod
    def of(cls, ids: Sequence[int], role: Role, reply: Reply) -> Orders:
        """Pack a reply."""
        packed = role.pack(reply.batch)
        return cls(ids, packed, reply.refused, reply.notes, reply.fallbacks, reply.asked)

    def __len__(self) -> int:
        """Give the number of sessions."""
        return len(self.ids)

    def part(self, positions: Sequence[int]) -> Orders:
        """The orders at some positions."""
        new = {old: at for at, old in enumerate(positions)}
        return Orders(
            [self.ids[at] for at in positions],
            None if self.packed is None else [self.packed[at] for at in positions],
            {new[old]: refused for old, refused in self.refused.items() if old in new},
            {new[old]: notes for old, notes in self.notes.items() if old in new},
            frozenset(new[old] for old in self.fallbacks if old in new),
            {new[old]: asked for old, asked in self.asked.items() if old in new},
        )

    def halves(self) -> list[Orders]:
        """The orders in two parts."""
        middle = len(self) // 2
        return [self.part(range(middle)), self.part(range(middle, len(self)))]

    def reply(self, role: Role) -> Reply:
        """The reply that was packed, to the same bits."""
        batch: Batch = role.unpack(self.packed or [])
        return Reply(batch, self.refused, self.notes, self.fallbacks, self.asked)


@dataclass(frozen=True)
class Report:
    """What became of sessions of one table in a turn."""

    ids: list[int]
    """[n]"""
    rewards: Floats
    """[n] of the held seat since its previous turn; zero for one that was never asked."""
    ended: Flags
    """[n]"""
    moves: list[list[str]]
    """[n] texts of the moves since the previous report."""
    refused: Rows
    """[n, roles] since the start of the game, as the next one."""
    fallbacks: Rows
    asked: list[list[Turn]]
    """[n] what models were asked since the previous report, and answered."""
    waiting: list[int]
    """[m] ids of those that wait for the held seat, in the order of `ids`."""
    numbers: Floats
    """[m, d]"""
    mask: Flags
    """[m, kinds]"""
    texts: list[str]
    """[m]"""
    episodes: dict[int, Episode]
    """Records of those that ended."""
