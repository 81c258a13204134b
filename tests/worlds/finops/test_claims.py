"""Every claim of the support desk can fail: a broken variant makes exactly its check fail."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from revops_ma import catalog
from revops_ma.arena.audit import audit
from revops_ma.arena.audit.audit import claims_of
from revops_ma.claims import Bound
from revops_ma.game import PlainOutcome
from revops_ma.worlds.finops import claims, engine
from revops_ma.worlds.finops.roles import Pilot
from revops_ma.worlds.finops.tickets import fixed_tasks
from revops_ma.worlds.finops.world import FinOpsWorld, weigh

TASK1 = catalog.scenario("finops/task1")
TASK2 = catalog.scenario("finops/task2")
STORM = catalog.scenario("finops/task2-storm")


def failing(scene, claimed=None):
    checks = audit(scene, quick=True, claims=claimed).checks
    return {check.name for check in checks if not check.holds}


def changed(outcome, rewards, weigh):
    kept = (outcome.scored, outcome.ended, outcome.detail, outcome.played)
    return PlainOutcome(outcome.rows, rewards, *kept, weigh)


def double(detail):
    return 2.0 * weigh(detail)


class Dear(FinOpsWorld):
    """Everything counts twice."""

    def apply(self, games, rows, role, batch):
        outcome = super().apply(games, rows, role, batch)
        return changed(outcome, 2.0 * outcome.rewards, double)


class Unexplained(FinOpsWorld):
    """The parts are twice the reward."""

    def apply(self, games, rows, role, batch):
        outcome = super().apply(games, rows, role, batch)
        return changed(outcome, outcome.rewards, double)


class Leaky(FinOpsWorld):
    """The crisis side gets half of what the pilot loses."""

    def apply(self, games, rows, role, batch):
        outcome = super().apply(games, rows, role, batch)
        return changed(outcome, outcome.rewards * np.array([1.0, 0.5]), weigh)


class Crowded(FinOpsWorld):
    """A lucky number of desks side by side has one step more."""

    def deal(self, settings, seeds):
        games = super().deal(settings, seeds)
        for desk in games:
            desk.max_steps += len(seeds) == 7
        return games


class Careless(Pilot):
    """Records tools without their last letter."""

    def pack(self, batch):
        return [[str(tool)[:-1], *rest] for tool, *rest in super().pack(batch)]


class Forgetful(FinOpsWorld):
    """Its records do not hold the whole call."""

    roles = (Careless(), FinOpsWorld.roles[1])


class Mute(FinOpsWorld):
    """Tells nothing."""

    def describe(self, games, rows, role):
        return [""] * len(rows)


class Hasty(FinOpsWorld):
    """The budget ends before the reference has read what it needs; an oracle need not read."""

    def deal(self, settings, seeds):
        games = super().deal(settings, seeds)
        for desk in games:
            desk.max_steps = 2
        return games


class Thieving(FinOpsWorld):
    """Every disturbance takes all steps but one."""

    def apply(self, games, rows, role, batch):
        outcome = super().apply(games, rows, role, batch)
        for row, move in zip(rows, batch, strict=True):
            if role == 1 and move.kind != "pass":
                games[row].max_steps = games[row].steps + 1
        return outcome


@pytest.mark.parametrize(
    ("world", "scene", "expected"),
    [
        (Dear(), TASK1, {"reward range"}),
        (Unexplained(), TASK1, {"signals add up", "contract"}),
        (Leaky(), TASK1, {"zero-sum", "contract"}),
        (Crowded(), TASK1, {"batch = scalar"}),
        (Forgetful(), TASK1, {"replay = live", "contract"}),
        (Mute(), TASK1, {"contract"}),
        (Hasty(), TASK1, {"reference solves all"}),
        (Hasty(), TASK2, {"oracle solves all", "reference solves all"}),
        (Thieving(), STORM, {"stays solvable"}),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, FinOpsWorld) else "",
)
def test_a_broken_world_makes_exactly_its_check_fail(world, scene, expected):
    assert failing(replace(scene, world=world)) == expected


def test_a_loophole_in_both_modes_is_found(monkeypatch):
    monkeypatch.setitem(engine._WORTH, "reachable", engine._WORTH["score"])
    assert failing(TASK1) == {"wrong write first"}


def test_another_pinned_answer_is_found(monkeypatch):
    data = fixed_tasks()["task1"]
    other = data.model_copy(update={"golden": {"refund_one_of": ["inv_901", "inv_907"]}})
    monkeypatch.setattr(claims, "fixed_tasks", lambda: {"task1": other})
    assert failing(TASK1) == {"golden rule = pinned set"}


def test_a_better_thoughtless_agent_is_found(monkeypatch):
    monkeypatch.setattr(claims, "THOUGHTLESS", ("optimal",))
    assert failing(TASK1) == {"thoughtless agents"}
    assert failing(catalog.scenario("finops/refund")) == {"thoughtless agents"}


@pytest.mark.parametrize(("task", "figure"), [("task1", 0.50), ("task2", 0.8429), ("task3", 0.98)])
def test_the_known_holes_of_the_fixed_tasks_are_told(task, figure):
    checks = {check.name: check for check in audit(f"finops/{task}").checks}
    assert round(checks["thoughtless agents"].finding.figure, 4) == figure
    assert all(check.holds for check in checks.values())


def test_the_loophole_is_told_with_both_prices():
    (claim,) = [claim for claim in claims_of(TASK1) if claim.name == "wrong write first"]
    (check,) = audit(TASK1, claims=[claim]).checks
    assert "pays -0.51 there, -0.01 by the source's rule" in check.explanation
    assert "'score'" in check.explanation


def test_a_ceiling_of_a_card_is_the_bound():
    scene = catalog.scenario("finops/crosscheck")
    (claim,) = [claim for claim in claims_of(scene) if claim.name == "thoughtless agents"]
    (check,) = audit(scene, quick=True, claims=[claim]).checks
    assert check.finding.bound == Bound("<", scene.settings.generate.ceiling)
    strict = replace(claim, measure=partial(claim.measure, bound=Bound("<", 0.1)))
    assert failing(scene, [strict]) == {"thoughtless agents"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [card.name for card in catalog.scenarios() if card.world == "finops"]
)
def test_all_claims_hold_within_three_minutes(name):
    certificate = audit(name)
    assert [check.name for check in certificate.checks if not check.holds] == []
    assert certificate.seconds < 180
