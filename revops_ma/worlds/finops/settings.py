"""The `[rules]` of a scenario card of this world."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from revops_ma.worlds.finops.desk import Rules
from revops_ma.worlds.finops.tickets import TicketData


class GeneratorSettings(BaseModel):
    """`[rules.generate]`: tickets without end, dealt from the seed."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    family: Literal["refund", "loyalty", "crosscheck"]
    size: int = Field(ge=4, le=40)
    """Records that have to be told apart: customers, active customers, cancelled users."""
    golden: int = Field(default=4, ge=2, le=12)
    """Most writes that a ticket can want; it wants two at least. Refund tickets want one."""
    distractors: int = Field(default=4, ge=1, le=30)
    """Traps: look-alikes and other duplicates, rich inactive customers, active users."""
    spare: int = Field(default=3, ge=0, le=20)
    """Steps of the budget beyond those that the reference policy takes."""
    ceiling: float = Field(default=0.7, gt=0.02, le=0.98)
    """A ticket is accepted only if every thoughtless agent scores below this."""


class Settings(BaseModel):
    """Exactly one of `task`, `generate` and `own` says where tickets come from."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    task: Literal["task1", "task2", "task3"] | None = None
    """One of the three fixed tasks: the same ticket for every seed."""
    generate: GeneratorSettings | None = None
    own: TicketData | None = None
    """A ticket of your own with its database, the same for every seed."""
    regression: Literal["score", "reachable"] = "reachable"
    """What a write must not lower: the score so far (the source's rule, which lets a wrong first
    write go unpunished), or the best score still reachable."""
    severity_budget: int = Field(default=6, ge=0, le=60)
    """Severity that the crisis side may spend in an episode; with 0 all its moves are no-ops."""
    crisis_every: int = Field(default=3, ge=1, le=200)
    """Pilot steps from one crisis turn to the next."""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        sources = [self.task, self.generate, self.own]
        if sum(source is not None for source in sources) != 1:
            raise ValueError("exactly one of task, generate and own must be given")
        return self

    @property
    def rules(self) -> Rules:
        """What a desk needs to know of them."""
        return Rules(self.regression, self.severity_budget, self.crisis_every)
