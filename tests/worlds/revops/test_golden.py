"""The golden episodes, bit for bit, compiled and as plain Python."""

import os
import subprocess
import sys

import pytest

import revops_ma
from tests.worlds.revops.golden import episodes, replay

EPISODES = episodes()
MONTHS = sum(len(episode["steps"]) for episode in EPISODES)


def test_there_are_sixteen_of_all_difficulties():
    assert len(EPISODES) == 16
    assert {episode["difficulty"] for episode in EPISODES} == {"easy", "normal", "hard"}


@pytest.mark.parametrize(
    "episode", EPISODES, ids=lambda e: "-".join(map(str, (e["seed"], e["pilot"], e["crisis"])))
)
def test_an_episode_comes_out_bit_for_bit(episode):
    assert replay(episode) == len(episode["steps"])


def test_the_kernel_gives_the_same_bits_without_the_compiler():
    root = os.path.dirname(os.path.dirname(revops_ma.__file__))
    done = subprocess.run(
        [sys.executable, "-m", "tests.worlds.revops.golden"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == str(MONTHS), done.stderr[-2000:]
