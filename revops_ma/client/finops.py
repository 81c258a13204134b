"""The support desk over the wire."""

from __future__ import annotations

from typing import Any, ClassVar

from openenv.core.env_server.types import Action, Observation
from pydantic import ConfigDict, Field

from revops_ma.client.game import GameClient, ToolSeat


class FinOpsAction(Action):
    """One tool call; see `available_tools` of the observation."""

    tool: str
    args: dict[str, Any] = Field(default_factory=dict)


class FinOpsObservation(Observation):
    """The ticket, the newest answer and what can be called."""

    model_config = ConfigDict(extra="allow")

    task_id: str
    ticket: str
    last_response: dict[str, Any] | None
    available_tools: list[dict[str, Any]]
    steps_taken: int
    max_steps: int
    text: str

    def to_prompt_text(self) -> str:
        """All this as a language model reads it."""
        return self.text


class FinOpsClient(GameClient[FinOpsAction, FinOpsObservation]):
    """A support desk on a server."""

    observes = FinOpsObservation
    mount: ClassVar[str] = "/finops"
    scenarios: ClassVar[tuple[str, ...]] = ("finops/task1", "finops/task2", "finops/task3")


class FinOpsTools(ToolSeat):
    """A support desk for TRL: `environment_factory=partial(FinOpsTools, "http://localhost:8000")`."""

    _client = FinOpsClient

    def call_tool(self, tool: str, args: dict[str, Any]) -> str:
        """Call one of the desk's tools.

        Args:
            tool: Name of the tool.
            args: Its arguments by name; empty for submit.

        Returns:
            What the tool answered, with the ticket and the log so far.
        """
        return self._play({"tool": tool, "args": args})
