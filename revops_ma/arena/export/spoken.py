"""Moves as language models say them: the JSON object of the role's schema.

Roles read such objects but do not write them, so the object is made from the schema and then read
back: only one that stands for the very same move is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from revops_ma.game import Batch, Role

Variant = Mapping[str, Any]
"""Schema of one form of a move: an object with properties."""


def spoken(role: Role, batch: Batch) -> list[dict[str, Any] | None]:
    """The JSON object of each move; None where the role would read none as that move."""
    schema = role.schema
    variants = schema.get("anyOf", [schema])
    kinds, strengths = role.kind_of(batch).tolist(), role.strength_of(batch).tolist()
    said = [
        _first_filled(variants, role.kinds(), *each)
        for each in zip(batch, kinds, strengths, strict=True)
    ]
    reply = role.objects(said)
    read, meant = role.pack(reply.batch), role.pack(batch)
    return [
        each if read[at] == meant[at] and at not in reply.refused else None
        for at, each in enumerate(said)
    ]


def _first_filled(
    variants: Sequence[Variant], kinds: Sequence[str], move: Any, kind: int, strength: float
) -> dict[str, Any] | None:
    filled = (_filled(variant, kinds, move, kind, strength) for variant in variants)
    return next((each for each in filled if each is not None), None)


def _filled(
    schema: Variant, kinds: Sequence[str], move: Any, kind: int, strength: float
) -> dict[str, Any] | None:
    """An object of a schema with the values of a move; None where a required one is not known."""
    said: dict[str, Any] = {}
    strengths = [strength]
    for name, about in schema["properties"].items():
        value = getattr(move, name, None)
        if value is None and ("enum" in about or "const" in about):
            value = _kind(kinds, kind, about.get("enum", [about.get("const")]))
        elif "const" in about and value != about["const"]:
            value = None
        elif value is None and about.get("type") == "number" and strengths:
            value = strengths.pop()
        is_needed = name in schema.get("required", ())
        if value is None and is_needed:
            return None
        if value or (is_needed and value is not None):
            said[name] = value
    return said


def _kind(kinds: Sequence[str], kind: int, allowed: Sequence[Any]) -> str | None:
    """The word for a kind; for a move of none, the one word that is allowed besides the kinds."""
    if kind >= 0:
        return kinds[kind] if kinds[kind] in allowed else None
    others = [word for word in allowed if word not in kinds]
    return others[0] if len(others) == 1 else None
