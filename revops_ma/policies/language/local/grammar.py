"""JSON schemas of moves as forms: objects of enums, bounded numbers and short texts.

Objects are written on one line in the order of the schema, `{"a": 1, "b": "c"}`. An optional
property is written if its value is one of a list or a number between two bounds, and left out
otherwise: a small model would forget the former and ramble in the latter. Places after the point
are limited, and so is the length of free texts.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from revops_ma.errors import CardError
from revops_ma.policies.language.local.automaton import (
    Automaton,
    Choice,
    Form,
    Letters,
    Number,
    Text,
)

PLACES = 2
"""Digits after the point of a number."""
MOST_LETTERS = 48
"""Most characters of a free text, unless its schema asks for more at least."""

_TOLD = frozenset({"description", "title", "default", "examples"})
_KEYWORDS = {
    "object": frozenset({"type", "properties", "required", "additionalProperties"}),
    "string": frozenset({"type", "minLength", "maxLength"}),
    "number": frozenset(
        {"type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
    ),
    "boolean": frozenset({"type"}),
    "null": frozenset({"type"}),
}
_KEYWORDS["integer"] = _KEYWORDS["number"]


def automaton_of(schema: Mapping[str, Any]) -> Automaton:
    """The automaton of all texts that a schema allows; CardError for what is not supported."""
    return _automaton(json.dumps(schema))


@cache
def _automaton(schema: str) -> Automaton:
    return Automaton(form_of(json.loads(schema)))


def form_of(schema: Mapping[str, Any]) -> Form:
    """The form of the values of a schema; CardError for what is not supported."""
    if "enum" in schema or "const" in schema:
        values = schema["enum"] if "enum" in schema else [schema["const"]]
        return _one_of([(Text(json.dumps(value)),) for value in values])
    if "anyOf" in schema:
        return _one_of([form_of(option) for option in schema["anyOf"]])
    kind = schema.get("type")
    strange = schema.keys() - _TOLD - _KEYWORDS.get(str(kind), frozenset())
    if strange:
        raise _unsupported(f"{kind} with {', '.join(sorted(strange))}")
    if kind == "object":
        return _object(schema)
    if kind in ("number", "integer"):
        return (_number(schema, 0 if kind == "integer" else PLACES),)
    return _plain(str(kind), schema)


def _plain(kind: str, schema: Mapping[str, Any]) -> Form:
    if kind == "string":
        least = schema.get("minLength", 0)
        most = min(schema.get("maxLength", MOST_LETTERS), max(MOST_LETTERS, least))
        return (Text('"'), *((Letters(least, most),) if most else ()), Text('"'))
    if kind == "boolean":
        return _one_of([(Text("true"),), (Text("false"),)])
    if kind == "null":
        return (Text("null"),)
    raise _unsupported(kind)


def _object(schema: Mapping[str, Any]) -> Form:
    written = {
        name: inner
        for name, inner in schema.get("properties", {}).items()
        if name in schema.get("required", []) or _is_closed(inner)
    }
    parts: list[Any] = []
    for name, inner in written.items():
        comma = ", " if parts else ""
        parts += [Text(f"{comma}{json.dumps(name)}: "), *form_of(inner)]
    return _joined((Text("{"), *parts, Text("}")))


def _is_closed(schema: Mapping[str, Any]) -> bool:
    """Whether a value is one of a list or a number between two bounds."""
    bounds = {"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"}
    bounded = all(schema.keys() & pair for pair in bounds)
    return "enum" in schema or "const" in schema or schema.get("type") == "boolean" or bounded


def _number(schema: Mapping[str, Any], places: int) -> Number:
    if not _is_closed(schema):
        raise _unsupported("number without both bounds")
    unit = 10**places
    low, low_out = _bound(schema, "inimum", unit)
    high, high_out = _bound(schema, "aximum", unit)
    first = math.floor(low) + 1 if low_out else math.ceil(low)
    last = math.ceil(high) - 1 if high_out else math.floor(high)
    if first > last:
        raise _unsupported(f"number from {float(low / unit)} to {float(high / unit)}")
    return Number(first, last, places)


def _bound(schema: Mapping[str, Any], end: str, unit: int) -> tuple[Fraction, bool]:
    """A bound in units of the last place, and whether the bound itself is out."""
    is_out = f"exclusiveM{end}" in schema
    return Fraction(str(schema[f"exclusiveM{end}" if is_out else f"m{end}"])) * unit, is_out


def _one_of(options: list[Form]) -> Form:
    return options[0] if len(options) == 1 else (Choice(tuple(options)),)


def _joined(form: Form) -> Form:
    """The same form with neighbouring texts in one."""
    joined: list[Any] = []
    for part in form:
        if joined and isinstance(part, Text) and isinstance(joined[-1], Text):
            joined[-1] = Text(joined[-1].text + part.text)
        else:
            joined.append(part)
    return tuple(joined)


def _unsupported(what: str) -> CardError:
    return CardError(
        f"constrained = true cannot write this schema: {what}; allowed: objects, enums, anyOf,"
        " bounded numbers, short texts. Set constrained = false in the card's [options]"
    )
