"""What a search knows of its roots."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from revops_ma.game import Flags, Floats, Rows


@dataclass(slots=True)
class Found:
    """What is known of each root game; one entry per root in every array."""

    lowest: Floats
    """Lowest return of the first role from the root on; infinity before anything was played."""
    paths: NDArray[np.int8]
    """[roots, turns] menu entries of the sequence that leaves it."""
    losable: Flags
    """Whether a sequence after which the first role has not won is known."""
    nodes: NDArray[np.int64]
    """Turns of the second role that were played."""
    open_bound: Floats
    """Nothing that was not searched ends below this; infinity where all was searched."""
    undecided: Flags
    """Whether the search for a loss was given up without one."""

    @classmethod
    def nothing(cls, roots: int, turns: int) -> Found:
        """Before any search: nothing is proven."""
        return cls(
            lowest=np.full(roots, np.inf),
            paths=np.zeros((roots, turns), np.int8),
            losable=np.zeros(roots, np.bool_),
            nodes=np.zeros(roots, np.int64),
            open_bound=np.full(roots, -np.inf),
            undecided=np.ones(roots, np.bool_),
        )

    def keep(self, roots: Rows, returns: Floats, lost: Flags, paths: NDArray[np.int8]) -> None:
        """Take note of some ends: of which root, what they paid, whether lost, how they came."""
        self.losable[roots[lost]] = True
        better = np.flatnonzero(returns < self.lowest[roots])
        # Assigned from the highest to the lowest: of equal indices NumPy keeps the last.
        better = better[np.argsort(-returns[better], kind="stable")]
        self.lowest[roots[better]] = returns[better]
        self.paths[roots[better]] = paths[better]
