"""Run the claims of a scenario as checks."""

from __future__ import annotations

import importlib
import time
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

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
    pilot: str | None = None,
) -> Certificate:
    """Measure every claim of a scenario, or those given; with `pilot` those about it alone.

    `seed` is the first of the seeds that figures are measured on. A quick audit plays fewer of
    them, and its certificate says so. Raises BadInput for an unknown scenario or a bad seed.
    """
    started = time.perf_counter()
    scene = catalog.scenario(scenario) if isinstance(scenario, str) else scenario
    first = HELD_OUT if seed is None else check_seed(seed)
    if first > LAST_SEED:
        raise BadInput.of("--seed", first, f"at most {LAST_SEED}")
    lab = Laboratory(scene, quick, first)
    if claims is None:
        claims = claims_of(scene) if pilot is None else claims_about(scene, pilot)
    checks = []
    with track("audit: checks", len(claims)) as advance:
        for claim in claims:
            checks.append(_checked(claim, lab))
            advance(1)
    most = max((lab.scaled(claim.seeds) for claim in claims), default=1)
    return Certificate(
        scenario=scene,
        checks=checks,
        seeds={"measured": (first, first + most - 1), "training": _ends(lab)},
        quick=quick,
        seconds=time.perf_counter() - started,
    )


def claims_of(scene: Scenario) -> Sequence[Claim]:
    """The claims that a scenario's world offers, or those that hold for every world."""
    module = _claims_module(scene)
    offered: Sequence[Claim] = module.claims(scene.settings) if module else EVERY_WORLD
    return offered


def claims_about(scene: Scenario, pilot: str) -> Sequence[Claim]:
    """What a scenario's world claims about a pilot; BadInput where that is nothing."""
    module = _claims_module(scene)
    if not hasattr(module, "pilot_claims"):
        raise BadInput(f"the world {scene.world.name} claims nothing about single pilots")
    offered: Sequence[Claim] = module.pilot_claims(scene.settings, pilot)
    return offered


def _claims_module(scene: Scenario) -> Any:
    module = f"revops_ma.worlds.{scene.world.name}.claims"
    return importlib.import_module(module) if find_spec(module) is not None else None


def _checked(claim: Claim, lab: Laboratory) -> Check:
    started = time.perf_counter()
    finding = measure(claim, lab)
    return Check(claim.name, claim.why, finding, time.perf_counter() - started)


def _ends(lab: Laboratory) -> tuple[int, int]:
    seeds = lab.training(1)
    return seeds.start, seeds.start + openloop.ROUNDS * openloop.SEEDS + openloop.FINAL_SEEDS - 1
