"""Players that nobody should lose to, and players that obey no reader: for audits.

The first do not look at the company; the second hand the rules what no JSON reader lets through.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from revops_ma.claims import Scripted
from revops_ma.game import View
from revops_ma.worlds.revops.actions import ACTIONS
from revops_ma.worlds.revops.bots.constant import Action, constant_action, strikes
from revops_ma.worlds.revops.bots.planner import planner
from revops_ma.worlds.revops.bots.playout import Aim
from revops_ma.worlds.revops.kernel import PILOT_MOVE
from revops_ma.worlds.revops.rewards import SIGNALS

MAGNITUDES = (0.1, 0.5, 1.0)


def degenerate_pilots() -> list[Any]:
    """Pilots that do not look: constant, in turn, random, idle."""
    found: list[Any] = ["random", "do-nothing"]
    for magnitude in MAGNITUDES:
        found += [
            Scripted(
                f"{action} {magnitude}",
                partial(constant_action, action=Action(action), magnitude=magnitude),
            )
            for action in ACTIONS
        ]
        found.append(Scripted(f"in turn {magnitude}", partial(in_turn, magnitude=magnitude)))
    return found


def one_signal_planners() -> list[Scripted]:
    """The planner with one signal as its whole aim: no other, and no price on death."""
    found = []
    for at, signal in enumerate(SIGNALS):
        weights = Aim(*(float(at == other) for other in range(len(SIGNALS))), death=0.0)
        found.append(Scripted(f"planner for {signal}", partial(planner, weights=weights)))
    return found


def in_turn(view: View, *, magnitude: float) -> Any:
    """All actions in table order, one a month."""
    games, rows = view.secrets()
    moves: Any = np.zeros(len(view), PILOT_MOVE)
    moves["action"], moves["magnitude"] = games["month"][rows] % len(ACTIONS), magnitude
    return moves


_WILD = np.array([np.nan, np.inf, -np.inf, -1.0, 0.0, 1e300, 1.0, 1.5])
"""Strengths that no reader would let through, and two that it would."""


def wild_action(view: View) -> Any:
    """Actions that do not exist too, at magnitudes that no reader would let through."""
    moves: Any = np.zeros(len(view), PILOT_MOVE)
    moves["action"] = ((len(ACTIONS) + 2) * view.luck(0)).astype(np.int64) - 1
    moves["magnitude"] = _WILD[(len(_WILD) * view.luck(1)).astype(np.int64)]
    return moves


def wild_crisis(view: View) -> Any:
    """Any crisis, free-form or not, at strengths that no reader would let through."""
    moves = full_force(view)
    moves["r1"] = _WILD[(len(_WILD) * view.luck(1)).astype(np.int64)]
    moves["r2"] = _WILD[(len(_WILD) * view.luck(2)).astype(np.int64)]
    moves["is_delta"] = view.luck(3) < 0.5
    return moves


def full_force(view: View) -> Any:
    """Any crisis as hard as the bank allows."""
    return strikes((len(view.mask[0]) * view.luck(0)).astype(np.int64), 1.5)
