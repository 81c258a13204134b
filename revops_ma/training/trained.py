"""What training gives: weights, figures, and the card that puts them into the catalog."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from revops_ma.cards import Decoding, Provenance
from revops_ma.policies.network import Network
from revops_ma.policies.numeric import NumericAgent
from revops_ma.run import write_atomically
from revops_ma.training.evaluation import Score
from revops_ma.training.sampling import as_agent


@dataclass(frozen=True, eq=False)
class Trained:
    """The outcome of a training run, which may be warm-started from or played at once."""

    role: str
    scenario: str
    world: str
    against: Mapping[str, float]
    """Share of the games by the identity of the opponent."""
    seed: int
    network: Network
    iterations: int
    months: int
    """Scored steps of all training games."""
    seconds: float
    """Of sampling and learning, evaluation left out."""
    history: Sequence[Mapping[str, Any]] = field(repr=False)
    """Figures of every iteration, in order."""
    command: str = ""
    """The command that trains such an agent again."""
    title: str = ""
    """What it is, where that is more than a trained agent of its role."""

    @property
    def months_per_second(self) -> float:
        """Training end to end: sampling, learning, handing over the weights."""
        return self.months / max(self.seconds, 1e-9)

    @property
    def validation(self) -> float | None:
        """The first role's mean return at the last evaluation on validation seeds."""
        found = [line["validation_return"] for line in self.history if "validation_return" in line]
        return found[-1] if found else None

    def agent(self, name: str = "trained") -> NumericAgent:
        """The weights as an agent that plays in this process and in others."""
        return as_agent(self.network, self.role, self.world, name)

    def save(
        self,
        folder: Path,
        name: str,
        scores: Sequence[Score] = (),
        decoding: Decoding = "sample",
    ) -> Path:
        """Write `<name>.npz` and `<name>.toml` to a folder; give the path of the card.

        `scores` are the figures on held-out seeds that the card tells.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.network.save(folder / f"{name}.npz")
        card = folder / f"{name}.toml"
        write_atomically(card, self._card(name, scores, decoding))
        return card

    def _card(self, name: str, scores: Sequence[Score], decoding: Decoding) -> str:
        """The card's TOML. A JSON string or number is one of TOML's, too."""
        told = Provenance(
            command=self.command,
            against=dict(self.against),
            scenario=self.scenario,
            seed=self.seed,
            months=self.months,
            seconds=round(self.seconds, 1),
            figures=_figures(scores),
        ).model_dump()
        tables = {key: told.pop(key) for key in ("against", "figures")}
        lines = [
            *_lines({"kind": "numeric", "world": self.world, "role": self.role}),
            *_lines({"weights": f"{name}.npz", "decoding": decoding, "about": self._about()}),
            *("", "[trained]", *_lines(told)),
        ]
        for title, table in tables.items():
            lines += ["", f"[trained.{title}]", *_lines(table)]
        return "\n".join(lines) + "\n"

    def _about(self) -> str:
        names = ", ".join(identity.split("@")[0] for identity in self.against)
        met = names if len(names) < 200 else f"{len(self.against)} opponents"
        return (
            f"{self.title or f'Trained {self.role}'}: PPO against {met} on {self.scenario},"
            f" seed {self.seed}, {self.months:,} months. Sees what its role observes."
        )


def _figures(scores: Sequence[Score]) -> dict[str, float]:
    figures = {}
    for score in scores:
        survival, paid = score.survival.mean, score.episode_return.mean
        if survival is not None and paid is not None:
            figures[f"survival vs {score.opponent}"] = round(survival, 4)
            figures[f"return vs {score.opponent}"] = round(paid, 3)
    return figures


def _lines(values: Mapping[str, Any]) -> list[str]:
    return [f"{_key(name)} = {json.dumps(value)}" for name, value in values.items()]


def _key(name: str) -> str:
    return name if name.isidentifier() else json.dumps(name)
