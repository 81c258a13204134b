"""Reading moves: from JSON objects, space samples and texts to calls and disturbances.

Nothing here raises on what it reads. A well-formed envelope is always played as it stands, so that
the desk's answer says what is wrong with it; a call that could never succeed (no such tool, bad
arguments) is a `Refused` as well, so that it is counted. Only where there is no envelope at all a
fallback stands in: the pilot's costs what any error of the caller costs, the crisis side's passes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from revops_ma.game import Refused
from revops_ma.reading import MAX_DEPTH, read_name, read_object, shown
from revops_ma.worlds.finops.calls import NOTHING, PASS, Call, Disturbance, unreadable
from revops_ma.worlds.finops.disturbances import KIND_NAMES
from revops_ma.worlds.finops.slots import SLOTS
from revops_ma.worlds.finops.toolkit import Failure
from revops_ma.worlds.finops.tools import TOOL_NAMES, TOOLS

ReadCall = tuple[Call, tuple[str, ...], Refused | None]
"""A call (the stand-in where there was none), notes, and why it was refused."""
ReadDisturbance = tuple[Disturbance, tuple[str, ...], Refused | None]
"""A disturbance (a pass where refused), notes, and why it was refused."""

MAX_BITS = 1024
"""Of a whole number in a call: Python refuses to write much longer ones as text."""

_CALL_KEYS = {"tool", "args"}
_DISTURBANCE_KEYS = {"disturbance", "target", "amount_cents", "description", "reasoning"}


def read_call(move: object) -> ReadCall:
    """Read a pilot move: a Call, `{"tool", "args"}`, or a sample of the space."""
    if isinstance(move, Call):
        return _checked(move)
    if not isinstance(move, Mapping):
        return _no_call(Refused("not_an_object", type(move).__name__))
    if "tool" not in move:
        return _no_call(Refused("missing_tool"))
    if extra := set(move) - _CALL_KEYS:
        return _no_call(Refused("extra_key", _names(extra)))
    tool, args = plain(move["tool"]), plain(move.get("args", {}))
    if isinstance(tool, int) and not isinstance(tool, bool):
        tool = TOOL_NAMES[tool] if 0 <= tool < len(TOOL_NAMES) else "(no such number)"
    if not isinstance(tool, str) or not _is_json(args):
        return _no_call(Refused("not_json", "tool and args must be JSON"))
    return _checked(Call(tool, args))


def read_call_text(text: object) -> ReadCall:
    """Read a pilot move from a free text that should hold one JSON object."""
    found = read_object(text)
    if isinstance(found, Refused):
        return _no_call(found)
    decoded, notes = found
    call, more, refused = read_call(decoded)
    return call, notes + more, refused


def _no_call(refused: Refused) -> ReadCall:
    return unreadable(refused.reason), (), refused


def _checked(call: Call) -> ReadCall:
    if call.unreadable:
        return call, (), Refused(call.unreadable)
    tool = TOOLS.get(call.tool)
    if tool is None:
        return call, (), Refused("unknown_tool", shown(call.tool))
    if call.slot is not None:
        return call, (), None
    notes = ("decoded_args",) if isinstance(call.args, str) else ()
    args = tool.check(call.args)
    return call, notes, Refused("invalid_args", args.message) if isinstance(args, Failure) else None


def call_of(tool: int, slot: int) -> ReadCall:
    """The call of two numbers: a tool, and its argument among those shown so far."""
    if not (0 <= tool < len(TOOL_NAMES) and 0 <= slot < SLOTS):
        return _no_call(
            Refused("out_of_range", f"each number from 0 to below {len(TOOL_NAMES)}, {SLOTS}")
        )
    return Call(TOOL_NAMES[tool], {}, slot), (), None


def read_disturbance(move: object) -> ReadDisturbance:
    """Read a crisis move: `{"disturbance", "target", "amount_cents"}`, or a sample of the space."""
    if isinstance(move, Disturbance):
        return move, (), None
    if not isinstance(move, Mapping):
        return _pass("not_an_object", type(move).__name__)
    if "kind" in move:
        return _native_disturbance(move)
    if extra := set(move) - _DISTURBANCE_KEYS:
        return _pass("extra_key", _names(extra))
    given = move.get("disturbance")
    name = read_name(given)
    if name == PASS:
        return NOTHING, (), None
    return _aimed(name, () if name == given else ("normalised",), move)


def _aimed(name: str | None, notes: tuple[str, ...], move: Mapping[str, Any]) -> ReadDisturbance:
    if name not in KIND_NAMES:
        return _pass("unknown_disturbance", shown(move.get("disturbance")))
    target, amount = plain(move.get("target", "")), plain(move.get("amount_cents", 0))
    if not isinstance(target, str):
        return _pass("bad_target", type(target).__name__)
    if not _is_index(amount):
        return _pass("bad_number", "amount_cents must be a whole number of cents")
    return Disturbance(name, target, amount), notes, None


def _names(keys: set[Any]) -> str:
    return ", ".join(sorted(shown(key) for key in keys)[:5])


def _pass(reason: str, detail: str) -> ReadDisturbance:
    return NOTHING, (), Refused(reason, detail)


def read_disturbance_text(text: object) -> ReadDisturbance:
    """Read a crisis move from a free text that should hold one JSON object."""
    found = read_object(text)
    if isinstance(found, Refused):
        return NOTHING, (), found
    decoded, notes = found
    move, more, refused = read_disturbance(decoded)
    return move, notes + more, refused


def _native_disturbance(move: Mapping[str, Any]) -> ReadDisturbance:
    kind, slot = plain(move.get("kind")), plain(move.get("slot", 0))
    if set(move) - {"kind", "slot"} or not (_is_index(kind) and _is_index(slot)):
        return _pass("unknown_disturbance", shown(kind))
    return disturbance_of(kind, slot)


def disturbance_of(kind: int, slot: int) -> ReadDisturbance:
    """The disturbance of two numbers; the number after the last kind passes."""
    if kind == len(KIND_NAMES) and slot >= 0:
        return NOTHING, (), None
    if not (0 <= kind < len(KIND_NAMES) and slot >= 0):
        return _pass("unknown_disturbance", "no such number")
    return Disturbance(KIND_NAMES[kind], slot=slot), (), None


def _is_index(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def plain(value: object, depth: int = 0) -> Any:
    """Turn NumPy scalars, one-element arrays and tuples into Python values, as deep as moves go."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.item() if value.size == 1 else value.tolist()
    if depth > MAX_DEPTH:
        return value
    if isinstance(value, Mapping):
        return {key: plain(each, depth + 1) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each, depth + 1) for each in value]
    return value


def _is_json(value: object, depth: int = 0) -> bool:
    """Whether a value comes back from JSON text as it is (NaN included: it is refused later)."""
    if depth > MAX_DEPTH:
        return False
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_json(value[key], depth + 1) for key in value)
    if isinstance(value, list):
        return all(_is_json(each, depth + 1) for each in value)
    if type(value) is int:
        return value.bit_length() <= MAX_BITS
    return value is None or type(value) in (str, bool, float)


def pack_call(call: Call) -> list[Any]:
    """A call as strict JSON. The arguments are JSON text: they may hold NaN, and 10 is not 10.0."""
    return [call.tool, json.dumps(call.args), call.slot, call.unreadable]


def unpack_call(packed: Any) -> Call:
    """The call of a packed one, to the same bits."""
    tool, args, slot, why = packed
    return Call(tool, json.loads(args), slot, why)


def unpack_disturbance(packed: Any) -> Disturbance:
    """The disturbance of a packed one."""
    return Disturbance(*packed)
