"""`World.least` is admissible: no play whatever earns less than it says, from any state on."""

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from revops_ma import catalog
from revops_ma.game import Reply
from revops_ma.table import Table, play
from revops_ma.worlds.revops import WORLD
from revops_ma.worlds.revops.actions import ACTIONS
from revops_ma.worlds.revops.bounds import fill_least
from revops_ma.worlds.revops.coast import coaster
from revops_ma.worlds.revops.kernel import CRISIS_MOVE, PILOT_MOVE
from revops_ma.worlds.revops.world import Settings
from tests.worlds.revops.helpers import CRISIS, crisis_turn, games, players

GAMES = 64
ROWS = np.arange(GAMES)
DIFFICULTIES = st.sampled_from(["easy", "normal", "hard"])
NASTY = (0, 2, 3, 4, 5, 8, 9)
"""Actions that do the worst to some figure: overspend, overhire, fire, dump prices, ..."""


class Drawn:
    """A player that draws from a few moves, by a generator of its own."""

    def __init__(self, moves, seed):
        self.moves, self.random = moves, np.random.default_rng(seed)

    def act(self, view):
        return Reply(self.moves[self.random.integers(0, len(self.moves), len(view))])


def pilot_moves(actions, magnitudes=(1.0,)):
    return np.array([(a, m) for a in actions for m in magnitudes], PILOT_MOVE)


def crisis_moves(severities):
    return np.array([(c, s, s, 0) for c in range(8) for s in severities], CRISIS_MOVE)


def check(pilot, crisis, first_seed, difficulty, menu_only, crisis_every=3):
    """Play and compare, at every state, what was still earned with the bound."""
    rules = Settings(difficulty=difficulty, crisis_every=crisis_every)
    table = Table(WORLD, rules, range(first_seed, first_seed + GAMES))
    struck = np.zeros(GAMES, np.int64)
    seen = []
    while views := table.waiting():
        seen.append((table.games.copy(), table.returns[:, 0].copy(), struck.copy()))
        for view in views:
            outcome = table.take(view, {"pilot": pilot, "crisis": crisis}[view.role.name].act(view))
            if view.role_index == 1:
                struck[view.rows] += CRISIS.kind_of(outcome.played) >= 0
    for then, returns, before in seen:
        strikes = struck - before if menu_only else None
        least = WORLD.least(then, ROWS, strikes)
        assert (table.returns[:, 0] - returns >= least).all()


@given(
    st.integers(0, 2**40),
    st.lists(st.sampled_from(NASTY), min_size=1, max_size=3),
    st.lists(st.integers(0, 7), min_size=1, max_size=3),
    DIFFICULTIES,
    st.sampled_from([1, 3, 5]),
)
@settings(max_examples=60)
def test_no_nasty_play_earns_less_than_the_bound(seed, actions, crises, difficulty, every):
    pilot = Drawn(pilot_moves(actions), seed)
    crisis = Drawn(crisis_moves((1.5,))[crises], seed + 1)
    check(pilot, crisis, seed, difficulty, menu_only=False, crisis_every=every)


@given(st.integers(0, 2**40), DIFFICULTIES)
@settings(max_examples=20)
def test_no_random_play_with_few_strikes_earns_less_than_the_bound_for_them(seed, difficulty):
    pilot = Drawn(pilot_moves(range(-1, len(ACTIONS)), (0.1, 0.5, 1.0)), seed)
    menu = WORLD.roles[1].menu()
    crisis = Drawn(np.concatenate((menu, np.repeat(menu[:1], 30))), seed + 1)
    check(pilot, crisis, seed, difficulty, menu_only=True)


@pytest.mark.parametrize("action", range(-1, len(ACTIONS)))
@pytest.mark.parametrize("crisis", range(8))
def test_no_constant_play_earns_less_than_the_bound(action, crisis):
    pilot = Drawn(pilot_moves([action]), 0)
    check(pilot, Drawn(crisis_moves((1.0,))[[crisis]], 0), 500, "normal", menu_only=True)


def test_the_bound_is_tighter_than_the_worst_of_every_month():
    dealt = games(*range(200))
    naive = 30 * -0.35 - 2.0
    assert WORLD.least(dealt, np.arange(200)).mean() > naive + 1.5
    assert WORLD.least(dealt, np.arange(200), np.zeros(200)).mean() > naive + 3.0


def test_strikes_to_come_and_free_play_lower_the_bound():
    dealt = games(*range(50))
    rows = np.arange(50)
    none, one, free = (WORLD.least(dealt, rows, s) for s in (rows * 0, rows * 0 + 1, None))
    assert (none > one).all()
    assert (one >= free).all()


def test_a_game_that_is_over_earns_nothing_more():
    dealt = games(3, turn=-1)
    assert WORLD.least(dealt, np.array([0])).tolist() == [0.0]


def test_before_the_last_crisis_the_bound_is_the_worst_blow():
    dealt = crisis_turn(month=30, ltv=8_000.0, cac=1_000.0, runway=30.0)
    least = WORLD.least(dealt, np.array([0]), np.array([0]))[0]
    assert 0.35 <= least < 0.56  # LTV/CAC pays 0.35, and burn at most 0.2


def test_the_kernel_gives_the_bits_of_plain_python():
    dealt = games(*range(20), difficulty="hard")
    forces = np.tile([0.0, 1.5], 10)
    compiled, plain = np.zeros(20), np.zeros(20)
    fill_least(dealt, np.arange(20), forces, compiled)
    fill_least.py_func(dealt, np.arange(20), forces, plain)
    assert np.array_equal(compiled, plain)


@pytest.mark.parametrize("name", ["heuristic", "heuristic-tuned"])
def test_the_compiled_end_game_is_the_turn_loop_to_the_bit(name):
    scene = catalog.scenario("revops/normal")
    seated = players(name, "none", scene)
    table = Table(WORLD, scene.settings, range(100))
    while (view := table.waiting()[0]).role_index == 0:
        table.take(view, seated["pilot"].act(view))
    before = table.games.tobytes()
    menu = WORLD.roles[1].menu()
    returns, lost = np.repeat(table.returns[:, :1], 9, axis=1), np.zeros((100, 9), np.bool_)
    coaster(seated["pilot"])(table.games, np.arange(100), menu, returns, lost)
    assert table.games.tobytes() == before
    for entry in range(9):
        fork = copy.deepcopy(table)
        fork.take(fork.waiting()[0], Reply(np.repeat(menu[entry : entry + 1], 100)))
        play(fork, seated)
        assert np.array_equal(returns[:, entry], fork.returns[:, 0])
        assert np.array_equal(lost[:, entry], ~WORLD.won(fork.games, np.arange(100)))


def test_only_the_rules_of_thumb_have_a_compiled_end_game():
    scene = catalog.scenario("revops/normal")
    assert coaster(players("random", "none", scene)["pilot"]) is None
