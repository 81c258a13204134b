"""Checks of what a step pays: its range, its parts, and that one side's gain is the other's loss.

Every step of every game counts, on reckless play and on the matchups that the claim names.
"""

from __future__ import annotations

import numpy as np

from revops_ma.arena.audit.lab import Laboratory
from revops_ma.arena.audit.measure import measure
from revops_ma.claims import NOTHING_WRONG, Finding, RewardsStayInRange, SignalsAddUp, ZeroSum


@measure.register
def _(claim: RewardsStayInRange, lab: Laboratory) -> Finding:
    outside = steps = 0
    lowest, highest = np.inf, -np.inf
    for _, table in lab.tables(claim.matchups, claim.seeds):
        for turn in table.log:
            paid = turn.outcome.rewards[turn.outcome.scored, 0]
            steps += len(paid)
            outside += int((~((paid >= claim.low) & (paid <= claim.high))).sum())
            lowest, highest = paid.min(initial=lowest), paid.max(initial=highest)
    told = f"{steps:,} steps paid between {lowest:.3f} and {highest:.3f}."
    return Finding(outside, NOTHING_WRONG, told)


@measure.register
def _(claim: SignalsAddUp, lab: Laboratory) -> Finding:
    wrong = steps = 0
    for _, table in lab.tables(claim.matchups, claim.seeds):
        for turn in table.log:
            signals = turn.outcome.signals
            total = np.zeros(len(signals))
            for part in signals.T:
                total = total + part
            steps += int(turn.outcome.scored.sum())
            wrong += int((total != turn.outcome.rewards[:, 0]).sum())
    return Finding(wrong, NOTHING_WRONG, f"Worked out for {steps:,} steps.")


@measure.register
def _(claim: ZeroSum, lab: Laboratory) -> Finding:
    wrong = games = 0
    for _, table in lab.tables(claim.matchups, claim.seeds):
        for turn in table.log:
            wrong += int((turn.outcome.rewards.sum(axis=1) != 0.0).sum())
        wrong += int((table.returns.sum(axis=1) != 0.0).sum())
        games += len(table)
    return Finding(wrong, NOTHING_WRONG, f"Worked out for every step and total of {games:,} games.")
