"""The case for a person at a terminal: the newest answer as a table, the manual once."""

from __future__ import annotations

from textwrap import wrap

from revops_ma.worlds.finops.answers import in_a_table, of_event
from revops_ma.worlds.finops.desk import Desk
from revops_ma.worlds.finops.toolkit import Tool
from revops_ma.worlds.finops.tools import TOOLS

INDENT = "     "
WIDTH = 79
"""Letters of a line."""


def pilot_screen(desk: Desk) -> str:
    """Ticket and manual before the first call; then what the last call brought, and what is new."""
    where = f"Step {desk.steps + 1} of {desk.max_steps}"
    if not desk.log:
        head = f"{where}, case {desk.ticket.task_id}. The ticket:"
        about = "Tools (those marked * change the database for good):"
        return "\n".join((head, "", *_wrapped(desk.ticket_text), "", about, *_manual()))
    response = desk.log[-1].response
    events = [f"! {of_event(event)}" for event in response.get("events", ())]
    lines = [f"{INDENT}{line}" for line in (*in_a_table(response), *events)]
    return "\n".join((*lines, *_news(desk), where))


def _news(desk: Desk) -> list[str]:
    """The text that was appended to the ticket since the last call."""
    events = desk.log[-1].response.get("events", ())
    grew = any(event["event"] == "ticket.updated" for event in events)
    return _wrapped(desk.appendix[-1]) if grew else []


def _manual() -> list[str]:
    return [line for made in TOOLS.values() for line in _entry(made)]


def _entry(made: Tool) -> list[str]:
    """A tool as it is typed, and the first sentence about it."""
    typed = " ".join((made.name, *(name.removesuffix("_id").upper() for name in made.parameters)))
    about = made.about.partition(".")[0]
    mark = "*" if made.mutates else " "
    return wrap(about, WIDTH, initial_indent=f" {mark}{typed:<32} ", subsequent_indent=" " * 35)


def _wrapped(text: str) -> list[str]:
    return [
        line
        for part in text.splitlines()
        for line in wrap(part, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)
    ]
