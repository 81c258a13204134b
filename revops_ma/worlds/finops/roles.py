"""The two seats of the support desk and the ways to speak for them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cached_property
from string import printable
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from revops_ma.game import Floats, Refused, Reply, Role
from revops_ma.worlds.finops import moves
from revops_ma.worlds.finops.calls import NOTHING, PASS
from revops_ma.worlds.finops.disturbances import KIND_NAMES, KINDS, MAX_AMOUNT
from revops_ma.worlds.finops.observation import CRISIS_FIELDS, PILOT_FIELDS, Field
from revops_ma.worlds.finops.slots import SLOTS
from revops_ma.worlds.finops.tools import TOOL_NAMES, TOOLS
from revops_ma.worlds.finops.typed import call_typed, disturbance_typed

MAX_ARGS = 512
"""Characters of the arguments in the native space."""


class _ListRole(Role):
    """What both seats share: a batch is a list of immutable tuples.

    `objects` takes a text for the object that it holds: environments hand over either.
    """

    fields: tuple[Field, ...]

    @cached_property
    def observation_space(self) -> spaces.Box:
        high = np.array([field.high for field in self.fields], np.float32)
        return spaces.Box(np.zeros_like(high), high, dtype=np.float32)


def _collect(answers: Iterable[tuple[Any, tuple[str, ...], Refused | None]]) -> Reply:
    found: list[Any] = []
    refused: dict[int, Refused] = {}
    notes: dict[int, tuple[str, ...]] = {}
    for position, (move, codes, refusal) in enumerate(answers):
        found.append(move)
        if refusal is not None:
            refused[position] = refusal
        if codes:
            notes[position] = codes
    return Reply(found, refused, notes)


class Pilot(_ListRole):
    """Works the ticket: one tool call a step."""

    name = "pilot"
    fields = PILOT_FIELDS
    malformed = frozenset({"not_an_object", "missing_tool", "extra_key", "not_json"})

    @cached_property
    def space(self) -> spaces.Dict:
        args = spaces.Text(MAX_ARGS, charset=printable)
        return spaces.Dict({"tool": spaces.Discrete(len(TOOL_NAMES)), "args": args})

    @cached_property
    def training_space(self) -> spaces.MultiDiscrete:
        """A tool and the number of its argument among those shown so far; see `slots`."""
        return spaces.MultiDiscrete([len(TOOL_NAMES), SLOTS])

    @property
    def schema(self) -> dict[str, Any]:
        calls = [
            {
                "type": "object",
                "description": made.about,
                "properties": {
                    "tool": {"const": made.name},
                    "args": made.schema["parameters"],
                },
                "required": ["tool", "args"],
                "additionalProperties": False,
            }
            for made in TOOLS.values()
        ]
        return {"anyOf": calls}

    def discrete(self, actions: NDArray[np.integer]) -> Reply:
        return _collect(moves.call_of(*pair) for pair in actions.tolist())

    def objects(self, objects: Sequence[object]) -> Reply:
        return _collect(
            moves.read_call_text(move) if isinstance(move, str) else moves.read_call(move)
            for move in objects
        )

    def texts(self, texts: Sequence[str]) -> Reply:
        return _collect(moves.read_call_text(text) for text in texts)

    def typed(self, line: str) -> Reply:
        if line.lstrip().startswith("{"):
            return self.texts([line])
        move = call_typed(line)
        if isinstance(move, Refused):
            return Reply([moves.unreadable(move.reason)], {0: move})
        return self.objects([move])

    @property
    def typing_hint(self) -> str:
        return "Type a tool and its arguments: get_customer cus_001. ? shows all again, q leaves."

    def pack(self, batch: Any) -> list[Any]:
        return [moves.pack_call(call) for call in batch]

    def unpack(self, packed: Sequence[Any]) -> Any:
        return [moves.unpack_call(call) for call in packed]

    def caption(self, batch: Any, position: int) -> str:
        call = batch[position]
        if call.unreadable:
            return f"no call ({call.unreadable})"
        if call.tool not in TOOLS:
            return f"unknown tool {call.tool[:40]!r}"
        if call.slot is not None:
            return f"{call.tool}(#{call.slot})"
        named = isinstance(call.args, dict) and set(call.args) <= set(TOOLS[call.tool].parameters)
        if not named:
            return f"{call.tool}({call.args!r})"[:120]
        shown = ", ".join(f"{key}={value!r}" for key, value in call.args.items())
        return f"{call.tool}({shown})"[:120]

    def spell(self, batch: Any, position: int) -> str:
        call = batch[position]
        if call.unreadable or call.slot is not None:
            return self.caption(batch, position)
        return json.dumps({"tool": call.tool, "args": call.args})

    def kinds(self) -> Sequence[str]:
        return TOOL_NAMES

    def kind_of(self, batch: Any) -> NDArray[np.int64]:
        return np.array(
            [TOOL_NAMES.index(call.tool) if call.tool in TOOLS else -1 for call in batch], np.int64
        )

    def strength_of(self, batch: Any) -> Floats:
        """1 for a call that mutates, 0 for any other."""
        writes = [call.tool in TOOLS and TOOLS[call.tool].mutates for call in batch]
        return np.array(writes, np.float64)


class CrisisSide(_ListRole):
    """Disturbs the desk every third step: one of eight disturbances with a target, or a pass."""

    name = "crisis"
    fields = CRISIS_FIELDS
    malformed = frozenset({"not_an_object", "extra_key"})

    @cached_property
    def space(self) -> spaces.Dict:
        """A kind, the last number passes; and a target by its number, wrapped around."""
        kind = spaces.Discrete(len(KIND_NAMES) + 1)
        return spaces.Dict({"kind": kind, "slot": spaces.Discrete(SLOTS)})

    @cached_property
    def training_space(self) -> spaces.MultiDiscrete:
        return spaces.MultiDiscrete([len(KIND_NAMES) + 1, SLOTS])

    @property
    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {
                "disturbance": {"type": "string", "enum": [*KIND_NAMES, PASS]},
                "target": {"type": "string", "description": "tool name or id; luck picks if left"},
                "amount_cents": {"type": "integer", "minimum": 1, "maximum": MAX_AMOUNT},
                "description": {"type": "string", "maxLength": 200},
            },
            "required": ["disturbance"],
            "additionalProperties": False,
        }

    def discrete(self, actions: NDArray[np.integer]) -> Reply:
        return _collect(moves.disturbance_of(*pair) for pair in actions.tolist())

    def objects(self, objects: Sequence[object]) -> Reply:
        return _collect(
            moves.read_disturbance_text(move)
            if isinstance(move, str)
            else moves.read_disturbance(move)
            for move in objects
        )

    def texts(self, texts: Sequence[str]) -> Reply:
        return _collect(moves.read_disturbance_text(text) for text in texts)

    def typed(self, line: str) -> Reply:
        if line.lstrip().startswith("{"):
            return self.texts([line])
        move = disturbance_typed(line)
        if isinstance(move, Refused):
            return Reply([NOTHING], {0: move})
        return self.objects([move])

    @property
    def typing_hint(self) -> str:
        return "Type one with a target or without: outage get_invoice, late_invoice cus_001 50.01."

    def pack(self, batch: Any) -> list[Any]:
        return [list(move) for move in batch]

    def unpack(self, packed: Sequence[Any]) -> Any:
        return [moves.unpack_disturbance(move) for move in packed]

    def caption(self, batch: Any, position: int) -> str:
        move = batch[position]
        if move.kind == PASS:
            return PASS
        amount = f" ${move.amount_cents / 100:,.2f}" if move.amount_cents else ""
        return f"{move.kind} {move.target}".strip() + amount

    def spell(self, batch: Any, position: int) -> str:
        move = batch[position]
        more = {"target": move.target, "amount_cents": move.amount_cents}
        given = {name: value for name, value in more.items() if value}
        return json.dumps({"disturbance": move.kind, **given})

    def kinds(self) -> Sequence[str]:
        return KIND_NAMES

    def kind_of(self, batch: Any) -> NDArray[np.int64]:
        return np.array(
            [KIND_NAMES.index(move.kind) if move.kind in KINDS else -1 for move in batch], np.int64
        )

    def strength_of(self, batch: Any) -> Floats:
        """The severity of each kind, 0 for a pass."""
        severities = [KINDS[move.kind].severity if move.kind in KINDS else 0 for move in batch]
        return np.array(severities, np.float64)


ROLES = (Pilot(), CrisisSide())
