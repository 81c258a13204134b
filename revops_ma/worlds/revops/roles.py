"""The two seats of the company world and the ways to speak for them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from revops_ma.game import Refused, Reply, Role
from revops_ma.worlds.revops import moves
from revops_ma.worlds.revops.actions import ACTIONS, MAGNITUDE_MAX, MAGNITUDE_MIN, NO_DECISION
from revops_ma.worlds.revops.crises import CRISES, MAX_SEVERITY, PASS, RULE_BASED
from revops_ma.worlds.revops.kernel import CRISIS_MOVE, PILOT_MOVE
from revops_ma.worlds.revops.narration import batch_of, packed
from revops_ma.worlds.revops.observation import CRISIS_HIGH, PILOT_HIGH
from revops_ma.worlds.revops.spelling import spell_action, spell_crisis

MAGNITUDE_LEVELS = tuple(level / 10 for level in range(1, 11))
"""Magnitudes of the pilot's training space."""
SEVERITY_LEVELS = (0.0, 0.5, 1.0, 1.25, 1.5)
"""Severities of the crisis engine's training space; 0 passes."""

_MAGNITUDES, _SEVERITIES = np.array(MAGNITUDE_LEVELS), np.array(SEVERITY_LEVELS)


class _RecordRole(Role):
    """What both seats share: moves are NumPy records."""

    record: np.dtype[Any]
    high: tuple[float, ...]
    fallback: tuple[Any, ...]
    read: Callable[[object], moves.Read]
    fields: tuple[str, str]
    """Names of kind and strength in a JSON move."""
    typed_defaults: ClassVar[dict[str, Any]] = {}
    """What a person need not type."""

    @cached_property
    def observation_space(self) -> spaces.Box:
        high = np.nextafter(np.array(self.high, np.float32), np.float32(np.inf))
        return spaces.Box(np.zeros_like(high), high, dtype=np.float32)

    @abstractmethod
    def _of_levels(self, kinds: NDArray[np.integer], levels: NDArray[np.integer]) -> Any:
        """Moves of points of the training space that exist."""

    def discrete(self, actions: NDArray[np.integer]) -> Reply:
        sizes = self.training_space.nvec
        fits = ((actions >= 0) & (actions < sizes)).all(axis=1)
        if fits.all():
            return Reply(self._of_levels(actions[:, 0], actions[:, 1]))
        batch = np.full(len(actions), np.array(self.fallback, self.record))
        batch[fits] = self._of_levels(actions[fits, 0], actions[fits, 1])
        refused = Refused("out_of_range", f"each number from 0 to below {sizes.tolist()}")
        return Reply(batch, dict.fromkeys(np.flatnonzero(~fits).tolist(), refused))

    def objects(self, objects: Sequence[object]) -> Reply:
        return self._collect(self.read, objects)

    def texts(self, texts: Sequence[str]) -> Reply:
        read = partial(moves.read_text, read=self.read, fallback=self.fallback)
        return self._collect(read, texts)

    def typed(self, line: str) -> Reply:
        if line.startswith("{"):
            return self.texts([line])
        kind, _, strength = line.partition(" ")
        fields = dict(zip(self.fields, (self._kind_named(kind), strength.strip()), strict=True))
        if not strength.strip():
            fields.pop(self.fields[1])
        return self.objects([{**self.typed_defaults, **fields}])

    @property
    def typing_hint(self) -> str:
        names = "  ".join(f"{i} {name}" for i, name in enumerate(self.kinds()))
        return f"{names}\nType a number or a name and a {self.fields[1]}, e.g. `0 0.8`; q leaves."

    def _kind_named(self, typed: str) -> str:
        """Expand the number of a kind, or the beginning of a name that fits only one."""
        kinds = self.kinds()
        if typed.isdecimal() and len(typed) < 3 and int(typed) < len(kinds):
            return kinds[int(typed)]
        fitting = [name for name in kinds if name.casefold().startswith(typed.casefold())]
        return fitting[0] if len(fitting) == 1 else typed

    def _collect(self, read: Callable[[Any], moves.Read], given: Iterable[object]) -> Reply:
        found: list[tuple[Any, ...]] = []
        refused: dict[int, Refused] = {}
        notes: dict[int, tuple[str, ...]] = {}
        for position, one in enumerate(given):
            move, codes, refusal = read(one)
            found.append(move)
            if refusal is not None:
                refused[position] = refusal
            if codes:
                notes[position] = codes
        return Reply(batch_of(found, self.record), refused, notes)

    def pack(self, batch: Any) -> list[Any]:
        return packed(batch)

    def unpack(self, packed: Sequence[Any]) -> Any:
        return batch_of([tuple(move) for move in packed], self.record)


class Pilot(_RecordRole):
    """Steers the company: one of ten actions with a magnitude, every month."""

    name = "pilot"
    record = PILOT_MOVE
    high = PILOT_HIGH
    fallback = moves.NO_ACTION
    fields = ("action_type", "magnitude")
    read = staticmethod(moves.read_action)
    malformed = frozenset({"not_an_object", "extra_key", "missing_action"})

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

    def _of_levels(self, kinds: NDArray[np.integer], levels: NDArray[np.integer]) -> Any:
        batch = np.zeros(len(kinds), self.record)
        batch["action"] = kinds
        batch["magnitude"] = _MAGNITUDES[levels]
        return batch

    def kinds(self) -> Sequence[str]:
        return ACTIONS

    def kind_of(self, batch: Any) -> NDArray[np.int64]:
        action = batch["action"]
        return np.where(action < len(ACTIONS), action, NO_DECISION)

    def strength_of(self, batch: Any) -> NDArray[np.float64]:
        return batch["magnitude"]

    def caption(self, batch: Any, position: int) -> str:
        action, magnitude = batch[position].item()
        known = 0 <= action < len(ACTIONS)
        return f"{ACTIONS[action]} {magnitude:.2f}" if known else "no decision"

    def spell(self, batch: Any, position: int) -> str:
        return spell_action(*batch[position].item())


class CrisisEngine(_RecordRole):
    """Strikes the company every third month: one of eight crises with a severity, or a pass."""

    name = "crisis"
    record = CRISIS_MOVE
    high = CRISIS_HIGH
    fallback = moves.RULE_BASED_CRISIS
    fields = ("crisis_type", "severity")
    typed_defaults: ClassVar[dict[str, Any]] = {"severity": 1.0}
    read = staticmethod(moves.read_crisis)
    malformed = frozenset({"not_an_object", "extra_key", "missing_crisis"})

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

    def _of_levels(self, kinds: NDArray[np.integer], levels: NDArray[np.integer]) -> Any:
        batch = np.zeros(len(kinds), self.record)
        batch["crisis"] = kinds
        batch["r1"] = batch["r2"] = _SEVERITIES[levels]
        return batch

    def menu(self) -> Any:
        batch = np.zeros(len(CRISES) + 1, self.record)
        batch["crisis"] = np.arange(PASS, len(CRISES))
        batch["r1"][1:] = batch["r2"][1:] = 1.0
        return batch

    def kinds(self) -> Sequence[str]:
        return CRISES

    def kind_of(self, batch: Any) -> NDArray[np.int64]:
        crisis = batch["crisis"]
        strikes = (self.strength_of(batch) > 0) & (crisis < len(CRISES))
        return np.where(strikes, crisis, PASS)

    def strength_of(self, batch: Any) -> NDArray[np.float64]:
        return np.fmax(batch["r1"], batch["r2"])

    def caption(self, batch: Any, position: int) -> str:
        crisis, r1, r2 = batch[position].item()[:3]
        if crisis == RULE_BASED:
            return "rule-based 1.00"
        strength = max(r1, r2)
        strikes = 0 <= crisis < len(CRISES) and strength > 0
        return f"{CRISES[crisis]} {strength:.2f}" if strikes else "pass"

    def spell(self, batch: Any, position: int) -> str:
        return spell_crisis(*batch[position].item())


ROLES = (Pilot(), CrisisEngine())
