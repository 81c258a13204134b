"""Pools: shares that every batch keeps, opponents that are known."""

import numpy as np
import pytest

from revops_ma import catalog
from revops_ma.errors import BadInput, UnknownName
from revops_ma.training import Pool
from tests.networks import agent

SCENE = catalog.scenario("revops/normal")
NAMES = {"heuristic": 2.0, "do-nothing": 1.0, "random": 0.0}


def test_every_batch_holds_the_shares_to_within_one_game():
    pool = Pool.of(NAMES, "crisis", SCENE)
    for luck in (0.0, 0.3, 0.999999):
        drawn = np.bincount(pool.draw(100, luck), minlength=3)
        assert abs(drawn - np.array([66.7, 33.3, 0])).max() < 1
        assert drawn[2] == 0


def test_a_small_share_is_not_left_out_for_ever():
    pool = Pool.of({"heuristic": 1.0, "random": 0.001}, "crisis", SCENE)
    met = [pool.draw(10, luck / 1000).max() for luck in range(1000)]
    assert 0 < sum(met) < 30


def test_any_agent_may_stand_in_a_pool_and_is_told_by_its_identity():
    newest = agent("pilot", "newest")
    pool = Pool([(newest, 1.0), (catalog.agent("heuristic", "pilot", SCENE), 3.0)])
    assert pool.to_json()[newest.identity] == 0.25
    assert sum(pool.to_json().values()) == 1


@pytest.mark.parametrize("weights", [{}, {"random": 0.0}, {"random": -1.0}, {"random": np.nan}])
def test_weights_that_say_nothing_are_refused(weights):
    with pytest.raises(BadInput, match="weights of the opponents"):
        Pool.of(weights, "crisis", SCENE)


def test_an_unknown_opponent_or_role_is_refused():
    with pytest.raises(UnknownName, match="did you mean 'heuristic'"):
        Pool.of({"heuristc": 1.0}, "crisis", SCENE)
    with pytest.raises(BadInput, match="one of two: pilot, crisis"):
        Pool.of({"heuristic": 1.0}, "auditor", SCENE)
