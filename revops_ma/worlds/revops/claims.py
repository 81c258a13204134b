"""What the company world claims of itself; `revops-ma audit` measures it.

Ceilings and floors stand where they do because of what was measured on seeds 1,000,000 and up,
with slack for other seeds; they are no wishes. A change of the rules that crosses one has changed
what the world asks of its players, and has to be told.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from revops_ma.claims import (
    AllKindsUsed,
    BatchIsScalar,
    Ceiling,
    Claim,
    ContractHolds,
    Ladder,
    Measured,
    OpenLoopCeiling,
    Outearns,
    ReplayIsLive,
    RewardsStayInRange,
    Scripted,
    SignalsAddUp,
    Winnable,
    ZeroSum,
)
from revops_ma.worlds.revops.bots.reckless import (
    degenerate_pilots,
    full_force,
    one_signal_planners,
    wild_action,
    wild_crisis,
)
from revops_ma.worlds.revops.games import CRISIS_SEAT, PILOT_SEAT
from revops_ma.worlds.revops.injection import NO_INJECTION, pilot_claims
from revops_ma.worlds.revops.rewards import DEATH_PENALTY, WORST_MONTH
from revops_ma.worlds.revops.steering import DECOY_SEEDS, measure_decoys

__all__ = ["claims", "pilot_claims"]

ENGINE = "rule-based"
"""The crisis engine that claims are about unless they name another."""


class Limits(NamedTuple):
    """Bounds that depend on the difficulty."""

    thoughtless_survival: float
    thoughtless_return: float
    open_loop_survival: float | None
    """None where no ceiling could fail: on easy a good fixed sequence survives 98 %."""
    open_loop_return: float
    one_signal_margin: float
    winnable: float
    decoy: float
    crisis_share: float
    crisis_seeds: int = 200


LIMITS = {
    # Measured: 0.69 (heuristic 1.00), 18.1 (23.4), none, 22.2, 2.4, 1.00, 0.00, 0.025.
    "easy": Limits(0.80, 19.5, None, 22.9, 1.0, 0.93, 0.05, 0.005),
    # Measured: 0.27 (heuristic 0.74), 9.9 (18.6), 0.62, 16.0, 4.1, 0.97, 0.01, 0.016.
    "normal": Limits(0.40, 12.0, 0.70, 17.0, 2.5, 0.90, 0.05, 0.005),
    # Measured: 0.11 (heuristic 0.36), 4.2 (11.0), 0.37, 7.8, 1.7, 0.45, 0.07, 0.0027. A fixed
    # sequence survives as often as the heuristic here, and earns far less. The hunter hardly ever
    # needs CASH_CRUNCH, so its share takes more seeds to tell from none.
    "hard": Limits(0.20, 6.0, 0.52, 9.0, 0.8, 0.30, 0.12, 0.001, crisis_seeds=600),
}


def claims(settings: Any) -> Sequence[Claim]:
    """The claims of a scenario.

    Strength was measured for the three difficulties as they are; other settings keep only the
    claims that hold for any.
    """
    limits = LIMITS[settings.difficulty]
    if settings != type(settings)(difficulty=settings.difficulty):
        return _sound()
    return (*_sound(), *_demanding(limits), *_adversarial(limits), *_winnable())


def _sound() -> tuple[Claim, ...]:
    """What must hold to the last bit, whatever the settings."""
    hostile = (
        (Scripted("wild", wild_action), Scripted("wild", wild_crisis)),
        ("random", Scripted("full force", full_force)),
        ("heuristic", "lookahead"),
        ("do-nothing", "hunter"),
    )
    able = (("heuristic", ENGINE), ("planner", "hunter"))
    return (
        RewardsStayInRange(
            name="reward range",
            why="Months that pay outside [-2.35, 1], on random and hostile play.",
            low=WORST_MONTH - DEATH_PENALTY,
            high=1.0,
            matchups=hostile,
        ),
        SignalsAddUp(
            name="signals add up",
            why="Months whose four weighted signals and death penalty, summed left to right, are"
            " not the reward bit for bit.",
            matchups=hostile,
        ),
        ZeroSum(
            name="zero-sum",
            why="Months or episodes in which both sides' rewards do not cancel to the last bit.",
            matchups=hostile,
        ),
        BatchIsScalar(
            name="batch = scalar",
            why="Games that differ in any bit when played alone or in batches of other sizes.",
            matchups=able,
            seeds=80,
        ),
        ReplayIsLive(
            name="replay = live",
            why="Games whose recorded moves do not give the same game again, bit for bit.",
            matchups=able,
            seeds=40,
        ),
        ContractHolds(
            name="contract",
            why="Promises of a world that this one breaks: shapes, bounds, copies, forks, texts,"
            " readers that refuse garbage.",
        ),
        NO_INJECTION,
    )


def _demanding(limits: Limits) -> list[Claim]:
    """That the company cannot be run without looking at it."""
    thoughtless = degenerate_pilots()
    about = (
        "Each action at three magnitudes every month, all in turn, random, none. Of these no pilot"
    )
    blind = (
        "The best fixed sequence of 30 moves that a cross-entropy search finds on training seeds"
    )
    found: list[Claim] = [
        Ceiling(
            name="degenerate pilots: survival",
            why=f"{about} survives more often.",
            pilots=thoughtless,
            crisis=ENGINE,
            of="survival",
            limit=limits.thoughtless_survival,
            seeds=1_000,
        ),
        Ceiling(
            name="degenerate pilots: return",
            why=f"{about} earns more.",
            pilots=thoughtless,
            crisis=ENGINE,
            of="return",
            limit=limits.thoughtless_return,
            seeds=1_000,
        ),
        OpenLoopCeiling(
            name="open loop: return",
            why=f"{blind} earns no more on held-out ones.",
            crisis=ENGINE,
            of="return",
            limit=limits.open_loop_return,
            seeds=1_000,
        ),
        Outearns(
            name="one signal is not enough",
            why="A planner that maximises one of the four signals alone earns less than the one"
            " that maximises the reward, by this much at least.",
            pilot="planner",
            rivals=one_signal_planners(),
            crisis=ENGINE,
            margin=limits.one_signal_margin,
        ),
    ]
    if limits.open_loop_survival is not None:
        found.insert(
            2,
            OpenLoopCeiling(
                name="open loop: survival",
                why=f"{blind} survives no more often on held-out ones.",
                crisis=ENGINE,
                of="survival",
                limit=limits.open_loop_survival,
                seeds=1_000,
            ),
        )
    return found


def _adversarial(limits: Limits) -> list[Claim]:
    """What the crisis engines are worth, and that all moves are."""
    return [
        Ladder(
            name="adversary ladder",
            why="How much more of a pilot's return best-constant and hunter take than rule-based,"
            " at the least (low end of the paired 95 % interval over all pilots). The source's"
            " targeted engine is weaker than the right crisis struck blindly every quarter. (exact"
            " strikes three times only, the others ten times.)",
            pilots=("random", "heuristic", "heuristic-tuned"),
            rungs=("none", "random", ENGINE, "lookahead", "best-constant", "hunter"),
            harder=("best-constant", "hunter"),
            than=ENGINE,
            slow_rungs=("exact",),
        ),
        Measured(
            name="decoys",
            why="Can a pilot steer the rule-based engine by holding one metric bad? It can draw"
            " the strikes, but no such pilot survives more often than the tuned heuristic that it"
            " is made of, by more than this share of seeds.",
            measure=partial(measure_decoys, limit=limits.decoy),
            seeds=DECOY_SEEDS,
        ),
        AllKindsUsed(
            name="every action is used",
            why="Share of the planner's moves that its rarest action makes up.",
            role=PILOT_SEAT,
            matchups=(("planner", ENGINE),),
            share=0.004,
        ),
        AllKindsUsed(
            name="every crisis is used",
            why="Share of the hunter's strikes, against three pilots, that its rarest crisis makes"
            " up.",
            role=CRISIS_SEAT,
            matchups=tuple(
                (pilot, "hunter") for pilot in ("heuristic", "heuristic-tuned", "planner")
            ),
            share=limits.crisis_share,
            seeds=limits.crisis_seeds,
            beside=(("planner", ENGINE), ("heuristic", ENGINE)),
        ),
    ]


def _winnable() -> list[Claim]:
    return [
        Winnable(
            name=f"winnable: {difficulty}",
            why=f"Share of seeds on {difficulty} that the planner survives against rule-based.",
            pilot="planner",
            crisis=ENGINE,
            share=limits.winnable,
            changes={"difficulty": difficulty},
        )
        for difficulty, limits in LIMITS.items()
    ]
