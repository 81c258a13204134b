"""The page: sections in order, style and script inside, a policy that lets nothing else in."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from revops_ma.report import html as h
from revops_ma.report.collect import Findings
from revops_ma.report.headline import figures_table, heading, key_figures, provenance
from revops_ma.report.html import Markup, element
from revops_ma.report.moves import moves_section
from revops_ma.report.outcomes import outcome_sections
from revops_ma.report.payoff import payoff_section, strength_section, tiles
from revops_ma.report.regret import regret_section
from revops_ma.report.samples import samples_section

_HERE = Path(__file__).parent
LINKS = {
    "payoff": "Payoff",
    "strength": "Strength",
    "outcomes": "Outcomes",
    "survival": "Survival",
    "endings": "Endings",
    "returns": "Returns",
    "moves": "Moves",
    "samples": "Sample episodes",
    "regret": "Regret",
    "provenance": "Provenance",
}
"""Sections by anchor, in the order of the page."""


def page(findings: Findings) -> str:
    """Write the whole document. The same run gives the same bytes."""
    is_cup = findings.kind == "tournament"
    sections = {
        "payoff": payoff_section(findings) if is_cup else None,
        "strength": strength_section(findings) if is_cup else None,
        **outcome_sections(findings),
        "moves": moves_section(findings),
        "samples": samples_section(findings),
        "regret": regret_section(findings),
        "provenance": provenance(findings),
    }
    shown = {anchor: made for anchor, made in sections.items() if made is not None}
    names = " vs ".join(findings.pairings[0].players) if not is_cup else findings.scenario
    return document(
        f"{findings.kind}: {names}",
        heading(findings),
        key_figures(findings, tiles(findings) if is_cup else ()),
        figures_table(findings),
        h.nav((h.a(LINKS[at], href=f"#{at}") for at in shown), aria_label="Sections"),
        shown.values(),
    )


def document(name: str, *children: object) -> str:
    """Write a whole page: title, style and script around what it shows."""
    body = element("body", h.main(*children))
    return f"<!doctype html>\n{element('html', _head(name), body, lang='en')}\n"


def _head(name: str) -> Markup:
    style, script = _file("style.css"), _file("script.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}';"
        " base-uri 'none'; form-action 'none'"
    )
    return element(
        "head",
        h.element("meta", charset="utf-8"),
        h.element("meta", http_equiv="Content-Security-Policy", content=policy),
        h.element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        h.title(name),
        element("style", Markup(style)),
        element("script", Markup(script)),
    )


def _file(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
