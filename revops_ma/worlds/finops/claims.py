"""What the support desk claims of itself, and the figures that make it weaker than it looks.

On the three fixed tickets no ceiling for thoughtless agents can hold: discounting every active
customer scores 0.843 in task 2, cancelling blindly 0.98 in task 3. Those are told as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from revops_ma.claims import (
    NOTHING_WRONG,
    BatchIsScalar,
    Bound,
    Claim,
    ContractHolds,
    Finding,
    Lab,
    Measured,
    ReplayIsLive,
    RewardsStayInRange,
    Scripted,
    SignalsAddUp,
    Winnable,
    ZeroSum,
)
from revops_ma.table import Table
from revops_ma.worlds.finops.bots import pilot_submit_at_once
from revops_ma.worlds.finops.calls import Call
from revops_ma.worlds.finops.desk import Desk
from revops_ma.worlds.finops.engine import REGRESSION_COST, STEP_COST, serve
from revops_ma.worlds.finops.grading import FLOOR, SPAN, golden_set
from revops_ma.worlds.finops.oracle import next_call, solves
from revops_ma.worlds.finops.settings import Settings
from revops_ma.worlds.finops.tickets import Family, fixed_tasks

KNOWN = {"task1": 0.50, "task2": 0.843, "task3": 0.98}
"""Most that a thoughtless agent scores on a fixed ticket; a higher figure would be a new hole."""
THOUGHTLESS = ("do-nothing", Scripted("submit-at-once", pilot_submit_at_once), "shotgun", "random")
SEEDS = 100
"""Tickets: on a fixed task they differ only in the luck of who plays."""


def claims(settings: Settings) -> Sequence[Claim]:
    """The claims of a scenario."""
    found = [*_sound(), *_solvable(), _thoughtless(settings), _loophole(settings)]
    if settings.task is not None:
        found.append(
            Measured(
                name="golden rule = pinned set",
                why="Ids on which the rule over the database and the pinned answer disagree.",
                measure=partial(_measure_golden, task=settings.task),
            )
        )
    return found


def _sound() -> list[Claim]:
    hostile = (("shotgun", "random"), ("random", "worst"))
    able = (("careful", "worst"),)
    return [
        RewardsStayInRange(
            name="reward range",
            why="Steps that pay outside [-0.51, 0.97], on random and hostile play.",
            low=STEP_COST + REGRESSION_COST,
            high=STEP_COST + FLOOR + SPAN,
            matchups=hostile,
            seeds=60,
        ),
        SignalsAddUp(
            name="signals add up",
            why="Steps whose four parts, summed left to right, are not the reward bit for bit.",
            matchups=hostile,
            seeds=60,
        ),
        ZeroSum(
            name="zero-sum",
            why="Steps or episodes in which both sides' rewards do not cancel to the last bit.",
            matchups=hostile,
            seeds=60,
        ),
        BatchIsScalar(
            name="batch = scalar",
            why="Games that differ in any bit when played alone or in batches of other sizes.",
            matchups=able,
            seeds=40,
        ),
        ReplayIsLive(
            name="replay = live",
            why="Games whose recorded moves do not give the same game again, bit for bit.",
            matchups=able,
            seeds=30,
        ),
        ContractHolds(
            name="contract",
            why="Promises of a world that this one breaks: shapes, bounds, copies, forks, texts,"
            " readers that refuse garbage.",
        ),
    ]


def _solvable() -> list[Claim]:
    return [
        Measured(
            name="oracle solves all",
            why="Tickets that an oracle, which knows the answer, cannot solve within the budget.",
            measure=_measure_oracle,
        ),
        Measured(
            name="stays solvable",
            why="Disturbances after which a ticket that could still be solved cannot be any more.",
            measure=_measure_storm,
        ),
        Winnable(
            name="reference solves all",
            why="Share of tickets that the reference pilot, which sees no more than any other,"
            " solves within the budget while nothing disturbs it.",
            pilot="optimal",
            crisis="none",
            share=1.0,
            seeds=SEEDS,
        ),
    ]


def _thoughtless(settings: Settings) -> Claim:
    if settings.generate is not None:
        why = (
            "Highest score of an agent that does not think on any ticket: below the card's ceiling."
        )
        of, bound = "highest score", Bound("<", settings.generate.ceiling)
    else:
        why = (
            "Mean score of the best agent that does not think. On a fixed ticket no ceiling can"
            " hold: the known figure is the bound. Read every score beside it."
        )
        of, bound = "mean score", Bound("<=", KNOWN.get(settings.task or "", 1.0))
    measure = partial(_measure_thoughtless, of=of, bound=bound)
    return Measured(name="thoughtless agents", why=why, measure=measure, seeds=SEEDS)


def _loophole(settings: Settings) -> Claim:
    return Measured(
        name="wrong write first",
        why="What a wrong write pays as the very first step where regression is measured by the"
        " best score still reachable. Where it is measured by the score so far (the source's"
        f" rule), that write is nearly free. This scenario goes by {settings.regression!r}.",
        measure=_measure_loophole,
    )


def _measure_oracle(lab: Lab) -> Finding:
    unsolved = [not solves(desk) for desk in _dealt(lab)]
    return Finding(sum(unsolved), NOTHING_WRONG, f"{len(unsolved)} tickets.")


def _measure_storm(lab: Lab) -> Finding:
    spoiled = turns = 0
    for pilot, crisis in (("careful", "worst"), ("optimal", "random"), ("shotgun", "worst")):
        table = Table(lab.scenario.world, lab.scenario.settings, lab.held_out(SEEDS // 4))
        before: list[bool] = []
        for view, after in _crisis_turns(table, lab.seat(pilot, crisis)):
            if after:
                spoiled += sum(
                    could and not solves(table.games[row])
                    for could, row in zip(before, view.rows, strict=True)
                )
                turns += len(before)
            else:
                before = [solves(table.games[row]) for row in view.rows]
    return Finding(spoiled, NOTHING_WRONG, f"{turns:,} turns of the crisis side.")


def _crisis_turns(table: Table, players: Any) -> Iterator[tuple[Any, bool]]:
    """Play a table; stop before (False) and after (True) every turn of the crisis side."""
    while views := table.waiting():
        for view in views:
            if view.role_index:
                yield view, False
            table.take(view, players[view.role.name].act(view))
            if view.role_index:
                yield view, True


def _measure_thoughtless(lab: Lab, *, of: str, bound: Bound) -> Finding:
    scores = {}
    for pilot in THOUGHTLESS:
        name = pilot if isinstance(pilot, str) else pilot.name
        score = lab.play(pilot, "none", SEEDS).facts["score"]
        # The mean of equal scores need not be that score to the last bit: hence the rounding.
        mean, highest = round(float(score.mean()), 9), round(float(score.max()), 9)
        scores[name] = {"mean score": mean, "highest score": highest}
    told = "; ".join(f"{name} {score[of]:.4f}" for name, score in scores.items()) + "."
    rows = [{"agent": name, **score} for name, score in scores.items()]
    return Finding(max(score[of] for score in scores.values()), bound, told, rows)


def _measure_golden(lab: Lab, *, task: str) -> Finding:
    pinned = fixed_tasks()[task].golden
    named = {found for ids in pinned.values() if isinstance(ids, list) for found in ids}
    (desk,) = lab.scenario.world.deal(lab.scenario.settings, [0])
    by_rule = golden_set(desk)
    return Finding(len(by_rule ^ named), NOTHING_WRONG, f"Both name {', '.join(sorted(named))}.")


def _measure_loophole(lab: Lab) -> Finding:
    paid = {mode: max(_wrong_first(lab, mode)) for mode in ("reachable", "score")}
    told = f"It pays {paid['reachable']:.2f} there, {paid['score']:.2f} by the source's rule."
    return Finding(paid["reachable"], Bound("<=", REGRESSION_COST), told, [paid])


def _wrong_first(lab: Lab, regression: str) -> Iterator[float]:
    """Rewards of a wrong write made first, in each ticket that has something wrong to write to."""
    settings = lab.scenario.settings.model_copy(update={"regression": regression})
    for desk in lab.scenario.world.deal(settings, lab.held_out(SEEDS // 4)):
        yield serve(desk, wrong_write(desk)).reward


def wrong_write(desk: Desk) -> Call:
    """A write of the ticket's own kind to the first record that the rule does not want written."""
    family = desk.ticket.family
    tables = desk.tables
    records = {
        Family.REFUND: tables.invoices,
        Family.LOYALTY: tables.customers,
        Family.CROSSCHECK: tables.subscriptions,
    }[family]
    target = next(
        found
        for found, row in sorted(records.items())
        if found not in desk.golden and getattr(row, "status", "") not in ("refunded", "cancelled")
    )
    deceived = desk.copy()
    deceived.golden = frozenset({target})
    return next_call(deceived)


def _dealt(lab: Lab) -> Sequence[Desk]:
    desks: Sequence[Desk] = lab.scenario.world.deal(lab.scenario.settings, lab.held_out(SEEDS))
    return desks
