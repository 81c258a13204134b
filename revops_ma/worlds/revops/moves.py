"""Reading moves: from JSON objects and texts to the kernel's records. Nothing here raises."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from revops_ma.game import Refused
from revops_ma.reading import read_name, read_number, read_object
from revops_ma.worlds.revops.actions import (
    ACTIONS,
    DEFAULT_MAGNITUDE,
    MAGNITUDE_MAX,
    MAGNITUDE_MIN,
    NO_DECISION,
)
from revops_ma.worlds.revops.crises import COMPONENTS, CRISES, MAX_SEVERITY, PASS, RULE_BASED

ActionMove = tuple[int, float]
"""(action, magnitude)"""
CrisisMove = tuple[int, float, float, int]
"""(crisis, r1, r2, is_delta)"""
Read = tuple[Any, tuple[str, ...], Refused | None]
"""A move (the fallback where refused), notes, and why it was refused."""

NO_ACTION: ActionMove = (NO_DECISION, 0.0)
"""What a refused pilot move does: the month passes without a decision."""
NO_CRISIS: CrisisMove = (PASS, 0.0, 0.0, 0)
"""A pass; what a severity that is no finite number does."""
RULE_BASED_CRISIS: CrisisMove = (RULE_BASED, 1.0, 1.0, 0)
"""What any other refused crisis move does: the rule-based engine strikes at severity 1."""

DELTA_FIELDS = ("churn_pts", "mrr_pct", "cac_pct", "support_pts", "runway_months")
PASS_NAME = "PASS"

_ACTION_KEYS = {"action_type", "magnitude", "reasoning"}
_CRISIS_KEYS = {"crisis_type", "severity", "description", "reasoning", *DELTA_FIELDS}
_ACTION_INDEX = {name: index for index, name in enumerate(ACTIONS)}
_CRISIS_INDEX = {name.casefold(): index for index, name in enumerate(CRISES)}


def read_action(move: object) -> Read:
    """Read a pilot move: `{"action_type", "magnitude"}`, or a sample of the space."""
    if not isinstance(move, Mapping):
        return NO_ACTION, (), Refused("not_an_object", type(move).__name__)
    if "kind" in move:
        return _native_action(move)
    if extra := set(move) - _ACTION_KEYS:
        return NO_ACTION, (), _extra(extra)
    if "action_type" not in move:
        return NO_ACTION, (), Refused("missing_action", "action_type")
    given = move["action_type"]
    name = read_name(given)
    if name not in _ACTION_INDEX:
        return NO_ACTION, (), Refused("unknown_action", str(given)[:80])
    notes = () if given == name else ("normalised",)
    magnitude, more = _magnitude(move)
    if isinstance(magnitude, Refused):
        return NO_ACTION, (), magnitude
    return (_ACTION_INDEX[name], magnitude), notes + more, None


def _magnitude(move: Mapping[str, Any]) -> tuple[float | Refused, tuple[str, ...]]:
    if "magnitude" not in move:
        return DEFAULT_MAGNITUDE, ("no_magnitude",)
    number, tidy = read_number(_plain(move["magnitude"]))
    if number is None:
        return DEFAULT_MAGNITUDE, ("bad_number",)
    if not math.isfinite(number):
        return Refused("non_finite", "magnitude"), ()
    notes = () if tidy else ("normalised",)
    limited = min(max(number, MAGNITUDE_MIN), MAGNITUDE_MAX)
    return limited, notes if limited == number else (*notes, "clamped")


def _native_action(move: Mapping[str, Any]) -> Read:
    kind = _index(move.get("kind"), len(ACTIONS))
    if kind is None or set(move) - {"kind", "magnitude"}:
        return NO_ACTION, (), Refused("unknown_action", str(move.get("kind"))[:80])
    magnitude, notes = _magnitude(move)
    if isinstance(magnitude, Refused):
        return NO_ACTION, (), magnitude
    return (kind, magnitude), notes, None


def read_crisis(move: object) -> Read:
    """Read a crisis move: `{"crisis_type", "severity"}` or free-form deltas, or a space sample."""
    if not isinstance(move, Mapping):
        return RULE_BASED_CRISIS, (), Refused("not_an_object", type(move).__name__)
    if "kind" in move:
        return _native_crisis(move)
    if extra := set(move) - _CRISIS_KEYS:
        return RULE_BASED_CRISIS, (), _extra(extra)
    if "crisis_type" not in move:
        return RULE_BASED_CRISIS, (), Refused("missing_crisis", "crisis_type")
    given = move["crisis_type"]
    name = read_name(given)
    if name == PASS_NAME.casefold():
        return NO_CRISIS, (), None
    if name not in _CRISIS_INDEX:
        return RULE_BASED_CRISIS, (), Refused("unknown_crisis", str(given)[:80])
    crisis = _CRISIS_INDEX[name]
    notes = () if given == CRISES[crisis] else ("normalised",)
    if "severity" in move:
        return _with_severity(crisis, move["severity"], notes)
    return _with_deltas(crisis, move, notes)


def _with_severity(crisis: int, given: object, notes: tuple[str, ...]) -> Read:
    number, tidy = read_number(_plain(given))
    if number is None:
        return RULE_BASED_CRISIS, (), Refused("bad_number", "severity")
    if not math.isfinite(number):
        return NO_CRISIS, (), Refused("non_finite", "severity")
    if not tidy:
        notes = (*notes, "normalised")
    if not 0 <= number <= MAX_SEVERITY:
        notes = (*notes, "clamped")
    if number <= 0:
        return NO_CRISIS, notes, None
    severity = min(number, MAX_SEVERITY)
    return (crisis, severity, severity, 0), notes, None


def _with_deltas(crisis: int, move: Mapping[str, Any], notes: tuple[str, ...]) -> Read:
    components = COMPONENTS[CRISES[crisis]]
    given = [(_number(move.get(field)), at_one) for field, at_one in components]
    if not any(number is not None and math.isfinite(number) for number, _ in given):
        return RULE_BASED_CRISIS, (), Refused("no_numbers", CRISES[crisis])
    ratios = [_ratio(number, at_one) for number, at_one in given] + [0.0]
    if {field for field in DELTA_FIELDS if field in move} - {field for field, _ in components}:
        notes = (*notes, "foreign_field")
    return (crisis, ratios[0], ratios[1], 1), notes, None


def _number(value: object) -> float | None:
    value = _plain(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value)


def _ratio(number: float | None, at_one: float) -> float:
    if number is None or not math.isfinite(number):
        return 0.0
    return min(max(number / at_one, 0.0), MAX_SEVERITY)


def _native_crisis(move: Mapping[str, Any]) -> Read:
    kind = _index(move.get("kind"), len(CRISES))
    if kind is None or set(move) - {"kind", "severity"}:
        return RULE_BASED_CRISIS, (), Refused("unknown_crisis", str(move.get("kind"))[:80])
    return _with_severity(kind, move.get("severity"), ())


def _index(value: object, count: int) -> int | None:
    value = _plain(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < count else None


def _plain(value: object) -> object:
    """Turn NumPy scalars and one-element arrays into Python values."""
    if isinstance(value, (np.generic, np.ndarray)) and value.size == 1:
        return value.item()
    return value


def _extra(keys: set[Any]) -> Refused:
    return Refused("extra_key", ", ".join(sorted(str(key)[:40] for key in keys)[:5]))


def read_text(text: object, read: Any, fallback: Any) -> Read:
    """Read a free text with `read_action` or `read_crisis`."""
    found = read_object(text)
    if isinstance(found, Refused):
        return fallback, (), found
    decoded, notes = found
    move, more, refused = read(decoded)
    return move, notes + more, refused
