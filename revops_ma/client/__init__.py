"""Clients of the server: typed, sync and async, and twins that need no server.

    from revops_ma.client import RevOpsAction, RevOpsClient

    with RevOpsClient("http://localhost:8000").sync() as env:
        result = env.reset(seed=7, difficulty="hard")
        while not result.done:
            result = env.step(RevOpsAction(action_type="hire_support", magnitude=0.8))

`RevOpsClient.in_process()` takes the place of the address for a game in this process. The clients
are OpenEnv's: `await` works in async code, `from_docker_image` and `from_env` start a server. To
import one of the names below loads OpenEnv, which takes seconds.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from revops_ma.client.finops import FinOpsAction, FinOpsClient, FinOpsObservation, FinOpsTools
    from revops_ma.client.revops import RevOpsAction, RevOpsClient, RevOpsObservation, RevOpsTools

__all__ = [
    "FinOpsAction",
    "FinOpsClient",
    "FinOpsObservation",
    "FinOpsTools",
    "RevOpsAction",
    "RevOpsClient",
    "RevOpsObservation",
    "RevOpsTools",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "revops" if name.startswith("RevOps") else "finops"
    return getattr(import_module(f"revops_ma.client.{home}"), name)
