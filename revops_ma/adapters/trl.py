"""A seat as an environment of TRL: every kind of move is a tool that a model can call.

    from trl import GRPOTrainer
    trainer = GRPOTrainer(model, environment_factory=environment_factory("finops/task1"), ...)

Needs a model whose chat template knows tools. Rows of the data set carry a `seed`: the copies of a
row are a group with the same deal and luck. For models that answer in text, and for episodes of
thirty turns, `revops_ma.training.pilot_grpo` is the better way: here an episode is one long row.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from revops_ma.adapters.seat import Opponents, Seat, find_scenario
from revops_ma.catalog import Scenario
from revops_ma.errors import BadInput
from revops_ma.game import Role
from revops_ma.luck import check_seed

OVER = "The episode is over."
MOVE = "move"
"""Name of the tool where all moves have one form."""
_TYPES: Mapping[str, Any] = {
    "string": str,
    "number": float,
    "integer": int,
    "boolean": bool,
    "object": dict,
    "array": list,
}


class TrlEnvironment:
    """One game at a time. The tools are added by `environment_factory`, from the role's schema."""

    _scenario: Scenario
    _role: str
    _opponents: Opponents

    def __init__(self) -> None:
        self._seat = Seat(self._scenario, self._role, self._opponents)
        self._paid = 0.0

    def reset(self, seed: int = 0, **columns: Any) -> str:
        """Deal the game of a seed and tell what the seat sees; other columns are left alone."""
        self._seat.deal([check_seed(seed)])
        self._paid = 0.0
        return self._told()

    def get_reward(self) -> float:
        """What the seat has earned in this game so far."""
        return self._paid

    def _call(self, move: Mapping[str, Any]) -> str:
        if len(self._seat.table) == 0 or self._seat.over[0]:
            return OVER
        reply = self._seat.role.objects([move])
        self._paid += float(self._seat.play(reply)[0])
        told = self._told()
        if not reply.refused:
            return told
        refused = reply.refused[0]
        return f"Refused ({refused.reason}): {refused.detail}\n\n{told}"

    def _told(self) -> str:
        view = self._seat.table.view_of(0)
        return OVER if view is None else view.texts[0]


def environment_factory(
    scenario: str | Scenario, role: str = "pilot", opponents: Opponents | None = None
) -> Callable[[], TrlEnvironment]:
    """A class for TRL's `environment_factory`; its tools are the moves of a role.

    Without `opponents` the other seats are taken by the scenario's own choice. Raises BadInput for
    unknown names.
    """
    scene = find_scenario(scenario)
    index = scene.world.role_index(role)
    others = [one.name for one in scene.world.roles if one.name != role]
    players = opponents if opponents is not None else dict.fromkeys(others, scene.card.against)
    body: dict[str, Any] = {"_scenario": scene, "_role": role, "_opponents": players}
    body.update(_tools(scene.world.roles[index]))
    # TRL names the reward after the class.
    made: type[TrlEnvironment] = type(
        f"{scene.world.name.title()}Environment", (TrlEnvironment,), body
    )
    made()
    return made


def tool_schemas(environment: TrlEnvironment) -> list[dict[str, Any]]:
    """What a model is told of the tools, as transformers tells it (needs transformers)."""
    from transformers.utils import get_json_schema

    return [get_json_schema(getattr(environment, name)) for name in tool_names(environment)]


def tool_names(environment: TrlEnvironment) -> list[str]:
    """Names of the tools, sorted: every public method but `reset` and `get_reward`."""
    members = inspect.getmembers(type(environment), predicate=inspect.isfunction)
    hidden = ("reset", "get_reward")
    return [name for name, _ in members if name not in hidden and not name.startswith("_")]


def _tools(role: Role) -> dict[str, Callable[..., str]]:
    """One function per kind of move where the schema names them, else one for all."""
    schema = role.schema
    if "anyOf" not in schema:
        about = f"Make the next move as the {role.name}."
        return {MOVE: _tool(MOVE, about, schema, lambda arguments: arguments)}
    return dict(_named_tool(option) for option in schema["anyOf"])


def _named_tool(option: Mapping[str, Any]) -> tuple[str, Callable[..., str]]:
    constants = {n: rule["const"] for n, rule in option["properties"].items() if "const" in rule}
    inner = [name for name in option["properties"] if name not in constants]
    if len(constants) != 1 or len(inner) != 1:
        raise BadInput(f"a schema whose options are not one name and its arguments: {option!r}")
    ((key, name),) = constants.items()
    return name, _tool(
        name,
        str(option.get("description", name)),
        option["properties"][inner[0]],
        lambda arguments: {key: name, inner[0]: arguments},
    )


def _tool(
    name: str,
    about: str,
    schema: Mapping[str, Any],
    move_of: Callable[[dict[str, Any]], Mapping[str, Any]],
) -> Callable[..., str]:
    """A method with the signature and docstring from which transformers makes a tool schema."""
    rules: Mapping[str, Mapping[str, Any]] = schema["properties"]
    required: Sequence[str] = schema.get("required", [])

    def tool(self: TrlEnvironment, **arguments: Any) -> str:
        return self._call(move_of(arguments))

    types = {each: _type(rule) for each, rule in rules.items()}
    ordered = sorted(rules, key=lambda each: each not in required)
    given = [
        inspect.Parameter(
            each,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if each in required else None,
            annotation=types[each],
        )
        for each in ordered
    ]
    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    told = "\n".join(f"    {each}: {_about(rules[each])}" for each in ordered)
    tool.__name__ = tool.__qualname__ = name
    tool.__doc__ = (
        f"{about}\n\n" + (f"Args:\n{told}\n\n" if told else "") + "Returns:\n    str: news."
    )
    tool.__annotations__ = {**types, "return": str}
    tool.__signature__ = inspect.Signature([first, *given], return_annotation=str)  # ty: ignore[missing-attribute]
    return tool


def _type(rule: Mapping[str, Any]) -> Any:
    if "enum" in rule:
        return Literal.__getitem__(tuple(rule["enum"]))
    return _TYPES.get(rule.get("type", "string"), str)


def _about(rule: Mapping[str, Any]) -> str:
    bounds = (
        f"{rule['minimum']} to {rule['maximum']}" if {"minimum", "maximum"} <= rule.keys() else ""
    )
    return str(rule.get("description") or bounds or json.dumps(rule.get("enum", "a value")))
