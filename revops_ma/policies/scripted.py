"""Scripted agents: a card names a function `(view, **params) -> batch | Reply`.

A function that has a parameter `opponent` or `scenario` is handed the agent of the other seat or
the scenario of the matchup; all other parameters are keyword-only and come from the card.
"""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from pydantic import ConfigDict, ValidationError, create_model

from revops_ma.cards import ScriptedCard
from revops_ma.errors import BadInput, CardError
from revops_ma.game import Agent, Reply, View, World

_FROM_MATCHUP = ("opponent", "scenario")
_PARAMS = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


@dataclass(frozen=True)
class ScriptedAgent:
    """A bot function with its parameters."""

    card: ScriptedCard
    role: str
    world_name: str
    params: Mapping[str, Any]
    matchup: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name of the card."""
        return self.card.name

    @property
    def identity(self) -> str:
        """Name and content hash of the card."""
        return f"{self.card.name}@{self.card.digest}"

    @property
    def is_slow(self) -> bool:
        """Whether its function is marked as slow; see `revops_ma.game.slow`."""
        return getattr(find_bot(self.card, self.role, self.world_name), "is_slow", False)

    def act(self, view: View) -> Reply:
        """Call the function for all rows of the view."""
        bot = find_bot(self.card, self.role, self.world_name)
        missing = [name for name in _wanted(bot) if name not in self.matchup]
        if missing:
            raise BadInput(
                f"{self.name} needs to know its {missing[0]}: play it in a match or tournament,"
                " or name both players when you make the environment"
            )
        if self.card.sees == "dashboard":
            view.dashboard_only()
        answer = bot(view, **self.params, **self.matchup)
        reply = answer if isinstance(answer, Reply) else Reply(answer)
        if not _fits(reply.batch, view):
            got = f"{type(answer).__name__} {answer!r}"[:80]
            raise BadInput.of(
                f"{self.name}: what {self.card.bot} returned",
                got,
                f"a Reply or a batch of {len(view)} moves, as view.role.discrete(...) makes them",
            )
        return reply

    def seated(self, scenario: Any, players: Mapping[str, Agent]) -> Agent:
        """Bind what the function wants to know of the matchup."""
        bot = find_bot(self.card, self.role, self.world_name)
        others = [agent for role, agent in players.items() if role != self.role]
        known = {"scenario": scenario, "opponent": others[0] if others else None}
        wanted = {name: known[name] for name in _wanted(bot) if known[name] is not None}
        return replace(self, matchup=wanted) if wanted else self


def make(card: ScriptedCard, role: str, world: World) -> ScriptedAgent:
    """Find the function of a card and check its parameters."""
    bot = find_bot(card, role, world.name)
    return ScriptedAgent(card, role, world.name, _check_params(card, bot))


def can_sit(card: ScriptedCard, role: str, world: World) -> bool:
    """Whether the card can take a role of a world."""
    if card.world not in (None, world.name) or card.role not in (None, role):
        return False
    if ":" in card.bot:
        return card.world is not None and card.role is not None
    return _lookup(card.bot, role, world.name) is not None


def find_bot(card: ScriptedCard, role: str, world_name: str) -> Callable[..., Any]:
    """Import the function that a card names; CardError if there is none."""
    if ":" in card.bot:
        module, _, function = card.bot.partition(":")
        if card.world is None or card.role is None:
            raise CardError(f"agent {card.name}: bot {card.bot!r} needs `world` and `role` too")
        try:
            found: Callable[..., Any] = getattr(importlib.import_module(module), function)
        except Exception as error:  # whatever somebody's module may raise
            raise CardError(
                f"agent {card.name}: cannot import {card.bot!r}: {type(error).__name__}: {error}"
            ) from error
        if not callable(found):
            raise CardError.of(
                f"agent {card.name}, bot {card.bot!r}", found, "a function (view, **params)"
            )
        return found
    bot = _lookup(card.bot, role, world_name)
    if bot is None:
        function = _function_name(card.bot, role)
        raise CardError(
            f"agent {card.name} cannot be the {role} of {world_name}:"
            f" there is no function {function} in revops_ma.worlds.{world_name}.bots"
        )
    return bot


@cache
def _lookup(bot: str, role: str, world_name: str) -> Callable[..., Any] | None:
    bots = importlib.import_module(f"revops_ma.worlds.{world_name}.bots")
    return getattr(bots, _function_name(bot, role), None)


def _function_name(bot: str, role: str) -> str:
    return f"{role}_{bot.replace('-', '_')}"


@cache
def _wanted(bot: Callable[..., Any]) -> list[str]:
    return [name for name in inspect.signature(bot).parameters if name in _FROM_MATCHUP]


def _fits(batch: Any, view: View) -> bool:
    """Whether there is one move for every row."""
    return hasattr(batch, "__len__") and len(batch) == len(view)


def _check_params(card: ScriptedCard, bot: Callable[..., Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, parameter in _parameters(card, bot)[1:]:
        if name not in _FROM_MATCHUP:
            if parameter.annotation is parameter.empty:
                raise CardError(
                    f"agent {card.name}: parameter {name!r} of {card.bot} has no type; give it one,"
                    f" as in `{name}: float`, so that cards can be checked"
                )
            default = ... if parameter.default is parameter.empty else parameter.default
            fields[name] = (parameter.annotation, default)
    model = create_model("Params", __config__=_PARAMS, **fields)
    try:
        # By way of JSON: there a list may be a tuple's value while "12" still is no number.
        checked = model.model_validate_json(json.dumps(card.params))
    except ValidationError as error:
        issue = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in issue["loc"])
        raise CardError(
            f"agent {card.name}, [params] {name}: {issue['msg']}; allowed: {', '.join(fields)}"
        ) from None
    return {name: getattr(checked, name) for name in fields}


def _parameters(card: ScriptedCard, bot: Callable[..., Any]) -> list[tuple[str, inspect.Parameter]]:
    try:
        found = inspect.signature(bot, eval_str=True).parameters
    except (NameError, TypeError, ValueError) as error:
        raise CardError(
            f"agent {card.name}: the parameters of {card.bot} cannot be read: {error}"
        ) from None
    return list(found.items())
