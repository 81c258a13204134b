"""The arrays and batches that all worlds speak in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Games = Any
"""Whatever a world deals: `len()` is the number of games; it pickles and deep-copies."""
Batch = Any
"""The moves of n rows in the form that the world's `apply` eats; `len()` is n."""

OVER = -1
"""`to_move` of a game that has ended."""
