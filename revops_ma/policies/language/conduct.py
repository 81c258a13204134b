"""How a run deals with calls: what is kept, what is played again, and what they may cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from revops_ma.calls import Tally
from revops_ma.policies.language.spending import NO_LIMITS, Limits


@dataclass(frozen=True)
class Conduct:
    """The same for all agents of a run; no part of who they are."""

    keep: bool = False
    """Whether questions and answers are kept with the episodes, not only their figures."""
    source: Path | None = None
    """Recorded run whose answers are played again; then nobody is asked."""
    journal: Path | None = None
    """File to which every answer is added as it comes, and from which answers are taken that an
    interrupted command got already."""
    strict: bool = False
    """Whether a failed provider ends the run instead of a rule moving in its place."""
    limits: Limits = NO_LIMITS
    spent: Tally = field(default_factory=Tally)
    """What earlier commands spent on the run."""
    run: str = ""
    """Tells runs apart in one process; empty where an agent plays outside of one."""


ALONE = Conduct()
"""Of an agent that plays in an environment, at a terminal, in a test."""
