"""What a model did in one episode, and the rows a trainer learns from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from revops_ma.game import Floats

Ids = list[int]


@dataclass
class Trajectory:
    """One episode of the held seat; all lists have one entry per turn."""

    group: int
    """Episodes of the same group had the same deal, luck and opponent."""
    seed: int
    opponent: str
    prompts: list[Ids] = field(default_factory=list)
    answers: list[Ids] = field(default_factory=list)
    """Token ids as they were sampled, never encoded again."""
    numbers: list[Floats] = field(default_factory=list)
    """[d] observation in each turn."""
    rewards: list[float] = field(default_factory=list)
    refused: list[bool] = field(default_factory=list)
    won: bool = False
    total: float = 0.0
    """The held seat's return of the whole episode."""
    failure: str = ""
    """Why the episode could not be finished: such a one is counted and never learned from."""

    def __len__(self) -> int:
        """Give the number of turns."""
        return len(self.answers)


@dataclass(frozen=True)
class Row:
    """One turn to learn from."""

    prompt: Ids
    answer: Ids
    advantage: float | None
    """None for a filler, which has no gradient."""


def rows_of(
    trajectories: Sequence[Trajectory],
    advantages: Sequence[Floats],
    count: int,
    random: np.random.Generator,
) -> list[Row]:
    """Exactly `count` rows: turns drawn without replacement, fillers where there are too few.

    Advantages are brought to deviation 1 over the rows. Raises ValueError without any turn.
    """
    turns = [(at, turn) for at, one in enumerate(trajectories) for turn in range(len(one))]
    if not turns:
        raise ValueError("no finished episode to learn from")
    picked = random.permutation(len(turns))[:count]
    chosen = [turns[at] for at in sorted(picked.tolist())]
    scale = float(np.std([advantages[at][turn] for at, turn in chosen])) + 1e-8
    rows = [
        Row(
            trajectories[at].prompts[turn],
            trajectories[at].answers[turn],
            float(advantages[at][turn]) / scale,
        )
        for at, turn in chosen
    ]
    filler = Row(rows[0].prompt, rows[0].answer, None)
    return rows + [filler] * (count - len(rows))
