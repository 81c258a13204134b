"""Reading moves: from JSON objects and texts to the kernel's records. Nothing here raises."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from revops_ma.game import Refused
from revops_ma.reading import plain_number, read_name, read_number, read_object, shown
from revops_ma.worlds.revops.actions import (
    ACTIONS,
    DEFAULT_MAGNITUDE,
    MAGNITUDE_MAX,
    MAGNITUDE_MIN,
    NO_DECISION,
)
from revops_ma.worlds.revops.crises import COMPONENTS, CRISES, MAX_SEVERITY, PASS, RULE_BASED
from revops_ma.worlds.revops.words import clean

ActionMove = tuple[int, float]
"""(action, magnitude)"""
CrisisMove = tuple[int, float, float, int]
"""(crisis, r1, r2, is_delta), and a fifth part where words came with it"""
Read = tuple[Any, tuple[str, ...], Refused | None]
"""A move (the fallback where refused), notes, and why it was refused."""

NO_ACTION: ActionMove = (NO_DECISION, 0.0)
"""What a refused pilot move does: the month passes without a decision."""
NO_CRISIS: CrisisMove = (PASS, 0.0, 0.0, 0)
"""A pass; what a severity that is no finite number does."""
RULE_BASED_CRISIS: CrisisMove = (RULE_BASED, 1.0, 1.0, 0)
"""What any other refused crisis move does: the rule-based engine strikes at severity 1."""

DELTA_FIELDS = ("churn_pts", "mrr_pct", "cac_pct", "support_pts", "runway_months")
PASS_NAME = "PASS"  # noqa: S105 (a word of the rules, not a password)

_ACTION_KEYS = frozenset({"kind", "action_type", "magnitude", "reasoning"})
_CRISIS_KEYS = frozenset(
    {"kind", "crisis_type", "severity", "description", "reasoning", *DELTA_FIELDS}
)


class _NotReadError(ValueError):
    """Carries a refusal out of the reading of one move; never leaves this module."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.refused = Refused(reason, detail)


def read_action(move: object) -> Read:
    """Read a pilot move: `{"action_type", "magnitude"}`, or a sample of the space."""
    sample = _sample(move, "magnitude", len(ACTIONS))
    if sample is not None and MAGNITUDE_MIN <= sample[1] <= MAGNITUDE_MAX:
        return sample, (), None
    try:
        return _read_action(_fields(move, "action", _ACTION_KEYS))
    except _NotReadError as error:
        return NO_ACTION, (), error.refused


def read_crisis(move: object) -> Read:
    """Read a crisis move: `{"crisis_type", "severity"}` or free-form deltas, or a space sample."""
    sample = _sample(move, "severity", len(CRISES))
    if sample is not None and 0 < sample[1] <= MAX_SEVERITY:
        crisis, severity = sample
        return (crisis, severity, severity, 0), (), None
    try:
        fields = _fields(move, "crisis", _CRISIS_KEYS)
        return _with_words(_read_crisis(fields), fields.get("description"))
    except _NotReadError as error:
        return RULE_BASED_CRISIS, (), error.refused


def _sample(move: object, strength: str, count: int) -> tuple[int, float] | None:
    """Kind and strength of what a space draws; None for whatever needs a closer look.

    Training loops play nothing else, and a look at the exact types tells it apart in no time.
    """
    if type(move) is not dict or len(move) != 2:
        return None
    kind: Any = move.get("kind")
    number: Any = move.get(strength)
    if type(kind) is np.int64:
        kind = int(kind)
    if type(number) is np.ndarray and number.ndim == 0:
        number = number.item()
    is_sample = type(kind) is int and type(number) is float and 0 <= kind < count
    return (kind, number) if is_sample else None


def _fields(move: object, what: str, known: frozenset[str]) -> Mapping[str, Any]:
    """Check that a move is an object with the right keys: `kind`, or `<what>_type`."""
    if not isinstance(move, Mapping):
        raise _NotReadError("not_an_object", type(move).__name__)
    if not move.keys() <= known:
        extra = set(move) - known
        raise _NotReadError("extra_key", ", ".join(sorted(map(shown, extra))[:5]))
    if ("kind" in move) == (f"{what}_type" in move):
        raise _NotReadError(f"missing_{what}", f"{what}_type")
    return move


def _read_action(move: Mapping[str, Any]) -> Read:
    if "kind" in move:
        action, notes = _kind(move["kind"], len(ACTIONS), "action"), ()
    else:
        action, notes = _named(move["action_type"], ACTIONS, "action")
    magnitude, more = _magnitude(move)
    return (action, magnitude), notes + more, None


def _magnitude(move: Mapping[str, Any]) -> tuple[float, tuple[str, ...]]:
    if "magnitude" not in move:
        return DEFAULT_MAGNITUDE, ("no_magnitude",)
    number, tidy = read_number(_plain(move["magnitude"]))
    if number is None:
        return DEFAULT_MAGNITUDE, ("bad_number",)
    if not math.isfinite(number):
        raise _NotReadError("non_finite", "magnitude")
    notes = () if tidy else ("normalised",)
    if MAGNITUDE_MIN <= number <= MAGNITUDE_MAX:
        return number, notes
    return min(max(number, MAGNITUDE_MIN), MAGNITUDE_MAX), (*notes, "clamped")


def _read_crisis(move: Mapping[str, Any]) -> Read:
    if "kind" in move:
        return _with_severity(_kind(move["kind"], len(CRISES), "crisis"), move.get("severity"), ())
    if read_name(move["crisis_type"]) == PASS_NAME.casefold():
        return NO_CRISIS, (), None
    crisis, notes = _named(move["crisis_type"], CRISES, "crisis")
    if "severity" in move:
        return _with_severity(crisis, move["severity"], notes)
    return _with_deltas(crisis, move, notes)


def _with_words(found: Read, description: object) -> Read:
    """Keep the description of a crisis as the fifth part of the move."""
    move, notes, refused = found
    words = clean(description) if move[0] >= 0 else ""
    return ((*move, words) if words else move), notes, refused


def _with_severity(crisis: int, given: object, notes: tuple[str, ...]) -> Read:
    number, tidy = read_number(_plain(given))
    if number is None:
        raise _NotReadError("bad_number", "severity")
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
    given = [(plain_number(_plain(move.get(field))), at_one) for field, at_one in components]
    if not any(number is not None and math.isfinite(number) for number, _ in given):
        raise _NotReadError("no_numbers", CRISES[crisis])
    ratios = [_ratio(number, at_one) for number, at_one in given] + [0.0]
    if {field for field in DELTA_FIELDS if field in move} - {field for field, _ in components}:
        notes = (*notes, "foreign_field")
    return (crisis, ratios[0], ratios[1], 1), notes, None


def _ratio(number: float | None, at_one: float) -> float:
    if number is None or not math.isfinite(number):
        return 0.0
    return min(max(number / at_one, 0.0), MAX_SEVERITY)


def _named(given: object, names: Sequence[str], what: str) -> tuple[int, tuple[str, ...]]:
    """Index of a name, and a note where it had to be tidied."""
    if isinstance(given, str) and given in names:
        return names.index(given), ()
    name = read_name(given)
    for index, known in enumerate(names):
        if name == known.casefold():
            return index, () if given == known else ("normalised",)
    raise _NotReadError(f"unknown_{what}", shown(given))


def _kind(given: object, count: int, what: str) -> int:
    """Index of a space sample."""
    index = _plain(given)
    if isinstance(index, int) and not isinstance(index, bool) and 0 <= index < count:
        return index
    raise _NotReadError(f"unknown_{what}", f"kind, a whole number from 0 to {count - 1}")


def _plain(value: object) -> object:
    """Turn NumPy scalars and one-element arrays into Python values."""
    if isinstance(value, (np.generic, np.ndarray)) and value.size == 1:
        return value.item()
    return value


def read_text(text: object, read: Any, fallback: Any) -> Read:
    """Read a free text with `read_action` or `read_crisis`."""
    found = read_object(text)
    if isinstance(found, Refused):
        return fallback, (), found
    decoded, notes = found
    move, more, refused = read(decoded)
    return move, notes + more, refused
