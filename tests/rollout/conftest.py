"""Ray, started once for all tests that need it, and cards of players that kill their workers."""

import os

import pytest

from revops_ma.rollout import cluster
from revops_ma.rollout.ray_pool import RayPool
from tests.cli.conftest import run

__all__ = ["run"]

CARD = """
kind = "scripted"
bot = "tests.rollout.bots:{bot}"
world = "revops"
role = "pilot"
sees = "everything"
about = "Kills workers."

[params]
{params}
"""


@pytest.fixture(scope="session")
def started():
    cluster.start(4)
    yield
    cluster.stop()


@pytest.fixture(scope="session")
def pools(started):
    """Ray pools by number of workers."""
    made = {workers: RayPool(workers) for workers in (1, 2, 4)}
    yield made
    for pool in made.values():
        pool.close()


@pytest.fixture
def card(tmp_path):
    """Write the card of one of `tests.rollout.bots`."""

    def write(bot, **params):
        params = {"driver": os.getpid(), **params} if bot != "broken" else {}
        lines = "\n".join(f"{name} = {value!r}" for name, value in params.items())
        path = tmp_path / f"{bot}.toml"
        path.write_text(CARD.format(bot=bot, params=lines))
        return str(path)

    return write
