"""The company world over the wire, by the names of its source."""

from __future__ import annotations

from typing import ClassVar

from openenv.core.env_server.types import Action, Observation
from pydantic import ConfigDict, Field

from revops_ma.client.game import GameClient, ToolSeat
from revops_ma.worlds.revops.actions import DEFAULT_MAGNITUDE


class RevOpsAction(Action):
    """One of ten actions with a magnitude; what is neither costs the month."""

    action_type: str
    magnitude: float = Field(default=DEFAULT_MAGNITUDE)


class RevOpsObservation(Observation):
    """The dashboard after a month; `metadata["reward_breakdown"]` has the parts of the reward."""

    model_config = ConfigDict(extra="allow")

    month: int
    max_steps: int
    mrr: float
    cac: float
    ltv: float
    churn: float
    runway: float
    marketing: float
    support: float
    ltv_cac_ratio: float
    active_crisis: str | None
    reward_last_step: float
    survived: bool
    ending: str | None
    text: str

    def to_prompt_text(self) -> str:
        """The dashboard as a language model reads it."""
        return self.text


class RevOpsClient(GameClient[RevOpsAction, RevOpsObservation]):
    """A company on a server."""

    observes = RevOpsObservation
    scenarios: ClassVar[tuple[str, ...]] = ("revops/normal",)


class RevOpsTools(ToolSeat):
    """A company for TRL: `environment_factory=partial(RevOpsTools, "http://localhost:8000")`."""

    _client = RevOpsClient

    def act(self, action_type: str, magnitude: float = DEFAULT_MAGNITUDE) -> str:
        """Steer the company for one month.

        Args:
            action_type: Name of one of the ten actions on the dashboard.
            magnitude: How hard, from 0.1 to 1.0.

        Returns:
            The dashboard of the next month.
        """
        return self._play({"action_type": action_type, "magnitude": magnitude})
