"""`revops-ma list`: what can be played, and by whom."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.table import Table as RichTable

from revops_ma import catalog
from revops_ma.cli.common import AsJson, console, print_json
from revops_ma.cli.tables import table_of


class What(StrEnum):
    """What to list."""

    AGENTS = "agents"
    SCENARIOS = "scenarios"


def list_cards(
    what: Annotated[
        What | None, typer.Argument(help="agents or scenarios; both if absent.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the agents and scenarios that can be played.

    Example: revops-ma list agents
    """
    document: dict[str, Any] = {}
    if what in (None, What.SCENARIOS):
        document["scenarios"] = [
            {"name": card.name, "world": card.world, "title": card.title, "about": card.about}
            for card in catalog.scenarios()
        ]
    if what in (None, What.AGENTS):
        document["agents"] = [
            {"name": card.name, "kind": card.kind, "seats": _seats(card.name), "about": card.about}
            for card in catalog.agents()
        ]
    if as_json:
        print_json(document)
        return
    for title, cards in document.items():
        console().print(_table(title, cards))


def _seats(name: str) -> list[str]:
    return [
        f"{world.name}/{role.name}"
        for world in map(catalog.world, catalog.worlds())
        for role in world.roles
        if name in catalog.fitting(role.name, world)
    ]


def _table(title: str, cards: list[dict[str, Any]]) -> RichTable:
    table = table_of(title=title)
    table.add_column("name", no_wrap=True)
    if title == "agents":
        table.add_column("seats")
    table.add_column("about")
    for card in cards:
        seats = [", ".join(card["seats"])] if title == "agents" else []
        table.add_row(card["name"], *seats, card["about"])
    return table


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("list")(list_cards)
