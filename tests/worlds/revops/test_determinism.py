"""The same seed and moves give the same bits: in any batch, order, thread, process, or copy."""

import copy
import hashlib
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from revops_ma import catalog
from revops_ma.table import Table, play
from revops_ma.worlds.revops import WORLD, kernel
from revops_ma.worlds.revops.actions import ACTIONS, act
from revops_ma.worlds.revops.company import Company, Market, clamp, is_dead
from revops_ma.worlds.revops.crises import (
    CRISES,
    affordable,
    bank_after,
    damage,
    rule_based_choice,
    strike,
    weakest,
)
from revops_ma.worlds.revops.market import drift
from revops_ma.worlds.revops.rewards import score_month
from revops_ma.worlds.revops.threads import split
from tests.worlds.revops.helpers import games, match, players

PAIRS = [("heuristic", "rule-based"), ("random", "random"), ("fixed-marketing", "lookahead")]


def result(table):
    """Everything that a table came to, as bytes."""
    return table.games.tobytes() + table.returns.tobytes() + table.steps.tobytes()


@pytest.mark.parametrize(("pilot", "crisis"), PAIRS)
def test_a_game_among_4096_equals_the_game_alone(pilot, crisis):
    many = match(pilot, crisis, "normal", range(4_096))
    for row in (0, 1, 2_047, 4_095):
        alone = match(pilot, crisis, "normal", [row])
        assert alone.games.tobytes() == many.games[row].tobytes()
        assert alone.returns.tobytes() == many.returns[row].tobytes()
        assert alone.steps[0] == many.steps[row]


@pytest.mark.parametrize(("pilot", "crisis"), PAIRS)
def test_the_order_of_the_games_does_not_matter(pilot, crisis):
    order = np.random.default_rng(0).permutation(200)
    ordered = match(pilot, crisis, "hard", range(200))
    shuffled = match(pilot, crisis, "hard", order.tolist())
    assert ordered.games[order].tobytes() == shuffled.games.tobytes()
    assert ordered.returns[order].tobytes() == shuffled.returns.tobytes()


@pytest.mark.parametrize("parts", [1, 2, 7])
def test_the_order_of_the_rows_of_a_turn_does_not_matter(parts):
    at_once, in_parts = games(*range(50)), games(*range(50))
    moves = np.zeros(50, kernel.PILOT_MOVE)
    moves["action"], moves["magnitude"] = np.arange(50) % len(ACTIONS), 0.6
    rows = np.random.default_rng(parts).permutation(50)
    WORLD.apply(at_once, np.arange(50), 0, moves)
    for some in np.array_split(rows, parts):
        WORLD.apply(in_parts, some, 0, moves[some])
    assert at_once.tobytes() == in_parts.tobytes()


def test_two_threads_give_the_bits_of_one(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    seeds = range(1_000)
    rows = np.random.default_rng(1).permutation(1_000)
    one, two = games(*seeds), games(*seeds)
    moves = np.zeros(1_000, kernel.PILOT_MOVE)
    moves["action"], moves["magnitude"] = rows % len(ACTIONS), 0.5
    outs = [np.zeros(1_000, kernel.OUT) for _ in range(2)]
    split(kernel.pilot_turns, one, rows, moves, outs[0], grain=10_000)
    split(kernel.pilot_turns, two, rows, moves, outs[1], grain=100)
    assert one.tobytes() == two.tobytes()
    assert outs[0].tobytes() == outs[1].tobytes()


def test_work_below_two_grains_stays_on_the_callers_thread_and_more_is_shared(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    seen = []

    def loop(games, column):
        seen.append(len(column))

    split(loop, None, np.zeros(19), grain=10)
    split(loop, None, np.zeros(25), grain=10)
    assert seen[0] == 19
    assert sorted(seen[1:]) == [12, 13]


SCRIPT = """
import hashlib
from tests.worlds.revops.test_determinism import PAIRS, result
from tests.worlds.revops.helpers import match
digest = hashlib.sha256(b"".join(result(match(*pair, "normal", range(64))) for pair in PAIRS))
print(digest.hexdigest())
"""


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_another_process_with_another_hash_seed_gives_the_same_bits(hash_seed):
    here = b"".join(result(match(*pair, "normal", range(64))) for pair in PAIRS)
    there = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        cwd=os.path.dirname(os.path.dirname(catalog.__file__)),
        capture_output=True,
        text=True,
        check=True,
    )
    assert there.stdout.strip() == hashlib.sha256(here).hexdigest()


@pytest.mark.parametrize("turns", [1, 3, 20])
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
def test_a_copy_of_a_table_in_the_middle_of_its_games_goes_on_identically(copied, turns):
    scene = catalog.scenario("revops/normal")
    seated = players("random", "random", scene)
    table = Table(scene.world, scene.settings, range(30))
    for _ in range(turns):
        for view in table.waiting():
            table.take(view, seated[view.role.name].act(view))
    twin = copied(table)
    before = result(table)
    play(twin, seated)
    assert result(table) == before  # the copy shares nothing
    play(table, seated)
    assert result(twin) == result(table)
    assert twin.reasons == table.reasons
    assert len(twin.log) == len(table.log)


def test_a_fork_has_the_same_future_under_the_same_moves():
    trunk = games(*range(20))
    moves = np.zeros(20, kernel.PILOT_MOVE)
    rows = np.arange(20)
    WORLD.apply(trunk, rows, 0, moves)
    picked = np.array([3, 17])
    fork = WORLD.fork(trunk, picked)
    WORLD.apply(fork, np.arange(2), 0, moves[:2])
    assert fork.tobytes() != trunk[picked].tobytes()
    WORLD.apply(trunk, rows, 0, moves)
    assert fork.tobytes() == trunk[picked].tobytes()
    assert WORLD.fingerprint(fork, 1) == WORLD.fingerprint(trunk, 17) != WORLD.fingerprint(fork, 0)


COMPANIES = st.builds(
    lambda *figures: clamp(Company(*figures)),
    *(st.floats(0, top) for top in (5e5, 6e3, 6e4, 0.6, 36, 3.3e5, 1, 1500, 1)),
)
MARKETS = st.builds(
    Market,
    st.floats(1_100, 2_210),
    st.floats(0.012, 0.05),
    st.floats(6_000, 14_000),
    st.sampled_from([0.6, 1.0, 1.4]),
)
KEYS = st.integers(0, 2**64 - 1).map(np.uint64)
MONTHS = st.integers(1, 30)
STRENGTHS = st.floats(0, 1.5)


@given(COMPANIES, MARKETS, KEYS, MONTHS, st.integers(-1, 9), st.floats(allow_nan=True))
def test_plain_python_plays_a_month_to_the_same_bits(c, market, key, month, action, magnitude):
    acted = act(c, action, magnitude, key, month)
    assert act.py_func(c, action, magnitude, key, month) == acted
    assert drift.py_func(acted, market, key, month) == drift(acted, market, key, month)
    assert score_month.py_func(acted, c.mrr, month) == score_month(acted, c.mrr, month)


@given(COMPANIES, st.integers(0, len(CRISES) - 1), STRENGTHS, STRENGTHS, st.floats(1, 2.25))
def test_plain_python_strikes_to_the_same_bits(c, crisis, r1, r2, bank):
    struck = strike(c, crisis, r1, r2)
    assert strike.py_func(c, crisis, r1, r2) == struck
    assert weakest.py_func(c) == weakest(c)
    assert damage.py_func(c, struck, weakest(c)) == damage(c, struck, weakest(c))
    assert rule_based_choice.py_func(c) == rule_based_choice(c)
    assert affordable.py_func(r1, r2, True, bank) == affordable(r1, r2, True, bank)
    assert bank_after.py_func(bank, r1) == bank_after(bank, r1)
    assert bool(is_dead.py_func(struck)) == bool(is_dead(struck))
