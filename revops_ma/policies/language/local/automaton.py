"""Texts that may be written next, character by character: an automaton that grows as it is used.

A form is a tuple of parts, read in order. A state is the set of all forms that may still follow;
the empty form says that the text may end here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from string import ascii_letters, digits
from typing import Any, TypeAlias

DEAD = -1
"""State after a character that must not stand there."""
LETTERS = frozenset(ascii_letters + digits + " !#$%&'()*+,-./:;<=>?@[]^_`{|}~")
"""Characters of a free text: printable ASCII but for the quote and the backslash."""

Form: TypeAlias = "tuple[Part, ...]"


@dataclass(frozen=True, slots=True)
class Text:
    """These very characters."""

    text: str

    def after(self, char: str) -> Form | None:
        """What is left after one character; None if that must not stand here."""
        if self.text[0] != char:
            return None
        return (Text(self.text[1:]),) if len(self.text) > 1 else ()


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some forms; an empty one makes the others optional."""

    options: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Letters:
    """Free text of `least` to `most` characters."""

    least: int
    most: int

    def after(self, char: str) -> Form | None:
        """What is left after one character."""
        if char not in LETTERS:
            return None
        left = Letters(max(self.least - 1, 0), self.most - 1)
        return (left,) if left.most else ()


@dataclass(frozen=True, slots=True)
class Number:
    """A decimal number with at most `places` digits after the point, in bounds.

    `low` and `high` count units of the last place. There are no leading zeros, no exponents and no
    -0.
    """

    low: int
    high: int
    places: int
    written: str = ""

    def after(self, char: str) -> Form | None:
        """What is left after one character: a number whose beginning is written."""
        longer = Number(self.low, self.high, self.places, self.written + char)
        return (longer,) if longer._can_go_on() else None

    @property
    def may_end(self) -> bool:
        """Whether what is written is a whole number in bounds."""
        sign, whole, point, fraction = self._split()
        if not whole or (point and not fraction):
            return False
        units = sign * int(whole + fraction.ljust(self.places, "0"))
        return self.low <= units <= self.high and not (sign < 0 and units == 0)

    def _can_go_on(self) -> bool:
        sign, whole, point, fraction = self._split()
        low, high = (self.low, self.high) if sign > 0 else (max(-self.high, 1), -self.low)
        if high < max(low, 0) or not _is_tidy(whole, point, fraction, self.places):
            return False
        if not whole:
            return True
        left = self.places - len(fraction)
        first = int(whole + fraction) * 10**left
        last = first + 10**left - 1
        while first <= high:
            if last >= low:
                return True
            if point or whole == "0":
                break
            first, last = first * 10, last * 10 + 9
        return False

    def _split(self) -> tuple[int, str, str, str]:
        sign = -1 if self.written.startswith("-") else 1
        whole, point, fraction = self.written.removeprefix("-").partition(".")
        return sign, whole, point, fraction


Part: TypeAlias = Text | Choice | Letters | Number


class Automaton:
    """Numbered states of a form; state 0 is the start. States are made when first reached."""

    def __init__(self, form: Form) -> None:
        """Start before the first character of a form."""
        self._states: list[frozenset[Form]] = []
        self._numbers: dict[frozenset[Form], int] = {}
        self._moves: list[dict[str, int]] = []
        self.notes: dict[Any, Any] = {}
        """What a user of the states has worked out about them."""
        self._number(frozenset(_open(form)))

    def step(self, state: int, char: str) -> int:
        """The state after one more character, or DEAD."""
        moves = self._moves[state]
        if char not in moves:
            moves[char] = self._number(frozenset(_after(self._states[state], char)))
        return moves[char]

    def read(self, text: str, state: int = 0) -> int:
        """The state after a text, or DEAD."""
        for char in text:
            if state == DEAD:
                break
            state = self.step(state, char)
        return state

    def may_end(self, state: int) -> bool:
        """Whether the text may end here."""
        return () in self._states[state]

    def forced(self) -> str:
        """The beginning that all texts share."""
        found = ""
        while True:
            firsts = {_first_char(form) for form in self._states[self.read(found)]}
            char = firsts.pop()
            if firsts or not char:
                return found
            found += char

    def _number(self, forms: frozenset[Form]) -> int:
        if not forms:
            return DEAD
        if forms not in self._numbers:
            self._numbers[forms] = len(self._states)
            self._states.append(forms)
            self._moves.append({})
        return self._numbers[forms]


def _first_char(form: Form) -> str:
    """The character that a form must begin with, "" where there is none or more than one."""
    return form[0].text[0] if form and isinstance(form[0], Text) else ""


def _after(forms: frozenset[Form], char: str) -> Iterator[Form]:
    for form in forms:
        if form and not isinstance(form[0], Choice):
            left = form[0].after(char)
            if left is not None:
                yield from _open(left + form[1:])


def _open(form: Form) -> Iterator[Form]:
    """All ways to go on: choices resolved, parts that may be empty left out too."""
    if not form:
        yield ()
        return
    head, rest = form[0], form[1:]
    if isinstance(head, Choice):
        for option in head.options:
            yield from _open(option + rest)
        return
    yield form
    if (isinstance(head, Letters) and not head.least) or (
        isinstance(head, Number) and head.may_end
    ):
        yield from _open(rest)


def _is_tidy(whole: str, point: str, fraction: str, places: int) -> bool:
    """Whether this is the beginning of a number in the one form that is written."""
    if not whole:
        return not point
    all_digits = (whole + fraction).isascii() and (whole + fraction).isdecimal()
    leading_zero = len(whole) > 1 and whole[0] == "0"
    fits = len(fraction) <= places if places else not point
    return all_digits and not leading_zero and fits
