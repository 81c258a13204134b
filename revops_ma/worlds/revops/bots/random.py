"""Players that throw dice: their own luck, so the market is the same whoever plays."""

from __future__ import annotations

from typing import Any

import numpy as np

from revops_ma.game import View
from revops_ma.worlds.revops.actions import ACTIONS
from revops_ma.worlds.revops.bots.constant import strikes
from revops_ma.worlds.revops.crises import CRISES
from revops_ma.worlds.revops.kernel import PILOT_MOVE


def random_action(view: View) -> Any:
    """Any action, magnitude 0.1 to 1, both uniform."""
    moves: Any = np.zeros(len(view), PILOT_MOVE)
    moves["action"] = (len(ACTIONS) * view.luck(0)).astype(np.int64)
    moves["magnitude"] = 0.1 + 0.9 * view.luck(1)
    return moves


def random_crisis(view: View) -> Any:
    """Any crisis at severity 1."""
    return strikes((len(CRISES) * view.luck(0)).astype(np.int64))
