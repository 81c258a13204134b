"""What a pilot's habits are judged by in this world: shares of months in a state worth naming."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from revops_ma.game import Floats
from revops_ma.worlds.revops.rewards import LTV_CAC_GOOD

STRENGTH_BY = "runway"
"""Figure of `trace` against which the strength of moves is told."""


def shares(trace: Mapping[str, Floats]) -> dict[str, NDArray[np.bool_]]:
    """Whether each month was in a state, by the name of the state."""
    return {f"LTV/CAC above {LTV_CAC_GOOD:g}": trace["ltv"] / trace["cac"] > LTV_CAC_GOOD}
