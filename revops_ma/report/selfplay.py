"""The page of a self-play run: how exploitable each pilot was, the payoff matrix, the mixtures."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from revops_ma.arena.statistics import Estimate
from revops_ma.errors import BadInput
from revops_ma.report import html as h
from revops_ma.report.charts.bars import Bar, bars
from revops_ma.report.charts.frame import plain, series_class
from revops_ma.report.charts.heatmap import Cell, heatmap
from revops_ma.report.charts.lines import Line, LineChart, line_chart
from revops_ma.report.html import Markup
from revops_ma.report.page import document
from revops_ma.report.parts import (
    Column,
    estimate_columns,
    folded_table,
    grid,
    legend,
    panel,
    section,
    table,
)
from revops_ma.report.units import PLAIN, SHARE
from revops_ma.run import REPORT, write_atomically
from revops_ma.training.league.league import SUMMARY

EVIDENCE = "evidence.json"
Said = dict[str, Any]


def is_selfplay(folder: Path) -> bool:
    """Whether a directory was written by `revops-ma selfplay` and all rounds are over."""
    return (folder / SUMMARY).is_file()


def write(folder: Path) -> Path:
    """Write `report.html` into the directory of a self-play run; BadInput if it is none."""
    if not is_selfplay(folder):
        raise BadInput(f"{folder} is no self-play run that has ended: it has no {SUMMARY}")
    said = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
    proof = folder / EVIDENCE
    evidence = json.loads(proof.read_text(encoding="utf-8")) if proof.is_file() else None
    target = folder / REPORT
    write_atomically(target, _page(said, evidence))
    return target


def _page(said: Said, evidence: Said | None) -> str:
    settings = said["settings"]
    title = f"Self-play on {said['scenario']}"
    lead = (
        f"{settings['rounds']} rounds, mixing {settings['mixing']}, seed {settings['seed']};"
        f" {said['months']:,} months of training, {said['cpu_seconds'] / 60:.1f} min of CPU time."
        f" Strongest: {said['strongest']}."
    )
    return document(
        title,
        h.header(h.h1(title), h.p(lead, class_="lead")),
        evidence_section(evidence) if evidence else None,
        _rounds(said),
        _matrix(said),
        _mixtures(said),
    )


def evidence_section(evidence: Said) -> Markup:
    """Survival of each examined pilot on held-out seeds, where it is worst and in all cases."""
    pilots = evidence["pilots"]
    columns = [Column("pilot"), Column("worst opponent"), *estimate_columns(("survival", SHARE))]
    rows = [[one["pilot"], one["worst"], _estimate(one["worst_survival"])] for one in pilots]
    gaps = [[gap["over"], _estimate(gap["points"])] for gap in evidence["gaps"]]
    foes = list(pilots[0]["survival"])
    every = [Column("opponent"), *estimate_columns(*((one["pilot"], SHARE) for one in pilots))]
    nothing = Estimate(None, None, None)
    by_foe = [
        [
            foe,
            *(
                _estimate(one["survival"][foe]) if foe in one["survival"] else nothing
                for one in pilots
            ),
        ]
        for foe in foes
    ]
    ahead = [Column("ahead of"), *estimate_columns(("worst case, points", SHARE))]
    return section(
        "evidence",
        "Worst case on held-out seeds",
        table("Survival where it is lowest", columns, rows),
        table("How far the worst case is ahead", ahead, gaps),
        folded_table("Survival against every opponent", every, by_foe),
        lead="Opponents: scripts, three fresh best responses to each pilot, the exact worst case.",
    )


def _rounds(said: Said) -> Markup:
    pilots = said["pilots"]
    lowest = [_low(pilot["scripts"]) for pilot in pilots]
    survivals = {
        "strongest fresh response": [_answered(pilot, "survival") for pilot in pilots],
        "all engines of the league": [pilot["worst_survival"]["mean"] for pilot in pilots],
        "worst script": lowest,
        "exact worst case": [_exact(pilot) for pilot in pilots],
    }
    gaps = {"exploitability": [pilot["exploitability"] for pilot in pilots]}
    shares = panel("Survival at worst", _lines("Survival at worst", survivals, (0.0, 1.0)))
    most = max(_finite(gaps))
    gap = panel(
        "Exploitability, at least",
        _lines("Exploitability", gaps, (min(0.0, *_finite(gaps)), max(most, 1.0))),
        "Value of the matrix game less the return that the strongest of all engines leaves",
    )
    columns = [
        Column("pilot"),
        Column("fresh responses", SHARE),
        Column("exploitability", PLAIN),
        Column("worst engine"),
        *estimate_columns(("survival", SHARE)),
    ]
    rows = [
        [
            pilot["name"],
            _spread(pilot),
            pilot["exploitability"],
            pilot["worst"],
            _estimate(pilot["worst_survival"]),
        ]
        for pilot in pilots
    ]
    entries = [(name, series_class(at)) for at, name in enumerate(survivals)]
    return section(
        "rounds",
        "Round by round",
        legend(entries),
        grid([shares, gap]),
        table("Pilots on validation seeds", columns, rows),
        lead=(
            "Each pilot is answered by fresh best responses that were trained against it alone: a"
            " bound on how exploitable it is, from below. Later engines, and sparring partners that"
            " followed it for longer, may be stronger."
        ),
    )


def _matrix(said: Said) -> Markup:
    names = [pilot["name"] for pilot in said["pilots"]]
    cells = {
        (pilot, engine): _cell(pilot, engine, said["payoff"][pilot].get(engine))
        for pilot in names
        for engine in said["engines"]
    }
    drawn = heatmap("Survival by pilot and engine", (names, said["engines"]), cells, 1.0)
    scroll = h.div(drawn, class_="scroll", tabindex="0", role="region", aria_label="Payoff matrix")
    return section(
        "matrix",
        "Payoff matrix",
        scroll,
        lead="Survival of every pilot against every engine: scripts first, then round by round.",
    )


def _cell(pilot: str, engine: str, said: Mapping[str, Any] | None) -> Cell:
    if said is None:
        return Cell(None, "", f"{pilot} vs {engine}\nnot played")
    survival, paid = _estimate(said["survival"]), _estimate(said["episode_return"])
    note = f"{pilot} vs {engine}\n{SHARE.interval(survival)}\nreturn: {PLAIN.interval(paid)}"
    return Cell(survival.mean, f"{survival.mean:.0%}", note)


def _mixtures(said: Said) -> Markup:
    last = said["pilots"][-1]
    met = {identity.split("@")[0]: share for identity, share in last["mixture"].items()}
    return section(
        "mixtures",
        "Mixtures",
        grid(
            [
                panel("Nash mixture of the pilots", _bars("pilots", said["nash"]["pilots"])),
                panel("Nash mixture of the engines", _bars("engines", said["nash"]["engines"])),
                panel(f"What {last['name']} met in training", _bars("met", met)),
            ]
        ),
        lead=f"The value of the matrix game of returns is {said['value']:.2f}.",
    )


def _bars(label: str, shares: Mapping[str, float]) -> Markup:
    most = sorted(shares.items(), key=lambda item: (-round(item[1], 9), item[0]))
    rows = [Bar(name, x, f"{x:.0%}", f"{name}: {x:.2%}") for name, x in most if x >= 0.005]
    return bars(f"Shares: {label}", rows, 0, max(row.value for row in rows))


def _lines(label: str, values: Mapping[str, Sequence[float]], ends: tuple[float, float]) -> Markup:
    lines = [Line(name, found, at) for at, (name, found) in enumerate(values.items())]
    chart = LineChart(
        label=label,
        x_name="round",
        x_high=max(len(line.values) for line in lines) - 1,
        y=ends,
        show=plain,
        tell=lambda value: f"{value:,.3g}",
        step="round",
    )
    return line_chart(chart, lines)


def _finite(values: Mapping[str, Sequence[float]]) -> list[float]:
    return [each for found in values.values() for each in found if math.isfinite(each)] or [0.0]


def _low(scripts: Mapping[str, Any]) -> float:
    return min(figure["mean"] for figure in scripts.values())


def _answered(pilot: Said, what: str) -> float:
    return _number(pilot["answer"][what] if pilot["answer"] else None)


def _exact(pilot: Said) -> float:
    found = (pilot["answer"] or {}).get("exact")
    return _number(found["survival"]["mean"] if found else None)


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _spread(pilot: Said) -> str:
    answer = pilot["answer"]
    return " ".join(f"{each:.0%}" for each in answer["survivals"]) if answer else "not answered"


def _estimate(said: Mapping[str, Any]) -> Estimate:
    return Estimate(**said)
