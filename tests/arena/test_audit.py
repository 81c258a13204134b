import json
import math

import numpy as np
import pytest

from revops_ma import catalog
from revops_ma.arena.audit import audit, openloop
from revops_ma.arena.audit.audit import EVERY_WORLD, LAST_SEED, claims_of
from revops_ma.arena.audit.lab import FEWEST, QUICK, Laboratory, Reckless
from revops_ma.arena.audit.measure import measure
from revops_ma.claims import Bound, Ceiling, Claim, Finding, Measured, Scripted
from revops_ma.errors import BadInput, UnknownName
from revops_ma.table import Table, play

SCENE = catalog.scenario("revops/normal")
CHEAP = Ceiling(
    name="idle",
    why="Nobody idle lives.",
    pilots=("do-nothing",),
    crisis="none",
    of="return",
    limit=30,
)


@pytest.mark.parametrize(
    ("sign", "limit", "holding", "failing"),
    [
        ("<=", 0.4, 0.4, 0.41),
        ("<", 0.4, 0.39, 0.4),
        (">=", 0.9, 0.9, 0.89),
        (">", 0, 0.1, 0.0),
        ("=", 0, 0, 1),
    ],
)
def test_a_bound_can_be_kept_and_broken(sign, limit, holding, failing):
    bound = Bound(sign, limit)
    assert bound.holds(holding)
    assert not bound.holds(failing)
    assert not bound.holds(math.nan)
    assert str(bound) == f"{sign} {limit:g}"


def test_figure_bound_and_verdict_never_contradict_each_other():
    assert Finding(0.3, Bound("<=", 0.4)).holds
    assert not Finding(0.5, Bound("<=", 0.4)).holds


def test_the_certificate_says_what_it_can_be_reproduced_from():
    document = audit("revops/normal", quick=True, claims=[CHEAP]).to_json()
    assert list(document) == [
        *("scenario", "holds", "quick", "rules", "versions", "seeds", "checks", "seconds"),
    ]
    assert document["quick"] is True
    assert document["rules"]["version"] == 1
    assert len(document["rules"]["hash"]) == len(document["rules"]["source_hash"]) == 16
    assert set(document["versions"]) >= {"revops-ma", "numpy", "numba", "python"}
    (check,) = document["checks"]
    assert {"name", "holds", "figure", "bound", "explanation"} <= set(check)
    json.dumps(document, allow_nan=False)


def test_the_hash_tells_scenarios_apart():
    hashes = {audit(f"revops/{name}", claims=[]).identity_hash for name in ("easy", "normal")}
    assert len(hashes) == 2


def test_the_same_audit_gives_the_same_figures():
    first, second = (audit(SCENE, quick=True, claims=[CHEAP]) for _ in range(2))
    assert first.checks[0].finding == second.checks[0].finding


def test_one_failing_check_fails_the_certificate():
    broken = Measured(name="never", why="", measure=lambda lab: Finding(1, Bound("=", 0)))
    assert audit(SCENE, quick=True, claims=[CHEAP]).holds
    assert not audit(SCENE, quick=True, claims=[CHEAP, broken]).holds


def test_a_quick_audit_plays_fewer_seeds_but_some():
    assert len(Laboratory(SCENE).held_out(200)) == 200
    assert len(Laboratory(SCENE, quick=True).held_out(200)) == 200 // QUICK
    assert len(Laboratory(SCENE, quick=True).held_out(20)) == FEWEST
    assert len(Laboratory(SCENE, quick=True).held_out(5)) == 5


def test_training_seeds_are_never_measured_on():
    lab = Laboratory(SCENE)
    most = max(claim.seeds for claim in claims_of(SCENE))
    assert lab.held_out(most).stop <= lab.training(1).start


def test_a_seed_chooses_other_games():
    figures = {
        audit(SCENE, quick=True, seed=seed, claims=[CHEAP]).checks[0].finding.figure
        for seed in (1, 2)
    }
    assert len(figures) == 2


@pytest.mark.parametrize("seed", [-1, LAST_SEED + 1])
def test_a_seed_out_of_range_is_refused(seed):
    with pytest.raises(BadInput, match="seed: got"):
        audit(SCENE, seed=seed, claims=[])


def test_an_unknown_scenario_is_refused():
    with pytest.raises(UnknownName, match="no scenario called 'mars'"):
        audit("mars")


def test_a_claim_that_nobody_measures_is_a_bug():
    with pytest.raises(TypeError, match="measures Claim"):
        measure(Claim(name="x", why=""), Laboratory(SCENE))


def test_every_world_keeps_what_holds_for_any():
    for card in catalog.scenarios():
        if card.name.endswith(("normal", "task1-storm")):
            assert audit(card.name, quick=True, claims=EVERY_WORLD).holds


def test_reckless_play_is_refused_sometimes_and_ends():
    lab = Laboratory(SCENE)
    table = lab.table(lab.seat(Reckless(), Reckless()), range(20))
    assert table.is_over
    assert (table.refused.sum(axis=0) > 0).all()


def test_the_same_matchup_is_played_once():
    lab = Laboratory(SCENE, quick=True)
    assert lab.play("random", "none", 50) is lab.play("random", "none", 50)
    assert lab.play("random", "none", 100) is not lab.play("random", "none", 200)


def test_a_trial_is_what_the_turn_loop_plays():
    lab = Laboratory(SCENE)
    engine = catalog.agent("rule-based", "crisis", SCENE)
    sizes = SCENE.world.roles[0].training_space.nvec
    sequences = np.random.default_rng(1).integers(0, sizes, (3, 30, 2))
    survival, returns = openloop.trial(lab, engine, sequences, range(8))
    for sequence, survived, returned in zip(sequences, survival, returns, strict=True):
        batch = SCENE.world.roles[0].discrete(sequence).batch
        pilot = Scripted(
            "fixed", lambda view, moves=batch: moves[view.secrets()[0]["month"][view.rows]]
        )
        table = play(
            Table(SCENE.world, SCENE.settings, range(8)), {"pilot": pilot, "crisis": engine}
        )
        assert table.returns[:, 0].mean() == pytest.approx(returned, abs=1e-12)
        assert SCENE.world.won(table.games, table.rows).mean() == survived


def test_the_search_beats_the_best_constant_move():
    lab = Laboratory(SCENE, quick=True)
    engine = catalog.agent("none", "crisis", SCENE)
    found = openloop.best_sequence(lab, engine, "return")
    constant = np.tile(np.array([8, 9]), (30, 1))
    _, returns = openloop.trial(lab, engine, np.stack((found, constant)), range(64))
    assert returns[0] > returns[1]
