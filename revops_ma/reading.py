"""One reader for every text that should hold a move: models answer in many shapes.

`read_object` finds exactly one JSON object or says why not. It never raises, never executes what
stands in a `<think>` block, and takes linear time.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

from revops_ma.game import Refused

MAX_TEXT = 65_536
"""Characters of an answer; a longer one is refused unread."""
MAX_DEPTH = 32
"""Nested brackets of an answer; a move needs three."""

_THOUGHT_TAG = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)
_PERCENT = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*%")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_WORDS_OF_INFINITY = re.compile(r"[+-]?(?:nan|inf(?:inity)?)", re.IGNORECASE)
_MINUS = str.maketrans({"\u2212": "-", "\u2013": "-"})


class _DuplicateKey(ValueError):
    pass


def read_object(text: object) -> tuple[dict[str, Any], tuple[str, ...]] | Refused:
    """Find the one JSON object of an answer.

    Returns the object and notes (`thought`, `fenced`, `prose`), or a Refused with one of the
    reasons not_text, too_long, empty, unclosed_thought, no_object, truncated, ambiguous, too_deep,
    duplicate_key, bad_json.
    """
    if not isinstance(text, str):
        return Refused("not_text", type(text).__name__)
    if len(text) > MAX_TEXT:
        return Refused("too_long", f"{len(text)} characters, at most {MAX_TEXT}")
    visible = _without_thoughts(text)
    if visible is None:
        return Refused("unclosed_thought")
    answer = visible.strip()
    if not answer:
        return Refused("empty")
    spans = _object_spans(answer)
    if isinstance(spans, Refused):
        return spans
    if len(spans) != 1:
        return Refused("ambiguous", f"{len(spans)} objects") if spans else Refused("no_object")
    start, stop = spans[0]
    decoded = _decode(answer[start:stop])
    if isinstance(decoded, Refused):
        return decoded
    around = answer[:start] + answer[stop:]
    notes = ["thought"] if visible != text else []
    if around.strip():
        notes.append("fenced" if "```" in around else "prose")
    return decoded, tuple(notes)


def _without_thoughts(text: str) -> str | None:
    """Cut the thoughts out; None if the last one never ends.

    A closing tag without an opening one ends a thought that began in the prompt's template.
    """
    said: list[str] = []
    start, thinking = 0, False
    for tag in _THOUGHT_TAG.finditer(text):
        if tag[1]:
            if not thinking:
                said.clear()
            start, thinking = tag.end(), False
        elif not thinking:
            said.append(text[start : tag.start()])
            thinking = True
    return None if thinking else "".join((*said, text[start:]))


def _object_spans(text: str) -> list[tuple[int, int]] | Refused:
    """Start and stop of every outermost {...}, strings respected."""
    spans: list[tuple[int, int]] = []
    depth = start = 0
    in_string = escaped = False
    for at, char in enumerate(text):
        if in_string:
            in_string = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            in_string = depth > 0
        elif char in "{[":
            if char == "[" and depth == 0:
                continue  # prose and lists around an object are no part of it
            start = at if depth == 0 else start
            depth += 1
            if depth > MAX_DEPTH:
                return Refused("too_deep", f"more than {MAX_DEPTH} nested brackets")
        elif char in "}]" and depth:
            depth -= 1
            if depth == 0:
                spans.append((start, at + 1))
    return Refused("truncated") if depth else spans


def _decode(text: str) -> dict[str, Any] | Refused:
    try:
        decoded = json.loads(text, object_pairs_hook=_unique_keys, parse_int=_whole_number)
    except _DuplicateKey as error:
        return Refused("duplicate_key", str(error))
    except ValueError as error:
        return Refused("bad_json", str(error))
    return decoded if isinstance(decoded, dict) else Refused("no_object")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _DuplicateKey(key[:80])
        found[key] = value
    return found


def _whole_number(digits: str) -> int | float:
    return int(digits) if len(digits) <= 18 else float(digits)


def read_name(value: object) -> str | None:
    """Fold a name to the form of our tables: "Hire Support " -> "hire_support"; None if no text."""
    if not isinstance(value, str):
        return None
    folded = unicodedata.normalize("NFKC", value).translate(_MINUS).strip().casefold()
    return re.sub(r"[\s\-_]+", "_", folded)


def read_number(value: object) -> tuple[float | None, bool]:
    """Read a number a model wrote: JSON number, "0.8", "80%", "0,8", U+2212 as minus.

    Returns (number, tidy). The number is None where there is none (booleans, lists, null,
    underscores, words); it may be NaN or infinite: the caller refuses those. `tidy` is False where
    the number had to be read out of a string.
    """
    if isinstance(value, bool):
        return None, False
    if isinstance(value, (int, float)):
        return float(value), True
    if not isinstance(value, str) or len(value) > 64:
        return None, False
    text = unicodedata.normalize("NFKC", value).translate(_MINUS).strip()
    if re.fullmatch(r"[+-]?\d+,\d+%?", text.replace(" ", "")):
        text = text.replace(",", ".")
    if percent := _PERCENT.fullmatch(text):
        return float(percent[1]) / 100, False
    if _NUMBER.fullmatch(text) or _WORDS_OF_INFINITY.fullmatch(text):
        return float(text), False
    return None, False
