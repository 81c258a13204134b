"""What the tests of GRPO share: example texts, and a small model that has cloned a little."""

import numpy as np
import pytest

pytest.importorskip("trl", reason="needs the grpo extra")

from revops_ma import catalog
from revops_ma.rollout import open_pool

SCENARIO = "revops/normal"


@pytest.fixture(scope="session")
def texts():
    """Dashboards of 60 games of random play against random crises: every form they take."""
    random, found = np.random.default_rng(0), []
    with (
        open_pool() as pool,
        pool.sessions(SCENARIO, "pilot", {"crisis": "random"}, range(60)) as s,
    ):
        while len(waiting := s.waiting):
            found += waiting.texts
            moves = random.integers(0, 10, (len(waiting), 2))
            s.step(waiting.ids, s.role.discrete(moves))
    return found


@pytest.fixture(scope="session")
def role():
    return catalog.scenario(SCENARIO).world.roles[0]


@pytest.fixture
def writer(texts, role):
    """An untrained tiny model."""
    import torch

    from revops_ma.training.pilot_grpo.tiny import tiny_writer

    torch.set_num_threads(1)
    return tiny_writer(texts, role, seed=0)
