"""Many sockets at once: nobody sees somebody else's game, and memory is given back."""

import asyncio

import pytest

from revops_ma.bench import serving
from tests.server.load import crowd, expected

pytestmark = pytest.mark.serve

WAVE = 250
"""Sockets at a time where many sessions come and go."""


def play_all(server, seeds, steps):
    seen = asyncio.run(crowd(server.socket, seeds, steps))
    wrong = [seed for seed, told in zip(seeds, seen, strict=True) if told != expected(seed, steps)]
    assert wrong == []
    return sum(map(len, seen))


def test_forty_sessions_at_once_are_the_same_games_as_in_process(start):
    server = start("--scenario", "revops/easy")
    assert play_all(server, range(40), 12) > 300
    assert server.lines == []


@pytest.mark.slow
def test_five_hundred_sessions_at_once_and_two_thousand_in_turn(start):
    server = start("--scenario", "revops/easy", REVOPS_MA_MAX_SESSIONS="600")
    steps = play_all(server, range(500), 30)
    assert steps > 500 * 25
    before = server.megabytes
    for first in range(1_000, 3_000, WAVE):
        play_all(server, range(first, first + WAVE), 30)
    after = server.megabytes
    print(
        f"{steps} steps by 500 sessions at once; {before:.0f} MB, after 2,000 more {after:.0f} MB"
    )
    assert after < 1.05 * before
    assert server.lines == []


@pytest.mark.slow
def test_the_bench_measures_the_server_beside_an_echo():
    lines = {line.name: line for line in serving(2.0)}
    over = lines.pop("revops / echo over a socket")
    assert len(lines) == 3
    assert all(line.unit == "steps/s" and line.value > 50 for line in lines.values())
    print(f"{over.value:.2f} times the steps of an echo")
    # The aim is 0.7 on a quiet machine; half of that is a step that has become slow.
    assert over.value > 0.35
