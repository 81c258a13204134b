"""What a pilot has been shown: the only thing that players of the pilot's seat decide on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from revops_ma.worlds.finops.desk import Desk, Exchange, Response
from revops_ma.worlds.finops.tools import TOOLS


@dataclass(frozen=True, slots=True)
class Seen:
    """A case with its public call log. Nothing in it is hidden from the pilot."""

    task_id: str
    ticket: str
    """The ticket as it reads now, appended texts included."""
    steps_taken: int
    max_steps: int
    log: tuple[Exchange, ...]
    """Every call of the pilot with its answer, oldest first."""

    @property
    def last_response(self) -> Response | None:
        """The newest answer, None before the first call."""
        return self.log[-1].response if self.log else None

    @property
    def steps_left(self) -> int:
        """Steps that remain."""
        return self.max_steps - self.steps_taken


def seen(desk: Desk) -> Seen:
    """The public side of a desk."""
    return Seen(desk.ticket.task_id, desk.ticket_text, desk.steps, desk.max_steps, tuple(desk.log))


def observation(desk: Desk) -> dict[str, Any]:
    """The pilot's observation as data, strict JSON, with the fields of the source."""
    return {
        "task_id": desk.ticket.task_id,
        "ticket": desk.ticket_text,
        "last_response": desk.log[-1].response if desk.log else None,
        "available_tools": [made.schema for made in TOOLS.values()],
        "steps_taken": desk.steps,
        "max_steps": desk.max_steps,
        "done": desk.ending is not None,
        "reward": desk.reward,
        "metadata": {"cumulative_reward": desk.total, "task_id": desk.ticket.task_id},
    }


_COUNT = {"type": "integer", "minimum": 0}
_PROPERTIES: dict[str, dict[str, Any]] = {
    "task_id": {"type": "string"},
    "ticket": {"type": "string", "description": "The ticket as it reads now"},
    "last_response": {
        "type": ["object", "null"],
        "description": "The newest answer of a tool, null before the first call",
    },
    "available_tools": {"type": "array", "items": {"type": "object"}},
    "steps_taken": {**_COUNT, "description": "Calls so far"},
    "max_steps": {**_COUNT, "description": "The step budget"},
    "text": {"type": "string", "description": "All this as a language model reads it"},
}
OBSERVATION_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": _PROPERTIES,
    "required": list(_PROPERTIES),
}
"""JSON schema of what servers send: `observation` without done, reward and metadata."""
