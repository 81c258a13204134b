"""A tiny model as an agent of this process, a few times faster than through its card.

The card is what others play. This one is asked where answers are needed by the hundred thousand: by
engines that are trained against the model, and by searches for its worst case. Its draws are keyed
by game, turn and token, so they are other draws of the same model than the card's.

Importing this module imports torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from revops_ma.game import Agent, Reply, View
from revops_ma.training.pilot_grpo.card import hash_of
from revops_ma.training.pilot_grpo.play import read
from revops_ma.training.pilot_grpo.tiny import load_tiny
from revops_ma.training.pilot_grpo.writer import Writer, drawn_by_luck, likeliest

TOKEN_LANES = 60
"""The first lane of the role's own luck that draws tokens; each token has its own."""


@dataclass(frozen=True, eq=False)
class TinyAgent:
    """A writer in a seat. It reads the text of its role and nothing else."""

    name: str
    identity: str
    """Name and a hash of the weights."""
    writer: Writer
    greedy: bool = False

    is_slow = False

    @classmethod
    def of(cls, folder: Path, name: str, *, greedy: bool = False) -> TinyAgent:
        """The model of a folder."""
        decoding = " greedy" if greedy else ""
        return cls(name, f"{name}@{hash_of(folder)}{decoding}", load_tiny(folder), greedy)

    def act(self, view: View) -> Reply:
        """Answer every row of the view in one batch."""
        view.dashboard_only()
        texts = view.texts
        if self.greedy:
            return read(view.role, self.writer.answer(texts, lambda _: likeliest).texts)
        lanes = range(TOKEN_LANES, TOKEN_LANES + self.writer.longest)
        luck = torch.from_numpy(np.stack([view.luck(lane) for lane in lanes], axis=1))
        return read(
            view.role, self.writer.answer(texts, lambda rows: drawn_by_luck(luck[rows])).texts
        )

    def seated(self, scenario: Any, players: Mapping[str, Agent]) -> Agent:
        """Nothing to know of the matchup."""
        return self
