"""Moves as the answers that would be read as these moves: what a model is shown it said before."""

from __future__ import annotations

import json
from typing import Any

from revops_ma.worlds.revops.actions import ACTIONS
from revops_ma.worlds.revops.crises import COMPONENTS, CRISES, RULE_BASED
from revops_ma.worlds.revops.moves import PASS_NAME

NO_ANSWER = "(no answer that could be played)"


def spell_action(action: int, magnitude: float) -> str:
    """The pilot's answer."""
    if not 0 <= action < len(ACTIONS):
        return NO_ANSWER
    return json.dumps({"action_type": ACTIONS[action], "magnitude": magnitude})


def spell_crisis(crisis: int, r1: float, r2: float, is_delta: int, words: str = "") -> str:
    """The crisis engine's answer: a severity, or the deltas of free-form strengths."""
    if crisis == RULE_BASED:
        return NO_ANSWER
    if not (0 <= crisis < len(CRISES) and max(r1, r2) > 0):
        return json.dumps({"crisis_type": PASS_NAME})
    answer: dict[str, Any] = {"crisis_type": CRISES[crisis]}
    if is_delta:
        parts = zip(COMPONENTS[CRISES[crisis]], (r1, r2), strict=False)
        answer |= {field: ratio * at_one for (field, at_one), ratio in parts}
    else:
        answer["severity"] = r1
    return json.dumps(answer | ({"description": words} if words else {}))
