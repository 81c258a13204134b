"""What stays the same in the texts of a role, and what varies: learned from examples.

A dashboard is a fixed sequence of glue and values. Nothing here knows a world: glue, the number of
digits of each figure and the words of a list are read off the examples.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from revops_ma.errors import BadInput

FIRST_MARK = 0xE000
"""First of the private characters that stand for a place in the text."""
MOST_WORDS = 32
"""Different words of one place, at most."""

_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
_NO_END = re.compile(r"[\w.,+-]+\Z")
_NO_START = re.compile(r"\A[\w.,]+")


@dataclass(frozen=True)
class Slot:
    """One place whose value varies."""

    glue: str
    """Text between the previous value and this one."""
    mark: str
    """Private character that takes the place of the glue."""
    words: Sequence[str] = ()
    """All values, if it is a list of words."""
    whole: int = 0
    """Most digits before the point, if it is a number."""
    kept: int = 0
    """Digits that are told, from the first."""
    signed: bool = False


@dataclass(frozen=True)
class Frame:
    """The slots of a text in order, and what follows the last."""

    slots: tuple[Slot, ...]
    tail: str

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Frame:
        """Read one back from JSON values."""
        slots: list[dict[str, Any]] = told["slots"]
        return cls(tuple(Slot(**slot) for slot in slots), told["tail"])


def learn(texts: Sequence[str]) -> Frame:
    """Read the frame off examples.

    Raises BadInput where the texts have no common frame: then a tiny model cannot be made.
    """
    rows = [text.split("\n") for text in texts]
    if len({len(row) for row in rows}) != 1:
        raise _no_frame("texts with different numbers of lines")
    pieces: list[tuple[str, list[str]]] = []
    glue = ""
    for number, lines in enumerate(zip(*rows, strict=True)):
        glue += "\n" if number else ""
        if len(set(lines)) == 1:
            glue += lines[0]
            continue
        start, middles, end = _split(lines)
        for between, values in _places(middles):
            pieces.append((glue + start + between, values))
            glue, start = "", ""
        glue = end
    slots = tuple(_slot(at, *piece) for at, piece in enumerate(pieces))
    return Frame(slots, glue)


def _split(lines: Sequence[str]) -> tuple[str, list[str], str]:
    """Common start and end of a line, and what is between them; never in the midst of a word."""
    some = sorted(set(lines))
    start = _NO_END.sub("", _common_start(some[0], some[-1]))
    rest = [line[len(start) :] for line in some]
    back = sorted(line[::-1] for line in rest)
    end = _NO_START.sub("", _common_start(back[0], back[-1])[::-1])
    return start, [line[len(start) : len(line) - len(end)] for line in lines], end


def _common_start(first: str, last: str) -> str:
    """What two texts begin with; of a sorted list, its first and its last begin with the least."""
    for at, pair in enumerate(zip(first, last, strict=False)):
        if pair[0] != pair[1]:
            return first[:at]
    return min(first, last, key=len)


def _places(middles: Sequence[str]) -> list[tuple[str, list[str]]]:
    """(glue, values) of each place in a line: numbers with the same text between, or one word."""
    shapes = {_NUMBER.sub("#", middle) for middle in middles}
    if len(shapes) == 1 and "#" in (shape := shapes.pop()):
        found = [_NUMBER.findall(middle) for middle in middles]
        between = shape.split("#")
        return [(between[at], list(column)) for at, column in enumerate(zip(*found, strict=True))]
    if len(set(middles)) > MOST_WORDS:
        raise _no_frame(f"more than {MOST_WORDS} different words in one place")
    return [("", list(middles))]


def _slot(at: int, glue: str, values: Sequence[str]) -> Slot:
    if not glue:
        raise _no_frame("two values with nothing between them")
    # Ten characters per place: the digits of a number have their own marks.
    mark = chr(FIRST_MARK + 10 * at)
    if not all(_NUMBER.fullmatch(value) for value in values):
        return Slot(glue, mark, words=tuple(sorted(set(values), key=len, reverse=True)))
    plain = [value.replace(",", "").lstrip("-") for value in values]
    whole = max(len(value.partition(".")[0]) for value in plain)
    has_fraction = any("." in value for value in plain)
    return Slot(
        glue,
        mark,
        whole=whole,
        kept=_kept(whole, has_fraction=has_fraction),
        signed=any(value.startswith("-") for value in values),
    )


def _kept(whole: int, *, has_fraction: bool) -> int:
    """Digits worth telling: tenths, or the leading figures of a large amount.

    Each digit is a token, and tokens are what a step of training costs.
    """
    if has_fraction:
        return whole + 1
    return min(whole, 3) if whole != 4 else 2


def _no_frame(why: str) -> BadInput:
    return BadInput(
        f"a tiny model needs texts with one fixed form, but these have {why}; use --model smollm2"
        " or the path of a pretrained model"
    )
