"""Checks of how well pilots do: ceilings for those that do not think, floors for one that does."""

from __future__ import annotations

from typing import Any

from revops_ma.arena.audit.lab import Laboratory
from revops_ma.arena.audit.measure import measure
from revops_ma.arena.statistics import share
from revops_ma.claims import Bound, Ceiling, Finding, Outearns, Played, Player, Winnable


@measure.register
def _(claim: Ceiling, lab: Laboratory) -> Finding:
    played = {name_of(pilot): lab.play(pilot, claim.crisis, claim.seeds) for pilot in claim.pilots}
    ranked = sorted(played, key=lambda name: -played[name].score(claim.of))
    rows = [_row(name, played[name]) for name in ranked]
    told = f"Best of {len(ranked)}: {ranked[0]}."
    return Finding(played[ranked[0]].score(claim.of), Bound("<=", claim.limit), told, rows)


@measure.register
def _(claim: Outearns, lab: Laboratory) -> Finding:
    ours = lab.play(claim.pilot, claim.crisis, claim.seeds)
    theirs = {name_of(rival): lab.play(rival, claim.crisis, claim.seeds) for rival in claim.rivals}
    ahead = {name: float((ours.returns - rival.returns).mean()) for name, rival in theirs.items()}
    nearest = min(ahead, key=lambda name: ahead[name])
    rows = [_row(name_of(claim.pilot), ours)]
    rows += [_row(name, rival) | {"behind by": ahead[name]} for name, rival in theirs.items()]
    told = (
        f"{name_of(claim.pilot)} returns {ours.score('return'):.2f}, its nearest rival, {nearest},"
        f" {theirs[nearest].score('return'):.2f}."
    )
    return Finding(ahead[nearest], Bound(">=", claim.margin), told, rows)


@measure.register
def _(claim: Winnable, lab: Laboratory) -> Finding:
    other = lab.with_settings(claim.changes)
    played = other.play(claim.pilot, claim.crisis, claim.seeds)
    wins, count = int(played.won.sum()), len(played.won)
    estimate = share(wins, count)
    told = f"{wins} of {count} seeds, 95 % interval {estimate.low:.3f} to {estimate.high:.3f}."
    return Finding(wins / count, Bound(">=", claim.share), told)


def _row(name: str, played: Played) -> dict[str, Any]:
    return {
        "pilot": name,
        "survival": played.score("survival"),
        "return": played.score("return"),
    }


def name_of(player: Player) -> str:
    """Name of a player that is a card's name or an agent."""
    return player if isinstance(player, str) else player.name
