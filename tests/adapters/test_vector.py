import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from revops_ma import catalog, register
from revops_ma.adapters.gymnasium import SingleSeatEnv
from revops_ma.adapters.vector import SeatVectorEnv
from revops_ma.errors import BadInput

register()
N = 6
PILOT = {"scenario": "revops/normal", "role": "pilot"}
CASES = [
    ({**PILOT, "crisis": "rule-based"}, True),
    ({**PILOT, "crisis": "none", "scenario": "revops/hard"}, True),
    ({**PILOT, "crisis": "lookahead"}, False),
    ({**PILOT, "crisis": "random"}, False),
    ({"scenario": "revops/normal", "role": "crisis", "pilot": "random"}, False),
]


class _NextSeed(gymnasium.Wrapper):
    """Deals the next game as the vector environment documents it: its seed + num_envs."""

    def reset(self, *, seed=None, options=None):
        if seed is None:
            seed = self.seed + N
        self.seed = seed
        return self.env.reset(seed=seed, options=options)


def single(arguments, form):
    return lambda: _NextSeed(SingleSeatEnv(**arguments, actions=form))


@pytest.mark.parametrize("form", ["discrete", "native"])
@pytest.mark.parametrize(("arguments", "compiled"), CASES)
def test_it_equals_gymnasiums_own_vector_of_single_environments_bit_for_bit(
    arguments, compiled, form
):
    ours = SeatVectorEnv(N, **arguments, actions=form)
    theirs = SyncVectorEnv([single(arguments, form)] * N, autoreset_mode=AutoresetMode.SAME_STEP)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    (seen, told), (expected, _) = ours.reset(seed=40), theirs.reset(seed=40)
    assert (ours._stepper is not None) == compiled
    assert told["seed"].tolist() == list(range(40, 40 + N))
    assert np.array_equal(seen, expected)
    ours.action_space.seed(5)
    ended = 0
    for _ in range(300 if form == "discrete" else 60):
        action = ours.action_space.sample()
        got, want = ours.step(action), theirs.step(copy.deepcopy(action))
        for one, two in zip(got[:4], want[:4], strict=True):
            assert one.dtype == two.dtype
            assert one.tobytes() == two.tobytes()
        _assert_told_alike(got[4], want[4], got[2])
        ended += got[2].sum()
    assert ended > N


def _assert_told_alike(ours, theirs, ended):
    assert ("final_obs" in ours) == ("final_obs" in theirs) == ended.any()
    if not ended.any():
        return
    for name in ("_final_obs", "_final_info"):
        assert (ours[name] == ended).all()
        assert (theirs[name] == ended).all()
    for row in np.flatnonzero(ended):
        assert np.array_equal(ours["final_obs"][row], theirs["final_obs"][row])
        assert ours["seed"][row] == theirs["seed"][row]
        for name in ("seed", "ending", "won", "final_mrr", "mrr", "churn"):
            assert ours["final_info"][name][row] == theirs["final_info"][name][row]
        for name, part in ours["final_info"]["reward_breakdown"].items():
            assert (part == theirs["final_info"]["reward_breakdown"][name]).all()


def test_make_vec_finds_it_at_its_entry_point():
    env = gymnasium.make_vec(
        "RevOps-Pilot-v0",
        num_envs=4,
        vectorization_mode="vector_entry_point",
        scenario="revops/easy",
        actions="discrete",
    )
    assert isinstance(env, SeatVectorEnv)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert env.reset(seed=1)[0].shape == (4, *env.single_observation_space.shape)


def test_rows_that_are_no_moves_are_refused_one_by_one():
    env = SeatVectorEnv(3, **PILOT, crisis="none", actions="discrete")
    env.reset(seed=1)
    infos = env.step(np.array([[1, 1], [10, 0], [0, -1]]))[4]
    assert infos["_refused"].tolist() == [False, True, True]
    assert infos["refused"].tolist() == [None, "not_in_space", "not_in_space"]
    other = SeatVectorEnv(3, **PILOT, crisis="none")
    other.reset(seed=1)
    numbers = {"kind": np.array([1, 2, 3]), "magnitude": np.array([0.5, np.nan, np.inf])}
    observation, rewards, *_, infos = other.step(numbers)
    assert infos["_refused"].tolist() == [False, True, True]
    assert np.isfinite(observation).all()
    assert np.isfinite(rewards).all()


def test_a_refused_row_plays_what_the_single_environment_plays():
    env = SeatVectorEnv(1, **PILOT, crisis="none", actions="discrete")
    alone = SingleSeatEnv(**PILOT, crisis="none", actions="discrete")
    env.reset(seed=1)
    alone.reset(seed=1)
    got, want = env.step(np.array([[99, 0]])), alone.step((99, 0))
    assert np.array_equal(got[0][0], want[0])
    assert got[1][0] == want[1]


def test_wrong_numbers_of_actions_or_seeds_are_bad_input():
    env = SeatVectorEnv(3, **PILOT, crisis="none", actions="discrete")
    env.reset(seed=1)
    with pytest.raises(BadInput, match="actions"):
        env.step(np.zeros((2, 2), int))
    with pytest.raises(BadInput, match="shape"):
        env.step(np.zeros((3, 5), int))
    for seed in ([1, 2], -1, True, 3.0, 2**70, 2**63 - 1):
        with pytest.raises(ValueError, match="seed"):
            env.reset(seed=seed)


def test_one_seed_each_and_drawn_seeds_are_reported():
    env = SeatVectorEnv(3, **PILOT, crisis="none")
    assert env.reset(seed=[5, np.int64(9), 2])[1]["seed"].tolist() == [5, 9, 2]
    drawn = env.reset()[1]["seed"]
    assert (np.diff(drawn) == 1).all()


def test_a_crowd_on_the_compiled_loop_equals_the_turn_loop():
    scene = catalog.scenario("revops/hard")
    arguments = {"scenario": scene, "role": "pilot", "crisis": "rule-based", "actions": "discrete"}
    fast, slow = SeatVectorEnv(500, **arguments), SeatVectorEnv(500, **arguments)
    fast.reset(seed=0)
    slow.reset(seed=0)
    slow._stepper = None
    rng = np.random.default_rng(1)
    for _ in range(60):
        actions = rng.integers(0, 10, (500, 2))
        got, want = fast.step(actions), slow.step(actions)
        for one, two in zip(got[:4], want[:4], strict=True):
            assert one.tobytes() == two.tobytes()
        assert repr(got[4]) == repr(want[4])


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("crisis", ["rule-based", "lookahead"])
def test_a_copy_goes_on_identically(duplicate, crisis):
    env = SeatVectorEnv(5, **PILOT, crisis=crisis, actions="discrete")
    env.reset(seed=3)
    actions = np.full((5, 2), 4)
    env.step(actions)
    twin = duplicate(env)
    for _ in range(40):
        one, two = env.step(actions), twin.step(actions)
        assert one[0].tobytes() == two[0].tobytes()
        assert one[1].tobytes() == two[1].tobytes()


@pytest.mark.parametrize("num_envs", [0, -1, True, 2.0, "2"])
def test_a_number_of_games_that_is_none_is_refused(num_envs):
    with pytest.raises(BadInput, match="num_envs"):
        SeatVectorEnv(num_envs, "revops/normal", "pilot", crisis="none")
