"""What a visitor of the page can choose."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from revops_ma import catalog
from revops_ma.adapters.menu import Menu
from revops_ma.cards import AgentCard
from revops_ma.server.story import figure_of


def choices(menus: Iterable[Menu]) -> list[dict[str, Any]]:
    """Scenarios, seats with their moves, and agents of every world."""
    cards = {card.name: card for card in catalog.agents()}
    scenes = {card.name: card for card in catalog.scenarios()}
    return [_world(menu, cards, scenes) for menu in menus]


def _world(menu: Menu, cards: dict[str, AgentCard], scenes: dict[str, Any]) -> dict[str, Any]:
    world = menu.world
    return {
        "name": world.name,
        "step_name": world.step_name,
        "success": world.success,
        "figures": {name: figure_of(world, name) for name in world.facts_shown},
        "scenarios": [
            {"name": name, **_about(scenes.get(name)), "against": _against(menu, scenes.get(name))}
            for name in menu.scenarios
        ],
        "roles": [
            {
                "name": role.name,
                "schema": role.schema,
                "agents": [_agent(cards[name]) for name in menu.agents[role.name]],
            }
            for role in world.roles
        ],
    }


def _about(card: Any) -> dict[str, str]:
    return {"title": card.title, "about": card.about} if card else {"title": "", "about": ""}


def _against(menu: Menu, card: Any) -> str:
    second = menu.world.roles[1].name
    return menu.opponents.get(second) or (card.against if card else "none")


def _agent(card: AgentCard) -> dict[str, str]:
    return {"name": card.name, "about": card.about, "kind": card.kind}
