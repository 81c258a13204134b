"""Every claim of the company world can fail: a broken world makes exactly its check fail."""

from __future__ import annotations

import zlib
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from revops_ma import catalog
from revops_ma.arena.audit import audit
from revops_ma.arena.audit.audit import claims_of
from revops_ma.arena.audit.lab import Laboratory
from revops_ma.game import PlainOutcome
from revops_ma.worlds.revops import kernel
from revops_ma.worlds.revops.actions import NO_DECISION
from revops_ma.worlds.revops.claims import LIMITS, claims
from revops_ma.worlds.revops.crises import PASS, RULE_BASED
from revops_ma.worlds.revops.games import CRISIS_SEAT, PILOT_SEAT
from revops_ma.worlds.revops.narration import is_told
from revops_ma.worlds.revops.roles import Pilot
from revops_ma.worlds.revops.steering import Watched
from revops_ma.worlds.revops.world import RevOpsWorld, Settings, weigh

SCENE = catalog.scenario("revops/normal")
SOUND = (
    *("reward range", "signals add up", "zero-sum"),
    *("batch = scalar", "replay = live", "contract", "no injection"),
)
DEMANDING = (
    *("degenerate pilots: survival", "degenerate pilots: return"),
    *("open loop: survival", "open loop: return", "one signal is not enough"),
)
ADVERSARIAL = ("adversary ladder", "decoys", "every action is used", "every crisis is used")
WINNABLE = ("winnable: easy", "winnable: normal", "winnable: hard")


def named(scene, *names):
    return [claim for claim in claims_of(scene) if claim.name in names]


def failing(scene, claimed):
    return {
        check.name for check in audit(scene, quick=True, claims=claimed).checks if not check.holds
    }


def paying(outcome, signals):
    """The outcome with other signals, and the reward that they sum to."""
    total = np.zeros(len(signals))
    for part in signals.T:
        total = total + part
    return PlainOutcome(
        outcome.rows,
        np.stack((total, 0.0 - total), axis=1),
        outcome.scored,
        outcome.ended,
        outcome.detail,
        outcome.played,
        partial(known, signals),
    )


def known(signals, detail):
    return signals


class Broken(RevOpsWorld):
    """Rules of another version, so that nobody mistakes what was worked out for them."""

    difficulty = "normal"
    """Of the scenario in which it shows."""

    @property
    def version(self):
        return zlib.crc32(type(self).__name__.encode())


class Deadlier(Broken):
    """A death costs twice."""

    def apply(self, games, rows, role, batch):
        outcome = super().apply(games, rows, role, batch)
        signals = outcome.signals
        signals[:, -1] *= 2.0
        return paying(outcome, signals)


class Unexplained(Broken):
    """Every reward has 0.1 that no signal tells of."""

    def apply(self, games, rows, role, batch):
        outcome = super().apply(games, rows, role, batch)
        changed = paying(outcome, (outcome.rewards[:, :1] + 0.1) * outcome.scored[:, None])
        changed.weigh = weigh
        return changed


class Leaky(Broken):
    """The crisis engine gets less than the pilot loses."""

    def apply(self, games, rows, role, batch):
        outcome = super().apply(games, rows, role, batch)
        changed = paying(outcome, outcome.signals)
        changed.rewards[:, 1] *= 0.5
        return changed


class Crowded(Broken):
    """A lucky number of games side by side earns a dollar."""

    def apply(self, games, rows, role, batch):
        if len(games) == 7:
            games["mrr"][rows] += 1.0
        return super().apply(games, rows, role, batch)


class Rounding(Pilot):
    """Records two decimals of a magnitude."""

    def pack(self, batch):
        return [(action, round(magnitude, 2)) for action, magnitude in batch.tolist()]


class Forgetful(Broken):
    """Its records do not hold the whole move."""

    roles = (Rounding(), RevOpsWorld.roles[1])


class Mute(Broken):
    """Tells nothing."""

    def describe(self, games, rows, role):
        return [""] * len(rows)


class Gossip(Broken):
    """The pilot hears whatever the crisis engine says."""

    said = ""

    def apply(self, games, rows, role, batch):
        if role == CRISIS_SEAT:
            self.said = str(batch["story"][0]) if is_told(batch) else ""
        return super().apply(games, rows, role, batch)

    def describe(self, games, rows, role):
        return [f"{text}\n{self.said}".rstrip() for text in super().describe(games, rows, role)]


class Immortal(Broken):
    """Everybody counts as alive in the end."""

    def won(self, games, rows):
        return np.ones(len(rows), np.bool_)


class Generous(Broken):
    """A month without a decision pays nearly all there is."""

    def apply(self, games, rows, role, batch):
        outcome = super().apply(games, rows, role, batch)
        idle = (games[rows]["action_1"] == NO_DECISION) & outcome.scored
        signals = outcome.signals
        signals[idle] = (0.9, 0.0, 0.0, 0.0, 0.0)
        return paying(outcome, signals)


class Tame(Broken):
    """Whoever plays the crisis engine, the rule-based one strikes."""

    def apply(self, games, rows, role, batch):
        if role == CRISIS_SEAT:
            batch = np.zeros(len(rows), kernel.CRISIS_MOVE)
            batch["crisis"] = RULE_BASED
            batch["r1"] = batch["r2"] = 1.0
        return super().apply(games, rows, role, batch)


class LightningRod(Broken):
    """Who lets CAC explode is left alone by crises."""

    difficulty = "hard"

    def apply(self, games, rows, role, batch):
        if role == CRISIS_SEAT:
            batch = batch.copy()
            batch["crisis"][games["cac"][rows] > 2_000.0] = PASS
        return super().apply(games, rows, role, batch)


class Decorated(Broken):
    """Investing in features is not on offer, whatever the list of actions says."""

    def apply(self, games, rows, role, batch):
        if role == PILOT_SEAT:
            batch = batch.copy()
            batch["action"][batch["action"] == 6] = NO_DECISION
        return super().apply(games, rows, role, batch)


class Cursed(Broken):
    """Every strike drives customers away for good."""

    def apply(self, games, rows, role, batch):
        if role == CRISIS_SEAT:
            games["churn"][rows] += 0.05
        return super().apply(games, rows, role, batch)


@pytest.mark.parametrize(
    ("world", "group", "expected"),
    [
        (Deadlier(), SOUND, {"reward range"}),
        (Unexplained(), SOUND, {"reward range", "signals add up", "contract"}),
        (Leaky(), SOUND, {"zero-sum", "contract"}),
        (Crowded(), SOUND, {"batch = scalar"}),
        (Forgetful(), SOUND, {"replay = live"}),
        (Mute(), SOUND, {"contract"}),
        (Gossip(), SOUND, {"no injection"}),
        (Immortal(), DEMANDING, {"degenerate pilots: survival", "open loop: survival"}),
        (Generous(), DEMANDING, {"degenerate pilots: return"}),
        (Tame(), ADVERSARIAL, {"adversary ladder", "every crisis is used"}),
        (LightningRod(), ADVERSARIAL, {"decoys"}),
        (Decorated(), ADVERSARIAL, {"every action is used"}),
        (Cursed(), WINNABLE, set(WINNABLE)),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, RevOpsWorld) else "",
)
def test_a_broken_world_makes_exactly_its_check_fail(world, group, expected):
    scene = replace(catalog.scenario(f"revops/{world.difficulty}"), world=world)
    assert failing(scene, named(scene, *group)) == expected


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("degenerate pilots: survival", {"pilots": ("heuristic",)}),
        ("degenerate pilots: return", {"pilots": ("heuristic",)}),
        ("open loop: survival", {"crisis": "none"}),
        ("open loop: return", {"crisis": "none"}),
        ("one signal is not enough", {"pilot": "random"}),
        ("one signal is not enough", {"rivals": ("planner",)}),
        ("adversary ladder", {"harder": ("lookahead",)}),
        ("every action is used", {"matchups": (("fixed-marketing", "none"),)}),
        ("every crisis is used", {"matchups": (("heuristic", "rule-based"),)}),
        ("winnable: normal", {"pilot": "random"}),
    ],
)
def test_a_claim_about_the_wrong_players_fails(name, changes):
    (claim,) = named(SCENE, name)
    assert failing(SCENE, [replace(claim, **changes)]) == {name}


def test_all_claims_hold_in_a_quick_audit():
    assert failing(SCENE, claims_of(SCENE)) == set()


@pytest.mark.slow
@pytest.mark.parametrize("difficulty", LIMITS)
def test_all_claims_hold_within_three_minutes(difficulty):
    certificate = audit(f"revops/{difficulty}")
    assert [check.name for check in certificate.checks if not check.holds] == []
    assert certificate.seconds < 180


def test_settings_that_nobody_measured_keep_the_claims_that_hold_for_any():
    told = {claim.name for claim in claims(Settings(difficulty="hard", crisis_every=2))}
    assert told == set(SOUND)


def test_the_watched_engine_plays_like_the_rule_based_one():
    lab = Laboratory(SCENE, quick=True)
    watched = Watched("heuristic")
    ours = lab.play("heuristic", watched, 200)
    theirs = lab.play("heuristic", "rule-based", 200)
    assert np.array_equal(ours.returns, theirs.returns)
    assert watched.drawn.sum() == theirs.kinds[CRISIS_SEAT].sum()
