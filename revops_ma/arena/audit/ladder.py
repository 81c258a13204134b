"""The adversary ladder: every crisis engine against several pilots, in its real order."""

from __future__ import annotations

from typing import Any

import numpy as np

from revops_ma.arena.audit.lab import Laboratory
from revops_ma.arena.audit.measure import measure
from revops_ma.arena.audit.strength import name_of
from revops_ma.arena.statistics import difference
from revops_ma.claims import Bound, Finding, Ladder, Player


@measure.register
def _(claim: Ladder, lab: Laboratory) -> Finding:
    least, at = np.inf, ""
    for pilot in claim.pilots:
        easier = lab.play(pilot, claim.than, claim.seeds).returns
        for crisis in claim.harder:
            harm = difference(easier, lab.play(pilot, crisis, claim.seeds).returns)
            if harm.low is not None and harm.low < least:
                least, at = harm.low, f"{crisis} against {name_of(pilot)}"
    rows = [row for pilot in claim.pilots for row in _rungs(claim, lab, pilot)]
    told = " ".join(
        f"Against {name_of(pilot)}, harmless to hard: {_order(rows, name_of(pilot))}."
        for pilot in claim.pilots
    )
    told += f" Least sure step: {at}."
    return Finding(float(least), Bound(">", 0), told, rows)


def _rungs(claim: Ladder, lab: Laboratory, pilot: Player) -> list[dict[str, Any]]:
    """One row per crisis engine, the most harmless first."""
    rungs = [(crisis, claim.seeds) for crisis in claim.rungs]
    rungs += [(crisis, claim.slow_seeds) for crisis in claim.slow_rungs]
    rows = []
    for crisis, seeds in rungs:
        played = lab.play(pilot, crisis, seeds)
        rows.append(
            {
                "pilot": name_of(pilot),
                "crisis": name_of(crisis),
                "survival": played.score("survival"),
                "return": played.score("return"),
                "episodes": len(played.won),
            }
        )
    return sorted(rows, key=lambda row: -row["return"])


def _order(rows: list[dict[str, Any]], pilot: str) -> str:
    return ", ".join(
        f"{row['crisis']} {row['return']:.1f}" for row in rows if row["pilot"] == pilot
    )
