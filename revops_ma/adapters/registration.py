"""The Gymnasium ids of this package.

Calling `register` loads Gymnasium but nothing of the package: the environments are
imported when one is made.
"""

from __future__ import annotations

from typing import Any

IDS: dict[str, dict[str, Any]] = {
    "RevOps-Pilot-v0": {"scenario": "revops/normal", "role": "pilot", "crisis": "rule-based"},
    "RevOps-Crisis-v0": {"scenario": "revops/normal", "role": "crisis", "pilot": "heuristic"},
}
"""Default arguments per id; each can be changed in `gymnasium.make(id, ...)`."""


def register() -> None:
    """Register the ids; calling it again changes nothing."""
    import gymnasium

    for name, arguments in IDS.items():
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point="revops_ma.adapters.gymnasium:SingleSeatEnv",
                vector_entry_point="revops_ma.adapters.vector:SeatVectorEnv",
                kwargs=arguments,
            )
