"""Checks that players who choose well choose from everything: no move is only decoration."""

from __future__ import annotations

from typing import Any

import numpy as np

from revops_ma.arena.audit.lab import Laboratory
from revops_ma.arena.audit.measure import measure
from revops_ma.arena.audit.strength import name_of
from revops_ma.claims import AllKindsUsed, Bound, Finding, Matchups


@measure.register
def _(claim: AllKindsUsed, lab: Laboratory) -> Finding:
    kinds = lab.scenario.world.roles[claim.role].kinds()
    counted = _counted(lab, claim.matchups, claim)
    pooled = np.sum(list(counted.values()), axis=0)
    shares = pooled / max(1, pooled.sum())
    rarest = int(shares.argmin())
    rows = [
        {"move": kind, "share": float(shares[at])}
        | {
            title: float(counts[at] / max(1, counts.sum()))
            for title, counts in (counted | _counted(lab, claim.beside, claim)).items()
        }
        for at, kind in enumerate(kinds)
    ]
    told = (
        f"The rarest is {kinds[rarest]}, the most frequent {kinds[int(shares.argmax())]}"
        f" with {shares.max():.1%} of {int(pooled.sum()):,} moves."
    )
    never = _never_used(rows, [f"{name_of(a)} vs {name_of(b)}" for a, b in claim.beside])
    return Finding(float(shares[rarest]), Bound(">=", claim.share), told + never, rows)


def _counted(lab: Laboratory, matchups: Matchups, claim: AllKindsUsed) -> dict[str, np.ndarray]:
    return {
        f"{name_of(pilot)} vs {name_of(crisis)}": lab.play(pilot, crisis, claim.seeds).kinds[
            claim.role
        ]
        for pilot, crisis in matchups
    }


def _never_used(rows: list[dict[str, Any]], titles: list[str]) -> str:
    """Which kinds the matchups that are shown beside never use, in words."""
    told = ""
    for title in titles:
        never = [row["move"] for row in rows if row[title] == 0.0]
        if never:
            told += f" Never used in {title}: {', '.join(never)}."
    return told
