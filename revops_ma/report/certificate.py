"""The page of an audit: a table of checks, what each means, and the figures behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from revops_ma.report import html as h
from revops_ma.report.headline import tile
from revops_ma.report.html import Markup
from revops_ma.report.page import document
from revops_ma.report.parts import Column, folded_table, note, section, table
from revops_ma.report.units import MISSING, Unit

Check = Mapping[str, Any]
"""An entry of `checks` in an `audit --json` document."""
QUICK = "A quick audit: fewer seeds than the bounds were made for. It can fail by bad luck."


def certificate_page(certificate: Mapping[str, Any]) -> str:
    """Write the page of an `audit --json` document. The same document gives the same bytes."""
    checks = certificate["checks"]
    return document(
        f"audit: {certificate['scenario']}",
        _heading(certificate),
        _tiles(certificate),
        section("checks", "Checks", table("Every claim and its figure", _COLUMNS, _rows(checks))),
        section("explained", "What was claimed and found", map(_explained, checks)),
        _provenance(certificate),
    )


@dataclass(frozen=True, slots=True)
class Digits(Unit):
    """Four digits that count, wherever the point is: a share of 0.001 is no 0.00."""

    def exact(self, value: float | None) -> str:
        """Write a number for a table."""
        return MISSING if value is None else f"{value:.4g}"


_COLUMNS = [
    Column("check"),
    Column("holds"),
    Column("figure", Digits()),
    Column("bound"),
]


def _rows(checks: Sequence[Check]) -> list[list[object]]:
    return [
        [
            h.a(check["name"], href=f"#{_anchor(check)}"),
            "holds" if check["holds"] else h.strong("FAILS"),
            check["figure"],
            check["bound"],
        ]
        for check in checks
    ]


def _heading(certificate: Mapping[str, Any]) -> Markup:
    failed = [check["name"] for check in certificate["checks"] if not check["holds"]]
    told = [
        h.code(certificate["scenario"]),
        f"rules version {certificate['rules']['version']}",
        h.code(certificate["rules"]["hash"]),
    ]
    switch = h.button(
        "Dark", type="button", id="theme", class_="theme", hidden=True, aria_pressed="false"
    )
    return h.header(
        h.div(h.p("Audit", class_="kind"), switch, class_="bar"),
        h.h1("Every claim holds" if not failed else "Some claims fail"),
        h.ul((h.li(each) for each in told), class_="facts"),
        note(f"Fails: {', '.join(failed)}.") if failed else None,
        note(QUICK) if certificate["quick"] else None,
    )


def _tiles(certificate: Mapping[str, Any]) -> Markup:
    checks = certificate["checks"]
    holding = sum(check["holds"] for check in checks)
    first, last = certificate["seeds"]["measured"]
    return h.div(
        tile("Checks that hold", f"{holding}", f"of {len(checks)}"),
        tile("Seeds", f"{last - first + 1:,}", f"{first:,} to {last:,} at the most"),
        tile("Seconds", f"{certificate['seconds']:.0f}", "to run all of them"),
        class_="tiles",
        id="key-figures",
    )


def _explained(check: Check) -> Markup:
    verdict = "holds" if check["holds"] else "FAILS"
    return h.article(
        h.h3(f"{check['name']}: {verdict}", id=_anchor(check)),
        h.p(check["explanation"], class_="lead"),
        _details(check),
        class_="check",
    )


def _details(check: Check) -> Markup | None:
    rows = check["details"]
    if not rows:
        return None
    titles = list(dict.fromkeys(title for row in rows for title in row))
    cells = [[row.get(title) for title in titles] for row in rows]
    return folded_table(
        f"Figures of {check['name']}", [Column(each, Digits()) for each in titles], cells
    )


def _provenance(certificate: Mapping[str, Any]) -> Markup:
    rules = certificate["rules"]
    settings = ", ".join(f"{name} = {value}" for name, value in rules["settings"].items())
    versions = ", ".join(f"{name} {number}" for name, number in certificate["versions"].items())
    seeds = "; ".join(
        f"{what}: {first:,} to {last:,}" for what, (first, last) in certificate["seeds"].items()
    )
    facts = [
        ("Rules", f"{rules['world']}, version {rules['version']}"),
        ("Settings", settings or "none"),
        ("Hash of world, version and settings", h.code(rules["hash"])),
        ("Hash of the rules' source", h.code(rules["source_hash"])),
        ("Packages", versions),
        ("Seeds", seeds),
    ]
    listed = h.dl([h.dt(name), h.dd(value)] for name, value in facts)
    lead = "The same command on the same versions gives the same figures."
    return section("provenance", "Provenance", listed, lead=lead)


def _anchor(check: Check) -> str:
    letters = (letter if letter.isalnum() else "-" for letter in check["name"])
    return "check-" + "".join(letters)
