"""How tools are made: a typed function is the tool, its signature and docstring are the manual.

`@tool(mutates=True) def create_refund(desk: Desk, invoice_id: InvoiceId) -> Answer` gives a `Tool`
with name, parameters, checks, JSON schema and manual. Nothing else lists the tools.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import FunctionType
from typing import Any, get_type_hints

from revops_ma.game import Refused
from revops_ma.reading import read_object, shown


class Code(StrEnum):
    """Why a call failed."""

    UNKNOWN_TOOL = "unknown_tool"
    """There is no such tool, or the answer held no call."""
    INVALID_ARGS = "invalid_args"
    """The arguments do not fit the tool's signature."""
    NOT_FOUND = "not_found"
    """There is no row with that id."""
    CONFLICT = "conflict"
    """The row is already in the state that the call wants; `reason` says which."""
    UNAVAILABLE = "unavailable"
    """The tool is down: a fault of the environment."""
    RATE_LIMITED = "rate_limited"
    """Too many reads: a fault of the environment; `retry_after_steps` says when it ends."""
    EPISODE_DONE = "episode_done"
    """The game is over."""


ENVIRONMENT_FAULTS = frozenset({Code.UNAVAILABLE, Code.RATE_LIMITED})
"""Failures that are not the caller's error."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A call that failed: data, never an exception."""

    code: Code
    message: str
    details: Mapping[str, Any] = field(default_factory=dict)

    def as_error(self) -> dict[str, Any]:
        """The `error` of the answer."""
        return {"code": self.code.value, "message": self.message, **self.details}


Answer = dict[str, Any] | Failure
"""What a tool gives back: the `result` of the answer, or a failure."""


class Kind(ABC):
    """The type of a parameter: what it accepts and how a schema says so."""

    @abstractmethod
    def problem(self, value: object) -> str:
        """Say what is wrong with a value; empty if nothing is. Values are never coerced."""

    @property
    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """JSON schema of the parameter."""


@dataclass(frozen=True, slots=True)
class Text(Kind):
    """A string."""

    about: str
    may_be_blank: bool = True

    def problem(self, value: object) -> str:
        """Accept strings only; blank ones only where they may be blank."""
        if not isinstance(value, str):
            return f"must be a string, not {_type_name(value)}"
        return "" if self.may_be_blank or value.strip() else "must not be blank"

    @property
    def schema(self) -> dict[str, Any]:
        """A string, with a minimal length where it may not be blank."""
        length = {} if self.may_be_blank else {"minLength": 1}
        return {"type": "string", **length, "description": self.about}


@dataclass(frozen=True, slots=True)
class Choice(Kind):
    """One of a few words, exactly."""

    about: str
    words: tuple[str, ...]

    def problem(self, value: object) -> str:
        """Accept exactly the words."""
        if isinstance(value, str) and value in self.words:
            return ""
        return f"must be one of {', '.join(self.words)}"

    @property
    def schema(self) -> dict[str, Any]:
        """An enumeration."""
        return {"type": "string", "enum": list(self.words), "description": self.about}


@dataclass(frozen=True, slots=True)
class Number(Kind):
    """A finite number above one bound and up to another."""

    about: str
    above: float
    most: float

    def problem(self, value: object) -> str:
        """Accept int and float in the range; no booleans, no strings, no NaN."""
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return f"must be a number, not {_type_name(value)}"
        fits = self.above < value <= self.most  # false for NaN too
        return "" if fits else f"must be above {self.above:g} and at most {self.most:g}"

    @property
    def schema(self) -> dict[str, Any]:
        """A number with its bounds."""
        bounds = {"exclusiveMinimum": self.above, "maximum": self.most}
        return {"type": "number", **bounds, "description": self.about}


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool function with all that its signature and docstring say."""

    name: str
    about: str
    mutates: bool
    reads: bool
    parameters: Mapping[str, Kind]
    defaults: Mapping[str, Any]
    run: Callable[..., Answer]

    def check(self, args: object) -> dict[str, Any] | Failure:
        """Check arguments against the signature; JSON text is decoded once, nothing is coerced."""
        if isinstance(args, str):
            args = _decoded(args)
        if not isinstance(args, dict):
            return self._invalid("the arguments must be an object")
        if extra := [name for name in args if name not in self.parameters]:
            return self._invalid(f"unknown argument {shown(extra[0])!r}")
        for name, kind in self.parameters.items():
            if name not in args:
                if name not in self.defaults:
                    return self._invalid(f"argument {name} is missing")
            elif problem := kind.problem(args[name]):
                return self._invalid(f"{name} {problem}")
        return args

    @property
    def signature(self) -> str:
        """The call in one line: `list_customers(status="active")`."""
        shown = (
            f'{name}="{self.defaults[name]}"' if name in self.defaults else name
            for name in self.parameters
        )
        return f"{self.name}({', '.join(shown)})"

    @property
    def schema(self) -> dict[str, Any]:
        """Name, manual and JSON schema of the arguments, as tool-calling models expect it."""
        return {
            "name": self.name,
            "description": self.about,
            "parameters": {
                "type": "object",
                "properties": {name: kind.schema for name, kind in self.parameters.items()},
                "required": [name for name in self.parameters if name not in self.defaults],
                "additionalProperties": False,
            },
        }

    def _invalid(self, problem: str) -> Failure:
        return Failure(Code.INVALID_ARGS, f"{self.signature}: {problem}")


def tool(*, mutates: bool = False, reads: bool = True) -> Callable[[FunctionType], Tool]:
    """Make a tool of a function `(desk, *parameters)`, its parameters annotated with a Kind."""

    def make(function: FunctionType) -> Tool:
        hints = get_type_hints(function, include_extras=True)
        signature = list(inspect.signature(function).parameters.values())[1:]
        return Tool(
            name=function.__name__,
            about=inspect.cleandoc(function.__doc__ or "").replace("\n", " "),
            mutates=mutates,
            reads=reads and not mutates,
            parameters={
                parameter.name: hints[parameter.name].__metadata__[0] for parameter in signature
            },
            defaults={
                parameter.name: parameter.default
                for parameter in signature
                if parameter.default is not parameter.empty
            },
            run=function,
        )

    return make


def missing(what: str, wanted: str) -> Failure:
    """No row with that id."""
    return Failure(Code.NOT_FOUND, f"there is no {what} {wanted[:40]!r}")


def conflict(reason: str, message: str) -> Failure:
    """The row already is what the call wants it to be."""
    return Failure(Code.CONFLICT, message, {"reason": reason})


def _decoded(text: str) -> object:
    found = read_object(text)
    if isinstance(found, Refused):
        return None
    decoded, notes = found
    return None if notes else decoded


_NAMES = {bool: "a boolean", str: "a string", int: "a number", float: "a number"}


def _type_name(value: object) -> str:
    if value is None:
        return "null"
    return _NAMES.get(type(value), "an object" if isinstance(value, dict) else "a list")
