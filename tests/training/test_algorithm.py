"""RLlib's Algorithm with workers in Ray: the same training as in one process, to the bit."""

import os
import signal

import pytest

from revops_ma import catalog
from revops_ma.rollout import cluster
from revops_ma.training import Budget, Pool, Recipe, train
from revops_ma.training.plan import plan_of
from revops_ma.training.sampling import Sampler
from tests.networks import network

pytestmark = [pytest.mark.ray, pytest.mark.timeout(280)]
SCENE = catalog.scenario("revops/normal")
POOL = Pool.of({"heuristic": 2.0, "random": 1.0}, "crisis", SCENE)
RECIPE = Recipe(games=60, minibatch=128, evaluation_games=20)


def plan(iteration):
    return plan_of(0, iteration, iteration / 4, RECIPE, POOL)


@pytest.fixture(scope="module")
def started():
    """Ray with room for two Algorithms: one that waits for a CPU waits for ever."""
    is_ours = cluster.start(4)
    yield
    if is_ours:
        cluster.stop()


@pytest.fixture(scope="module")
def ray_backend(started):
    from revops_ma.training.algorithm import RayBackend

    backend = RayBackend(Sampler("crisis", POOL, SCENE), network(width=16), RECIPE, 0, workers=2)
    yield backend
    backend.close()


@pytest.fixture
def embedded():
    from revops_ma.training.embedded import EmbeddedBackend

    return EmbeddedBackend(Sampler("crisis", POOL, SCENE), network(width=16), RECIPE, 0)


def digests(backend):
    return {one.digest for one in backend.networks()}


def test_workers_train_to_the_same_bits_and_restored_ones_have_the_weights(ray_backend, embedded):
    states = {}
    for iteration in range(3):
        there, _ = ray_backend.iterate(plan(iteration))
        here, _ = embedded.iterate(plan(iteration))
        assert there.inputs.tobytes() == here.inputs.tobytes()
        assert digests(ray_backend) == {embedded.network.digest}
        states[iteration] = ray_backend.get_state()
    # Go back: every worker must have the older weights, then come to the same end again.
    ray_backend.set_state({**states[0], "weights_seq_no": 0})
    assert digests(ray_backend) != {embedded.network.digest}
    for iteration in (1, 2):
        ray_backend.iterate(plan(iteration))
    assert digests(ray_backend) == {embedded.network.digest}


@pytest.mark.slow
def test_a_killed_worker_is_replaced_and_its_games_are_played(ray_backend, embedded):
    embedded.set_state({**ray_backend.get_state(), "weights_seq_no": 0})
    group = ray_backend.algorithm.env_runner_group
    first = group.foreach_env_runner(lambda _: os.getpid(), local_env_runner=False)[0]
    os.kill(first, signal.SIGKILL)
    there, _ = ray_backend.iterate(plan(3))
    here, _ = embedded.iterate(plan(3))
    assert there.inputs.tobytes() == here.inputs.tobytes()
    assert digests(ray_backend) == {embedded.network.digest}


@pytest.mark.slow
def test_an_algorithm_from_a_checkpoint_of_rllib_has_its_weights_everywhere(ray_backend, tmp_path):
    from revops_ma.training.algorithm import GamesPPO

    ray_backend.iterate(plan(0))
    expected = digests(ray_backend)
    ray_backend.algorithm.save_to_path(str(tmp_path / "checkpoint"))
    restored = GamesPPO.from_checkpoint(str(tmp_path / "checkpoint"))
    try:
        found = restored.env_runner_group.foreach_env_runner(
            lambda runner: runner.network.digest, local_env_runner=False
        )
        assert set(found) == expected
    finally:
        restored.stop()


@pytest.mark.slow
def test_train_gives_the_same_agent_in_either_backend(started):
    budget = Budget(iterations=2)
    made = [
        train("crisis", POOL, SCENE, budget=budget, recipe=RECIPE, backend=backend)
        for backend in ("embedded", "ray")
    ]
    assert made[0].network.digest == made[1].network.digest
    assert made[0].months == made[1].months
