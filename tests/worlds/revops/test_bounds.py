"""Nothing non-finite and nothing out of bounds is reachable, whatever is fed in."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from revops_ma import catalog
from revops_ma.game import Reply
from revops_ma.table import Table
from revops_ma.worlds.revops import WORLD
from revops_ma.worlds.revops.actions import ACTIONS
from revops_ma.worlds.revops.company import Company, clamp
from revops_ma.worlds.revops.crises import CRISES
from revops_ma.worlds.revops.kernel import CRISIS_MOVE, PILOT_MOVE
from tests.worlds.revops.helpers import CRISIS, PILOT, ROW, games, pilot_move

GAMES = 8
WILD = st.one_of(
    st.sampled_from([math.nan, math.inf, -math.inf, 1e308, -1e308, 0.0, -0.0, 5e-324]),
    st.floats(-2, 3),
)
WILD_INDEX = st.one_of(
    st.integers(-3, 12), st.sampled_from([40, 67, -(2**63), 2**63 - 1, 2**31, -99])
)


def wild_batches(dtype):
    numbers = [WILD_INDEX if dtype[name].kind == "i" else WILD for name in dtype.names]
    return st.lists(st.tuples(*numbers), min_size=GAMES, max_size=GAMES).map(
        lambda moves: np.array(moves, dtype)
    )


WILD_JSON = st.recursive(
    st.none() | st.booleans() | WILD | st.text(max_size=9) | st.sampled_from([10**400, -(10**400)]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=4,
)
KEYS = (
    *("action_type", "magnitude", "crisis_type", "severity", "kind", "reward"),
    *("churn_pts", "mrr_pct", "cac_pct", "support_pts", "runway_months"),
)
NAMES = st.sampled_from(["hire_support", "Raise-Prices", "CHURN_SPIKE", "talent war", "PASS"])
WILD_OBJECTS = st.one_of(
    WILD_JSON, st.dictionaries(st.sampled_from(KEYS), WILD_JSON | NAMES, max_size=4)
)


def check_games(games):
    """Assert that every figure is finite and clamped."""
    remembered = ("magnitude_1", "magnitude_2", "magnitude_3")
    for name in set(games.dtype.names) - set(remembered):
        assert np.isfinite(games[name].astype(np.float64)).all(), name
    for game in games:
        figures = Company(*(game[name].item() for name in Company._fields))
        assert clamp(figures) == figures
    assert ((games["bank"] >= 1.0) & (games["bank"] <= 2.25)).all()


def check_observations(games):
    rows = np.arange(len(games))
    for index, role in enumerate(WORLD.roles):
        for numbers in WORLD.observe(games, rows, index).astype(np.float32):
            assert role.observation_space.contains(numbers)


def check_outcome(outcome):
    """Assert the range of a reward, that both cancel, and that the signals add up to it."""
    pilot, crisis = outcome.rewards.T
    assert ((pilot >= -2.35) & (pilot <= 1.0)).all()
    assert (pilot + crisis == 0.0).all()
    parts = outcome.signals.T
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    assert total.tobytes() == pilot.tobytes()


def play_wildly(replies, difficulty, observed=True):
    """Play games to their ends with drawn replies per role name, checking every turn."""
    scene = catalog.scenario(f"revops/{difficulty}")
    table = Table(scene.world, scene.settings, range(GAMES))
    turn = 0
    while views := table.waiting():
        for view in views:
            read, inputs = replies[view.role.name]
            drawn = inputs[turn % len(inputs)][: len(view)]
            check_outcome(table.take(view, read(drawn)))
            turn += 1
        check_games(table.games)
        if observed:
            check_observations(table.games)
    assert (table.returns.sum(axis=1) == 0.0).all()
    assert (table.steps <= 30).all()


def several(batch):
    return st.lists(batch, min_size=3, max_size=3)


DIFFICULTY = st.sampled_from(["easy", "normal", "hard"])


@given(several(wild_batches(PILOT_MOVE)), several(wild_batches(CRISIS_MOVE)), DIFFICULTY)
@settings(max_examples=25)
def test_hostile_records_in_the_kernel_leave_every_state_and_reward_in_bounds(
    pilot, crisis, difficulty
):
    replies = {"pilot": (Reply, pilot), "crisis": (Reply, crisis)}
    play_wildly(replies, difficulty, observed=False)


@given(
    several(st.lists(WILD_OBJECTS, min_size=GAMES, max_size=GAMES)),
    several(st.lists(WILD_OBJECTS, min_size=GAMES, max_size=GAMES)),
    DIFFICULTY,
)
@settings(max_examples=15)
def test_hostile_objects_leave_everything_in_bounds(pilot, crisis, difficulty):
    replies = {"pilot": (PILOT.objects, pilot), "crisis": (CRISIS.objects, crisis)}
    play_wildly(replies, difficulty)


@given(
    several(st.lists(WILD_OBJECTS, min_size=GAMES, max_size=GAMES)),
    DIFFICULTY,
)
@settings(max_examples=15)
def test_hostile_texts_leave_everything_in_bounds(objects, difficulty):
    texts = [[json.dumps(each) for each in batch] for batch in objects]
    replies = {"pilot": (PILOT.texts, texts), "crisis": (CRISIS.texts, texts)}
    play_wildly(replies, difficulty)


@given(several(st.lists(st.tuples(WILD_INDEX, WILD_INDEX), min_size=GAMES, max_size=GAMES)))
@settings(max_examples=15)
def test_hostile_integers_leave_everything_in_bounds(pairs):
    arrays = [np.array(batch, np.int64) for batch in pairs]
    replies = {"pilot": (PILOT.discrete, arrays), "crisis": (CRISIS.discrete, arrays)}
    play_wildly(replies, "normal")


@pytest.mark.parametrize("role", WORLD.roles, ids=lambda role: role.name)
@given(number=st.one_of(WILD_JSON, WILD_INDEX), name=st.sampled_from([*ACTIONS, *CRISES]))
def test_every_record_that_a_reader_makes_is_finite_and_limited(role, number, name):
    named = {"action_type": name, "magnitude": number, "crisis_type": name, "severity": number}
    fields = {"pilot": ("action_type", "magnitude"), "crisis": ("crisis_type", "severity")}
    move = {field: named[field] for field in fields[role.name]}
    deltas = {"crisis_type": name, "mrr_pct": number, "runway_months": number}
    for read in (role.objects([move, deltas]), role.objects([{"kind": 3, **move}])):
        for field in read.batch.dtype.names:
            assert np.isfinite(read.batch[field]).all()
        assert (role.strength_of(read.batch) <= 1.5).all()


@pytest.mark.parametrize("magnitude", [math.nan, math.inf, -5.0, 80.0])
def test_a_hostile_magnitude_is_remembered_as_it_was_played(magnitude):
    dealt = games(0)
    for _ in range(3):
        WORLD.apply(dealt, ROW, 0, pilot_move("hire_support", magnitude))
    check_observations(dealt)


@pytest.mark.parametrize("action", [10, 15])
def test_an_action_that_does_not_exist_is_remembered_as_no_decision(action):
    dealt = games(0)
    for _ in range(3):
        WORLD.apply(dealt, ROW, 0, pilot_move(action))
    assert not WORLD.observe(dealt, ROW, 1)[0, 26:].any()
    assert "last moves: none" in WORLD.describe(dealt, ROW, 1)[0]
