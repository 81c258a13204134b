"""Replays the golden episodes on the kernel; `python -m tests.worlds.revops.golden` does it too.

With NUMBA_DISABLE_JIT=1 the same kernel runs as plain Python. Records must then be recarrays, whose
rows have their fields as attributes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from revops_ma.worlds.revops import kernel
from revops_ma.worlds.revops.actions import ACTIONS
from revops_ma.worlds.revops.company import DIFFICULTIES, Company
from revops_ma.worlds.revops.crises import COMPONENTS, CRISES, PASS
from revops_ma.worlds.revops.games import GAME, Ending, deal_games

STATE = (*Company._fields, "k_cac", "k_churn", "k_fix")
SIGNALS = ("ltv_cac", "growth", "burn", "survival")
_ROW = np.array([0])


def episodes() -> list[dict[str, Any]]:
    lines = Path(__file__).with_name("golden.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def replay(episode: dict[str, Any]) -> int:
    """Play the logged moves of one episode, compare every float; return the number of months."""
    games = _record(GAME)
    games["seed"], games["crisis_every"] = episode["seed"], 3
    games["difficulty"] = DIFFICULTIES.index(episode["difficulty"])
    deal_games(games)
    assert str(games["key"][0]) == episode["key"]
    assert _state(games) == episode["reset"]
    for step in episode["steps"]:
        out = _month(games, step, episode["crisis"])
        where = f"seed {episode['seed']}, month {step['t']}"
        assert _state(games) == step["state"], where
        assert [float(out[name][0]) for name in SIGNALS] == step["signals"], where
        assert float(out["reward"][0]) == step["reward"], where
        assert bool(out["ended"][0]) is (step["dead"] or step["survived"]), where
        assert bool(games["ending"][0] == Ending.SURVIVED) is step["survived"], where
    return len(episode["steps"])


def _month(games: Any, step: dict[str, Any], engine: str) -> Any:
    out, move = _record(kernel.OUT), _record(kernel.PILOT_MOVE)
    move["action"], move["magnitude"] = ACTIONS.index(step["action"]), step["magnitude"]
    kernel.pilot_turns(games, _ROW, move, out)
    if games["turn"][0] == 1:
        if engine == "rule":
            choice = _record(kernel.CRISIS_MOVE)
            kernel.rule_based_moves(games, _ROW, choice)
            assert CRISES[choice["crisis"][0]] == step["crisis"]
        games["bank"] = 2.25  # the logged crises were struck without regard to the bank
        kernel.crisis_turns(games, _ROW, _strike(step), out)
    return out


def _strike(step: dict[str, Any]) -> Any:
    move = _record(kernel.CRISIS_MOVE)
    move["crisis"] = PASS
    if step["crisis"] is not None:
        r1, r2 = step["ratios"]
        unused = len(COMPONENTS[step["crisis"]]) == 1
        move["crisis"] = CRISES.index(step["crisis"])
        move["r1"], move["r2"], move["is_delta"] = r1, 0.0 if unused else r2, 1
    return move


def _record(dtype: np.dtype[Any]) -> Any:
    return np.zeros(1, dtype).view(np.recarray)


def _state(games: Any) -> list[float]:
    return [float(games[name][0]) for name in STATE]


if __name__ == "__main__":
    print(sum(map(replay, episodes())))
