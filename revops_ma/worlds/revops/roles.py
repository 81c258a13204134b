"""The two seats of the company world and the ways to speak for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from revops_ma.game import Refused, Reply, Role
from revops_ma.worlds.revops import moves
from revops_ma.worlds.revops.actions import ACTIONS, MAGNITUDE_MAX, MAGNITUDE_MIN, NO_DECISION
from revops_ma.worlds.revops.crises import CRISES, MAX_SEVERITY, PASS
from revops_ma.worlds.revops.kernel import CRISIS_MOVE, PILOT_MOVE
from revops_ma.worlds.revops.observation import CRISIS_HIGH, PILOT_HIGH

MAGNITUDE_LEVELS = tuple(level / 10 for level in range(1, 11))
"""Magnitudes of the pilot's training space."""
SEVERITY_LEVELS = (0.0, 0.5, 1.0, 1.25, 1.5)
"""Severities of the crisis engine's training space; 0 passes."""


class _RecordRole(Role):
    """What both seats share: moves are NumPy records."""

    record: np.dtype[Any]
    high: tuple[float, ...]
    fallback: tuple[Any, ...]
    read: Callable[[object], moves.Read]

    @cached_property
    def observation_space(self) -> spaces.Box:
        high = np.nextafter(np.array(self.high, np.float32), np.float32(np.inf))
        return spaces.Box(np.zeros_like(high), high, dtype=np.float32)

    def objects(self, objects: Sequence[object]) -> Reply:
        return self._collect(type(self).read(move) for move in objects)

    def texts(self, texts: Sequence[str]) -> Reply:
        read = type(self).read
        return self._collect(moves.read_text(text, read, self.fallback) for text in texts)

    def _collect(self, answers: Iterable[moves.Read]) -> Reply:
        found: list[tuple[Any, ...]] = []
        refused: dict[int, Refused] = {}
        notes: dict[int, tuple[str, ...]] = {}
        for position, (move, codes, refusal) in enumerate(answers):
            found.append(move)
            if refusal is not None:
                refused[position] = refusal
            if codes:
                notes[position] = codes
        return Reply(np.array(found, self.record), refused, notes)

    def pack(self, batch: Any) -> list[Any]:
        return batch.tolist()

    def unpack(self, packed: Sequence[Any]) -> Any:
        return np.array([tuple(move) for move in packed], self.record)


class Pilot(_RecordRole):
    """Steers the company: one of ten actions with a magnitude, every month."""

    name = "pilot"
    record = PILOT_MOVE
    high = PILOT_HIGH
    fallback = moves.NO_ACTION
    read = staticmethod(moves.read_action)

    @cached_property
    def space(self) -> spaces.Dict:
        magnitude = spaces.Box(MAGNITUDE_MIN, MAGNITUDE_MAX, (), np.float32)
        return spaces.Dict({"kind": spaces.Discrete(len(ACTIONS)), "magnitude": magnitude})

    @cached_property
    def training_space(self) -> spaces.MultiDiscrete:
        return spaces.MultiDiscrete([len(ACTIONS), len(MAGNITUDE_LEVELS)])

    @property
    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {
                "action_type": {"type": "string", "enum": list(ACTIONS)},
                "magnitude": {
                    "type": "number",
                    "minimum": MAGNITUDE_MIN,
                    "maximum": MAGNITUDE_MAX,
                },
            },
            "required": ["action_type", "magnitude"],
            "additionalProperties": False,
        }

    def discrete(self, actions: NDArray[np.integer]) -> Reply:
        batch = np.zeros(len(actions), self.record)
        batch["action"] = actions[:, 0]
        batch["magnitude"] = np.take(MAGNITUDE_LEVELS, actions[:, 1])
        return Reply(batch)

    def kinds(self) -> Sequence[str]:
        return ACTIONS

    def kind_of(self, batch: Any) -> NDArray[np.int64]:
        return batch["action"]

    def strength_of(self, batch: Any) -> NDArray[np.float64]:
        return batch["magnitude"]

    def caption(self, batch: Any, position: int) -> str:
        action, magnitude = batch[position].item()
        return "no decision" if action == NO_DECISION else f"{ACTIONS[action]} {magnitude:.2f}"


class CrisisEngine(_RecordRole):
    """Strikes the company every third month: one of eight crises with a severity, or a pass."""

    name = "crisis"
    record = CRISIS_MOVE
    high = CRISIS_HIGH
    fallback = moves.RULE_BASED_CRISIS
    read = staticmethod(moves.read_crisis)

    @cached_property
    def space(self) -> spaces.Dict:
        severity = spaces.Box(0.0, MAX_SEVERITY, (), np.float32)
        return spaces.Dict({"kind": spaces.Discrete(len(CRISES)), "severity": severity})

    @cached_property
    def training_space(self) -> spaces.MultiDiscrete:
        return spaces.MultiDiscrete([len(CRISES), len(SEVERITY_LEVELS)])

    @property
    def schema(self) -> dict[str, Any]:
        number = {"type": "number"}
        return {
            "type": "object",
            "properties": {
                "crisis_type": {"type": "string", "enum": [*CRISES, moves.PASS_NAME]},
                "severity": {"type": "number", "minimum": 0.0, "maximum": MAX_SEVERITY},
                "description": {"type": "string", "maxLength": 200},
                **dict.fromkeys(moves.DELTA_FIELDS, number),
            },
            "required": ["crisis_type"],
            "additionalProperties": False,
        }

    def discrete(self, actions: NDArray[np.integer]) -> Reply:
        batch = np.zeros(len(actions), self.record)
        batch["crisis"] = actions[:, 0]
        batch["r1"] = batch["r2"] = np.take(SEVERITY_LEVELS, actions[:, 1])
        return Reply(batch)

    def kinds(self) -> Sequence[str]:
        return CRISES

    def kind_of(self, batch: Any) -> NDArray[np.int64]:
        return np.where(self.strength_of(batch) > 0, batch["crisis"], PASS)

    def strength_of(self, batch: Any) -> NDArray[np.float64]:
        return np.maximum(batch["r1"], batch["r2"])

    def caption(self, batch: Any, position: int) -> str:
        crisis, r1, r2, _ = batch[position].item()
        if crisis == PASS or max(r1, r2) <= 0:
            return "pass"
        return f"{CRISES[crisis] if crisis >= 0 else 'rule-based'} {max(r1, r2):.2f}"


ROLES = (Pilot(), CrisisEngine())
