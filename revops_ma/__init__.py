"""revops_ma: adversarial self-play on business operations.

Importing the package adds `RevOps-Pilot-v0` and `RevOps-Crisis-v0` to Gymnasium's registry, which
has had no plug-ins since version 1.0, and loads nothing else that is heavy: each name below loads
its module when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from revops_ma.adapters.registration import register

if TYPE_CHECKING:
    from revops_ma.adapters.facade import RevOpsEnv
    from revops_ma.adapters.gymnasium import SingleSeatEnv
    from revops_ma.adapters.pettingzoo import aec_env
    from revops_ma.adapters.vector import SeatVectorEnv
    from revops_ma.catalog import agent, scenario
    from revops_ma.errors import BadInput, CardError, RevopsError, RunFailed, UnknownName
    from revops_ma.table import Table, play
    from revops_ma.testing import check_agent, check_world

    __version__: str

__all__ = [
    "BadInput",
    "CardError",
    "RevOpsEnv",
    "RevopsError",
    "RunFailed",
    "SeatVectorEnv",
    "SingleSeatEnv",
    "Table",
    "UnknownName",
    "__version__",
    "aec_env",
    "agent",
    "check_agent",
    "check_world",
    "play",
    "register",
    "scenario",
]

_HOMES = {
    **dict.fromkeys(
        ("BadInput", "CardError", "RevopsError", "RunFailed", "UnknownName"), "revops_ma.errors"
    ),
    "RevOpsEnv": "revops_ma.adapters.facade",
    "SeatVectorEnv": "revops_ma.adapters.vector",
    "SingleSeatEnv": "revops_ma.adapters.gymnasium",
    "Table": "revops_ma.table",
    "aec_env": "revops_ma.adapters.pettingzoo",
    "agent": "revops_ma.catalog",
    "check_agent": "revops_ma.testing",
    "check_world": "revops_ma.testing",
    "play": "revops_ma.table",
    "scenario": "revops_ma.catalog",
}
"""Module of each name that is loaded at its first use."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("revops-ma")
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


register()
