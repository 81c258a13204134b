"""What a ticket says in words, read back as figures. Players and numbered arguments use it."""

from __future__ import annotations

import re

from revops_ma.worlds.finops.tickets import Family

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)

_DOLLARS = re.compile(r"\$([\d,]+(?:\.\d\d)?)")
_PERCENT = re.compile(r"(\d+)\s?%")
_QUOTED = re.compile(r"'([^']+)'")
_KEYWORDS = (
    ("double-charged", Family.REFUND),
    ("loyalty discount", Family.LOYALTY),
    ("CRM", Family.CROSSCHECK),
)


def original(ticket: str) -> str:
    """The ticket as it was filed: what was appended later stands after a blank line."""
    return ticket.partition("\n\n")[0]


def family_of(ticket: str) -> Family | None:
    """What kind of work a ticket asks for, None if it is none of the three."""
    text = original(ticket)
    return next((family for word, family in _KEYWORDS if word in text), None)


def quoted_names(ticket: str) -> list[str]:
    """Names in single quotes, in order."""
    return _QUOTED.findall(original(ticket))


def named_month(ticket: str) -> str:
    """The first month that is named, as two digits; empty if there is none."""
    words = re.findall(r"[A-Z][a-z]+", original(ticket))
    return next((f"{MONTHS.index(word) + 1:02}" for word in words if word in MONTHS), "")


def stated_percent(ticket: str) -> int:
    """The first percentage of the ticket, 10 if there is none."""
    found = _PERCENT.search(original(ticket))
    return int(found[1]) if found else 10


def stated_cents(ticket: str) -> int:
    """The first dollar amount of the ticket in cents, 0 if there is none."""
    found = _DOLLARS.search(original(ticket))
    return round(float(found[1].replace(",", "")) * 100) if found else 0
