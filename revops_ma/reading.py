"""One reader for every text that should hold a move: models answer in many shapes.

`read_object` finds exactly one JSON object or says why not. It never raises, never executes what
stands in a `<think>` block, and takes linear time.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from typing import Any

from revops_ma.game import Refused

MAX_TEXT = 65_536
"""Characters of an answer; a longer one is refused unread."""
MAX_DEPTH = 32
"""Nested brackets of an answer; a move needs three."""

MAX_WORD = 64
"""Characters up to which look-alikes in names and numbers are folded: no name is longer, and
sorting the accents of a long text takes quadratic time."""

# Possessive repeats (++, *+) never give back what they matched: hostile texts cost linear time.
_THOUGHT_TAG = re.compile(r"<(/?)(?:think(?:ing)?|thought|reasoning)\b[^<>]*+>", re.IGNORECASE)
_FENCE = re.compile("```|~~~")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|["{}\[\]]', re.DOTALL)
"""Inside an object: a whole string, a quote that never closes, or a bracket."""
_DECIMAL_COMMA = re.compile(r"([+-]?\d++),(\d++\s*+%?)")
_PERCENT = re.compile(r"([+-]?\d++(?:\.\d++)?)\s*+%")
_NUMBER = re.compile(r"[+-]?(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?")
_NO_FINITE_NUMBER = re.compile(r"[+-]?(?:nan|inf(?:inity)?)", re.IGNORECASE)
_SEPARATORS = re.compile(r"[\s\-_]+")
_DASHES = dict.fromkeys((0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2212), "-")
"""Hyphens, dashes and the minus sign that models write for "-"."""
_BOM = "\ufeff"


class _DuplicateKeyError(ValueError):
    pass


def read_object(text: object) -> tuple[dict[str, Any], tuple[str, ...]] | Refused:
    """Find the one JSON object of an answer.

    Returns the object and notes (`thought`, `fenced`, `prose`), or a Refused with one of the
    reasons not_text, too_long, unclosed_thought, empty, byte_order_mark, no_object, truncated,
    ambiguous, too_deep, duplicate_key, bad_json.
    """
    if not isinstance(text, str):
        return Refused("not_text", type(text).__name__)
    if len(text) > MAX_TEXT:
        return Refused("too_long", f"{len(text)} characters, at most {MAX_TEXT}")
    visible = _without_thoughts(text)
    if visible is None:
        return Refused("unclosed_thought")
    span = _only_object(visible)
    if isinstance(span, Refused):
        return span
    decoded = _decode(visible[span])
    if isinstance(decoded, Refused):
        return decoded
    around = visible[: span.start] + visible[span.stop :]
    notes = ["thought"] if visible != text else []
    if around.strip():
        notes.append("fenced" if _FENCE.search(around) else "prose")
    return decoded, tuple(notes)


def _without_thoughts(text: str) -> str | None:
    """Cut the thoughts out, nested ones too; None if one never ends.

    A closing tag without an opening one ends a thought that began in the prompt's template.
    """
    said: list[str] = []
    start = depth = 0
    for tag in _THOUGHT_TAG.finditer(text):
        if not tag[1]:
            if depth == 0:
                said.append(text[start : tag.start()])
            depth += 1
        elif depth > 0:
            depth -= 1
        else:
            said.clear()
        start = tag.end()
    return None if depth else "".join((*said, text[start:]))


def _only_object(text: str) -> slice | Refused:
    """Where the one outermost {...} of a text stands."""
    if not text.strip():
        return Refused("empty")
    if text.lstrip().startswith(_BOM):
        return Refused("byte_order_mark")
    start = text.find("{")
    if start < 0:
        return Refused("no_object")
    stop = _end_of_object(text, start)
    if isinstance(stop, Refused):
        return stop
    if "{" in text[stop:]:
        return Refused("ambiguous", "more than one object")
    return slice(start, stop)


def _end_of_object(text: str, start: int) -> int | Refused:
    """Where the object that opens at `start` closes; brackets in strings do not count."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        mark = token[0]
        if mark == '"':
            break
        if mark in "{[":
            depth += 1
            if depth > MAX_DEPTH:
                return Refused("too_deep", f"more than {MAX_DEPTH} nested brackets")
        elif mark in "}]":
            depth -= 1
            if depth == 0:
                return token.end()
    return Refused("truncated")


def _decode(text: str) -> dict[str, Any] | Refused:
    try:
        decoded = json.loads(text, object_pairs_hook=_unique_keys, parse_int=_whole_number)
    except _DuplicateKeyError as error:
        return Refused("duplicate_key", str(error))
    except ValueError as error:
        return Refused("bad_json", str(error))
    return decoded if isinstance(decoded, dict) else Refused("no_object")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _DuplicateKeyError(shown(key))
        found[key] = value
    return found


def _whole_number(digits: str) -> int | float:
    return int(digits) if len(digits) <= 18 else float(digits)


def shown(value: object) -> str:
    """The first characters of a text, or the type of anything else: safe to print and to store."""
    if isinstance(value, str):
        return value[:80].encode("utf-8", "replace").decode()
    return type(value).__name__


def read_name(value: object) -> str | None:
    """Fold a name to the form of our tables: "Hire Support " -> "hire_support"; None if no text."""
    if not isinstance(value, str):
        return None
    return _SEPARATORS.sub("_", _fold(value).casefold())


def read_number(value: object) -> tuple[float | None, bool]:
    """Read a number a model wrote: JSON number, "0.8", "80%", "0,8", U+2212 as minus.

    Returns (number, tidy). The number is None where there is none (booleans, lists, null,
    underscores, words); it may be NaN or infinite: the caller refuses those. `tidy` is False where
    the number had to be read out of a string.
    """
    if isinstance(value, str):
        return _number_in(_fold(value)), False
    return plain_number(value), True


def plain_number(value: object) -> float | None:
    """A number that is one already, as float; None for booleans, texts and all else.

    A whole number beyond the floats is infinite.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _number_in(text: str) -> float | None:
    if comma := _DECIMAL_COMMA.fullmatch(text):
        text = f"{comma[1]}.{comma[2]}"
    if percent := _PERCENT.fullmatch(text):
        return float(percent[1]) / 100
    if _NUMBER.fullmatch(text) or _NO_FINITE_NUMBER.fullmatch(text):
        return float(text)
    return None


def _fold(text: str) -> str:
    """Turn look-alike characters into plain ones and strip the ends."""
    if len(text) <= MAX_WORD:
        text = unicodedata.normalize("NFKC", text).translate(_DASHES)
    return text.strip()
