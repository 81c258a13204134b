"""Run the claims of a scenario as checks."""

from __future__ import annotations

import importlib
import time
from collections.abc import Sequence
from importlib.util import find_spec

from revops_ma import catalog
from revops_ma.arena.audit import ladder, openloop, rewards, sameness, strength, usage
from revops_ma.arena.audit.certificate import Certificate, Check
from revops_ma.arena.audit.lab import HELD_OUT, TRAINING_OFFSET, Laboratory
from revops_ma.arena.audit.measure import measure
from revops_ma.catalog import Scenario
from revops_ma.claims import (
    BatchIsScalar,
    Claim,
    ContractHolds,
    ReplayIsLive,
    SignalsAddUp,
    ZeroSum,
)
from revops_ma.errors import BadInput
from revops_ma.luck import MAX_SEED, check_seed
from revops_ma.progress import track

FAMILIES = (rewards, sameness, strength, openloop, ladder, usage)
"""Modules that know how to measure a type of claim; importing them registers it."""
LAST_SEED = MAX_SEED - 10 * TRAINING_OFFSET
"""Largest first seed: the training seeds lie behind it."""

EVERY_WORLD: tuple[Claim, ...] = (
    SignalsAddUp(
        name="signals add up",
        why="The signals of every step sum left to right to its reward, bit for bit.",
    ),
    ZeroSum(
        name="zero-sum",
        why="What one side gets the other loses, in every step and in the totals, to the last bit.",
    ),
    BatchIsScalar(
        name="batch = scalar",
        why="A game is the same, bit for bit, alone, in batches of any size and among many.",
    ),
    ReplayIsLive(
        name="replay = live",
        why="Recorded moves of both sides give the same game again, bit for bit.",
        seeds=24,
    ),
    ContractHolds(
        name="contract",
        why="The world passes the contract tests: shapes, bounds, copies, forks, readers.",
    ),
)
"""Claims of worlds that offer none of their own."""


def audit(
    scenario: str | Scenario,
    *,
    quick: bool = False,
    seed: int | None = None,
    claims: Sequence[Claim] | None = None,
) -> Certificate:
    """Measure every claim of a scenario, or those given.

    `seed` is the first of the seeds that figures are measured on. A quick audit plays fewer of
    them, and its certificate says so. Raises BadInput for an unknown scenario or a bad seed.
    """
    started = time.perf_counter()
    scene = catalog.scenario(scenario) if isinstance(scenario, str) else scenario
    first = HELD_OUT if seed is None else check_seed(seed)
    if first > LAST_SEED:
        raise BadInput.of("--seed", first, f"at most {LAST_SEED}")
    lab = Laboratory(scene, quick, first)
    claimed = claims_of(scene) if claims is None else claims
    checks = []
    with track("audit: checks", len(claimed)) as advance:
        for claim in claimed:
            checks.append(_checked(claim, lab))
            advance(1)
    most = max((lab.scaled(claim.seeds) for claim in claimed), default=1)
    return Certificate(
        scenario=scene,
        checks=checks,
        seeds={"measured": (first, first + most - 1), "training": _ends(lab)},
        quick=quick,
        seconds=time.perf_counter() - started,
    )


def claims_of(scene: Scenario) -> Sequence[Claim]:
    """The claims that a scenario's world offers, or those that hold for every world."""
    module = f"revops_ma.worlds.{scene.world.name}.claims"
    if find_spec(module) is None:
        return EVERY_WORLD
    offered: Sequence[Claim] = importlib.import_module(module).claims(scene.settings)
    return offered


def _checked(claim: Claim, lab: Laboratory) -> Check:
    started = time.perf_counter()
    finding = measure(claim, lab)
    return Check(claim.name, claim.why, finding, time.perf_counter() - started)


def _ends(lab: Laboratory) -> tuple[int, int]:
    seeds = lab.training(1)
    return seeds.start, seeds.start + openloop.ROUNDS * openloop.SEEDS + openloop.FINAL_SEEDS - 1
