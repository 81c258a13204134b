"""What a turn did, told from the kernel's records when somebody asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revops_ma.game import Floats, Rows
from revops_ma.worlds.revops.games import blank
from revops_ma.worlds.revops.kernel import CRISIS_MOVE
from revops_ma.worlds.revops.rewards import DEATH_PENALTY, SIGNALS, WEIGHTS


def weigh(out: Any) -> Floats:
    """[n, signals] of the kernel's records: weighted signals, and the penalty of a death."""
    if len(out) == 1:
        return np.array([_weigh_one(out)])
    signals = np.zeros((len(out), len(SIGNALS) + 1))
    for index, (name, weight) in enumerate(zip(SIGNALS, WEIGHTS, strict=True)):
        signals[:, index] = weight * out[name]
    alive = ((signals[:, 0] + signals[:, 1]) + signals[:, 2]) + signals[:, 3]
    signals[:, -1] = np.where(out["reward"] != alive, -DEATH_PENALTY, 0.0)
    return signals


def _weigh_one(out: Any) -> list[float]:
    """The same of one record: Python's floats need a fifth of the time that four columns take."""
    weighed = [weight * out[name].item() for name, weight in zip(SIGNALS, WEIGHTS, strict=True)]
    alive = ((weighed[0] + weighed[1]) + weighed[2]) + weighed[3]
    return [*weighed, -DEATH_PENALTY if out["reward"].item() != alive else 0.0]


@dataclass(slots=True)
class MonthOutcome:
    """An outcome over the kernel's records.

    The crisis engine lives on the pilot's loss: it gets the month's reward with the other sign.
    """

    rows: Rows
    detail: Any
    """[n] of `kernel.OUT`."""
    decisions: Any
    """The moves of a pilot turn; None for a crisis turn, whose blows `detail` tells."""

    @property
    def rewards(self) -> Floats:
        """[n, 2]; pilot, crisis engine."""
        reward = self.detail["reward"]
        return np.stack((reward, 0.0 - reward), axis=1)

    @property
    def scored(self) -> NDArray[np.bool_]:
        """[n]; not where the month still waits for its crisis turn."""
        return self.detail["scored"] != 0

    @property
    def ended(self) -> NDArray[np.bool_]:
        """[n]; dead, or thirty months old."""
        return self.detail["ended"] != 0

    @property
    def played(self) -> Any:
        """The moves; of a crisis turn the blows that fell, the bank having paid for them."""
        if self.decisions is not None:
            return self.decisions
        blows = blank(len(self.rows), CRISIS_MOVE)
        for field in ("crisis", "r1", "r2"):
            blows[field] = self.detail[field]
        return blows

    @property
    def signals(self) -> Floats:
        """[n, signals] as `weigh` tells them."""
        return weigh(self.detail)

    def paid(self, position: int) -> list[float]:
        """Rewards of one game."""
        reward = self.detail["reward"].item(position)
        return [reward, 0.0 - reward]
