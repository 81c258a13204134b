"""The certificate: what was claimed, what was found, and what it can be reproduced from."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from revops_ma.catalog import Scenario
from revops_ma.claims import Finding

VERSIONED = ("revops-ma", "numpy", "numba", "scipy")
"""Packages that figures depend on."""


@dataclass(frozen=True, slots=True)
class Check:
    """One claim, measured."""

    name: str
    why: str
    finding: Finding
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether the figure keeps to the bound."""
        return self.finding.holds

    @property
    def explanation(self) -> str:
        """What is claimed and what was found."""
        return f"{self.why} {self.finding.told}".strip()

    def to_json(self) -> dict[str, Any]:
        """Give an entry of `checks`."""
        return {
            "name": self.name,
            "holds": self.holds,
            "figure": round(float(self.finding.figure), 6),
            "bound": str(self.finding.bound),
            "explanation": self.explanation,
            "details": [_rounded(row) for row in self.finding.details],
            "seconds": round(self.seconds, 2),
        }


@dataclass(frozen=True)
class Certificate:
    """All checks of one scenario."""

    scenario: Scenario
    checks: Sequence[Check]
    seeds: Mapping[str, Sequence[int]]
    """First and last seed by what they were for."""
    quick: bool
    seconds: float

    @property
    def holds(self) -> bool:
        """Whether every check holds."""
        return all(check.holds for check in self.checks)

    @cached_property
    def identity_hash(self) -> str:
        """16 hex digits of the scenario's identity: world, rules version, settings."""
        return hashlib.blake2b(self.scenario.identity.encode(), digest_size=8).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """Give the `audit --json` document."""
        world = self.scenario.world
        return {
            "scenario": self.scenario.name,
            "holds": self.holds,
            "quick": self.quick,
            "rules": {
                "world": world.name,
                "version": world.version,
                "settings": self.scenario.settings.model_dump(mode="json"),
                "hash": self.identity_hash,
                "source_hash": source_hash(world.name),
            },
            "versions": {
                "python": platform.python_version(),
                **{name: version(name) for name in VERSIONED},
            },
            "seeds": {what: list(ends) for what, ends in self.seeds.items()},
            "checks": [check.to_json() for check in self.checks],
            "seconds": round(self.seconds, 2),
        }


def source_hash(world: str) -> str:
    """16 hex digits of the rules as they are installed: every source file of a world's folder."""
    from revops_ma import worlds

    folder = Path(worlds.__file__).parent / world
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _rounded(row: Mapping[str, Any]) -> dict[str, Any]:
    """Figures to six decimals: more would be noise."""
    return {
        name: round(float(value), 6) if isinstance(value, float) else value
        for name, value in row.items()
    }
