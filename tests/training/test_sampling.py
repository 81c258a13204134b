"""Sampling: whole games, one opponent each, the same bits in parts and in one."""

import numpy as np
import pytest

from revops_ma import catalog
from revops_ma.errors import BadInput
from revops_ma.table import Table, play
from revops_ma.training import Pool
from revops_ma.training.advantages import advantages_of
from revops_ma.training.plan import order_of, plan_of
from revops_ma.training.recipe import TEST_SEEDS, VALIDATION_SEEDS, Recipe
from revops_ma.training.sampling import Sampler, as_agent, joined
from tests.networks import agent, network

SCENE = catalog.scenario("revops/normal")
POOLS = {
    "crisis": {"heuristic": 2.0, "random": 1.0},
    "pilot": {"rule-based": 1.0, "none": 1.0},
}


@pytest.fixture(params=["pilot", "crisis"])
def role(request):
    return request.param


def sampler(role, scene=SCENE):
    return Sampler(role, Pool.of(POOLS[role], role, scene), scene)


def plan(role, games=48, iteration=3):
    return plan_of(0, iteration, 0.0, Recipe(games=games), sampler(role).pool)


def sampled(role, games=48):
    asked = plan(role, games)
    return sampler(role).sample(network(role), asked.seeds, asked.opponents)


def test_the_learner_plays_as_its_agent_would(role):
    asked, rollout = plan(role), sampled(role)
    learner = as_agent(network(role), role, "revops")
    other = "pilot" if role == "crisis" else "crisis"
    for game in (0, 20, 47):
        foe = sampler(role).pool.agents[asked.opponents[game]]
        alone = Table(SCENE.world, SCENE.settings, [asked.seeds[game]])
        play(alone, {role: learner, other: foe})
        assert alone.returns[0, 0] == rollout.returns[game]
        assert alone.steps[0] == rollout.steps[game]
        assert SCENE.world.won(alone.games, alone.rows)[0] == rollout.won[game]


def test_each_game_has_the_opponent_it_was_dealt(role):
    asked, rollout = plan(role), sampled(role)
    assert (rollout.opponents == asked.opponents).all()
    assert set(rollout.opponents.tolist()) == {0, 1}


def test_parts_joined_are_the_whole(role):
    asked, whole = plan(role), sampled(role)
    parts = [sampler(role).sample(network(role), *part) for part in asked.parts(5)]
    both = joined(parts)
    for name in type(whole).__dataclass_fields__:
        assert getattr(both, name).tobytes() == getattr(whole, name).tobytes()


def test_samples_stand_game_after_game_in_the_order_of_their_turns(role):
    rollout = sampled(role)
    assert (np.diff(rollout.games) >= 0).all()
    month = 7
    turns = rollout.inputs[:, month].astype(float)
    same_game = np.diff(rollout.games) == 0
    assert (np.diff(turns)[same_game] > 0).all()


def test_a_pilot_is_paid_all_of_its_return_and_a_crisis_engine_from_its_first_turn_on():
    pilot = sampled("pilot")
    paid = np.bincount(pilot.games, pilot.rewards, len(pilot.returns))
    np.testing.assert_allclose(paid, pilot.returns, atol=1e-12)
    crisis = sampled("crisis")
    paid = np.bincount(crisis.games, crisis.rewards, len(crisis.returns))
    before = -crisis.returns - paid
    assert (before < 0).any()
    assert (abs(before) < 2.0).all()


def test_every_decision_has_its_sample():
    rollout = sampled("crisis")
    turns = np.bincount(rollout.games, minlength=len(rollout.returns))
    alive = rollout.steps == 30
    assert (turns[alive] == 10).all()
    assert (turns <= 10).all()


def test_advantages_are_those_of_the_definition():
    random = np.random.default_rng(0)
    games = np.repeat([0, 1, 3], [4, 1, 6])
    rewards, values = random.normal(size=(2, len(games)))
    found = advantages_of(rewards, values, games, 0.9, 0.8)
    expected = np.empty_like(found)
    for game in set(games):
        (at,) = np.nonzero(games == game)
        ahead = np.append(values[at][1:], 0.0)
        surprise = rewards[at] + 0.9 * ahead - values[at]
        powers = (0.9 * 0.8) ** np.arange(len(at))
        expected[at] = [surprise[i:] @ powers[: len(at) - i] for i in range(len(at))]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_no_two_iterations_share_a_game_and_none_is_a_held_out_one():
    pool, recipe = sampler("crisis").pool, Recipe(games=256)
    seeds = [
        seed
        for run, iteration in ((0, 0), (0, 1), (1, 0), (7, 123))
        for seed in plan_of(run, iteration, 0.0, recipe, pool).seeds
    ]
    assert len(set(seeds)) == len(seeds)
    assert not set(seeds) & {*TEST_SEEDS, *VALIDATION_SEEDS}
    assert not set(TEST_SEEDS) & set(VALIDATION_SEEDS)


def test_every_epoch_sees_every_sample_once_in_an_order_of_its_own():
    epochs = order_of(0, 5, 100, 4).reshape(4, 100)
    assert (np.sort(epochs) == np.arange(100)).all()
    assert len({epoch.tobytes() for epoch in epochs}) == 4
    assert (order_of(0, 5, 100, 4).reshape(4, 100) == epochs).all()
    assert (order_of(0, 6, 100, 4).reshape(4, 100) != epochs).any()


def test_opponents_are_told_whom_they_face():
    pool = Pool.of({"best-constant": 1.0}, "pilot", SCENE)
    asked = plan_of(0, 0, 0.0, Recipe(games=4), pool)
    weak = agent("pilot", "learner").network
    assert (
        len(Sampler("pilot", pool, SCENE).sample(weak, asked.seeds, asked.opponents).returns) == 4
    )


def test_a_world_that_limits_moves_is_refused_in_one_line():
    scene = catalog.scenario("finops/task1")
    pool = Pool.of({"optimal": 1.0}, "crisis", scene)
    with pytest.raises(BadInput, match="training knows no masks"):
        Sampler("crisis", pool, scene).sample(network("crisis", "finops"), [0], np.zeros(1, int))
