"""The words of an adversary, made harmless: what a crisis engine says about its crisis.

They are kept with the move as they come out of here, and shown to the pilot only in narrative
scenarios, behind a fence.
"""

from __future__ import annotations

import re
import unicodedata

LONGEST = 200
"""Characters that are kept."""
READ = 2_000
"""Characters that are looked at: sorting the accents of a long text takes quadratic time."""

_SPACES = re.compile(r"\s+")
_STRUCTURE = frozenset("{}<>`")
"""Marks of JSON, of tags and of fences."""
_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
"""Control, format (bidi, zero width, tags), surrogates, private use, unassigned."""
_INVISIBLE = (
    *((0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2800, 0x2800)),
    *((0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xE0100, 0xE01EF)),
)
"""Letters and marks of other categories that show nothing: joiners, fillers, variation selectors,
the empty Braille cell."""


def clean(text: object) -> str:
    """One line of at most 200 harmless characters; "" for what is no text.

    NFKC-normalised; without control, bidi, zero-width and other invisible characters, without
    braces, angle brackets and backquotes. Cleaning twice changes nothing more.
    """
    if not isinstance(text, str):
        return ""
    line = _SPACES.sub(" ", text[:READ])
    # What falls out lets its neighbours compose, and what composes may fall out: until it stays.
    while (stripped := _stripped(line)) != line:
        line = stripped
    return line


def _stripped(line: str) -> str:
    normal = unicodedata.normalize("NFKC", line)
    visible = "".join(character for character in normal if not _falls_out(character))
    return _SPACES.sub(" ", visible).strip()[:LONGEST].rstrip()


def _falls_out(character: str) -> bool:
    if character in _STRUCTURE or unicodedata.category(character) in _CATEGORIES:
        return not character.isspace()
    code = ord(character)
    return any(low <= code <= high for low, high in _INVISIBLE)
