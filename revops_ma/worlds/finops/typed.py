"""Short forms that a person types: `create_refund inv_901`, `late_invoice cus_008 50.01`.

A line is read only if every word of it has a place; what is left over is never dropped, because
`submit later` must not submit.
"""

from __future__ import annotations

import difflib
import re
from typing import Any

from revops_ma.game import Refused
from revops_ma.worlds.finops.disturbances import KIND_NAMES
from revops_ma.worlds.finops.toolkit import Number, Tool
from revops_ma.worlds.finops.tools import TOOLS

_CALL = re.compile(r"(\w+)\s*(?:\((.*)\)|\s+(.*))?", re.DOTALL)
"""`tool words` or `tool(words)`."""
_QUOTES = "'\""
_FIGURE = re.compile(r"\$?(\d{1,9}(?:\.\d+)?)\s?%?")
"""A number as people write it: `10`, `10%`, `$50.01`."""


def call_typed(line: str) -> dict[str, Any] | Refused:
    """Read a line as the object of a tool call."""
    found = _CALL.fullmatch(line.strip())
    name = found[1] if found else line.strip()
    tool = TOOLS.get(name.casefold())
    if found is None or tool is None:
        return Refused("unknown_tool", _meant(name, TOOLS))
    args = _arguments(tool, (found[2] or found[3] or "").strip())
    return args if isinstance(args, Refused) else {"tool": tool.name, "args": args}


def _arguments(tool: Tool, words: str) -> dict[str, Any] | Refused:
    """Give each parameter its word; where there are two, the last word is the last one's."""
    names = list(tool.parameters)
    if not words:
        return {}
    if not names:
        return Refused("too_many_words", f"{tool.name} takes nothing")
    parts = [_plain(part) for part in words.rsplit(maxsplit=len(names) - 1)]
    args = {}
    for name, part in zip(names, parts, strict=False):
        value = _plain(part.removeprefix(f"{name}="))
        args[name] = _number(value) if isinstance(tool.parameters[name], Number) else value
    return args


def _plain(word: str) -> str:
    """A word without a comma after it and without quotes around it."""
    word = word.strip().rstrip(",").strip()
    is_quoted = len(word) > 1 and word[0] in _QUOTES and word[-1] == word[0]
    return word[1:-1] if is_quoted else word


def _number(word: str) -> float | str:
    """The number that a word is, or the word for the desk to refuse."""
    found = _FIGURE.fullmatch(word)
    return float(found[1]) if found else word


def disturbance_typed(line: str) -> dict[str, Any] | Refused:
    """Read a line as the object of a disturbance: kind, target, for a late invoice dollars."""
    kind, *words = line.split() or [""]
    name = kind.casefold()
    if name not in (*KIND_NAMES, "pass"):
        return Refused("unknown_disturbance", _meant(kind, (*KIND_NAMES, "pass")))
    target, amount = (*words, "", "")[:2]
    found = _FIGURE.fullmatch(amount)
    if len(words) > 1 + (name == "late_invoice") or (amount and not found):
        return Refused("too_many_words", f"{name} takes {_takes(name)}")
    more = {"amount_cents": round(float(found[1]) * 100)} if found else {}
    return {"disturbance": name, "target": target, **more}


def _takes(kind: str) -> str:
    return "an id and dollars" if kind == "late_invoice" else "one target or none"


def _meant(word: str, known: Any) -> str:
    near = difflib.get_close_matches(word.casefold(), list(known), 1)
    hint = f"; did you mean {near[0]}?" if near else f"; known: {', '.join(known)}"
    return f"{word[:40]!r}{hint}"
