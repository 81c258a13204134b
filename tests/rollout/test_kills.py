"""Workers killed by process id, in play and in sessions: the same results, or a counted failure."""

import os
import random
import signal
import threading
import time
from contextlib import nullcontext

import numpy as np
import pytest

from revops_ma import catalog
from revops_ma.episode import FAILED
from revops_ma.rollout import EmbeddedPool, Spec, hold, in_plan_order, seat, sessions
from revops_ma.rollout.ray_pool import RayPool

pytestmark = pytest.mark.ray

SEEDS = [3, 3, 4, 5, 6, 7]


@pytest.fixture(scope="module")
def pair(started):
    """Two workers of their own: killed ones need not disturb other tests."""
    with RayPool(2) as pool:
        yield pool


def kill(pool, worker):
    os.kill(pool.channel.pids()[worker], signal.SIGKILL)


def play_out(opened, before_turn=lambda turn: None):
    """Play random legal moves that depend on nothing but what is seen; give the records."""
    turn = 0
    while len(waiting := opened.waiting):
        before_turn(turn)
        luck = [random.Random(text) for text in waiting.texts]
        sizes = opened.role.training_space.nvec
        actions = [[each.randrange(size) for size in sizes] for each in luck]
        opened.step(waiting.ids, opened.role.discrete(np.array(actions)))
        turn += 1
    return opened.episodes


def spec_of(seed, opponent="random", role="pilot"):
    other = {"pilot": "crisis", "crisis": "pilot"}[role]
    return Spec(hold("revops/normal", role, {other: opponent}), seed)


def test_sessions_are_brought_back_between_turns(pair):
    specs = [spec_of(seed) for seed in SEEDS]
    with EmbeddedPool().open(specs) as quiet:
        expected = play_out(quiet)
    deaths = [time.deaths for time in pair.timings]

    def strike(turn):
        if turn in (2, 9):
            kill(pair, turn % 2)

    with pair.open(specs) as opened:
        assert play_out(opened, strike) == expected
    assert sum(time.deaths for time in pair.timings) > sum(deaths)


def test_sessions_are_brought_back_in_the_middle_of_a_turn(pair, card, tmp_path):
    """The opponent kills its worker after the caller's move was played, before it is told."""
    name = card("fragile", mark=str(tmp_path / "mark"), months=11)
    specs = [spec_of(seed, name, "crisis") for seed in SEEDS]
    with pair.open(specs) as opened:
        found = play_out(opened)
    assert (tmp_path / "mark").exists()
    with EmbeddedPool().open(specs) as quiet:
        assert play_out(quiet) == found


def test_sessions_are_opened_again_when_that_kills_a_worker(pair, card, tmp_path):
    name = card("fragile", mark=str(tmp_path / "mark"))
    specs = [spec_of(seed, name, "crisis") for seed in SEEDS]
    with pair.open(specs) as opened:
        waiting = opened.waiting
    assert waiting.ids.tolist() == list(range(len(SEEDS)))
    with EmbeddedPool().open(specs) as quiet:
        assert quiet.waiting.texts == waiting.texts


def test_only_the_session_that_kills_every_worker_is_given_up(pair, card, monkeypatch):
    monkeypatch.setattr(sessions, "REDOS", 0)
    specs = [spec_of(seed, card("deadly", seed=5, months=4), "crisis") for seed in SEEDS]
    told = []

    def watched(opened):
        step = opened.step
        opened.step = lambda ids, replies: told.append(step(ids, replies))
        return play_out(opened)

    with EmbeddedPool().open(specs) as quiet:
        expected = watched(quiet)
    assert not any(each.failed.any() for each in told)
    told.clear()
    with pair.open(specs) as opened:
        found = watched(opened)
    (turn,) = [each for each in told if each.failed.any()]
    assert turn.ids[turn.failed].tolist() == [3]
    assert np.isnan(turn.rewards[turn.failed]).all()
    assert turn.ended[turn.failed].all()
    assert np.isfinite(turn.rewards[~turn.failed]).all()
    bad = found[3]
    assert (bad.seed, bad.status, bad.returns) == (5, FAILED, {})
    assert bad.reason.startswith("worker died: ")
    assert found[:3] + found[4:] == expected[:3] + expected[4:]


class Killer:
    """Kills a worker by its process id after a random time, from another thread."""

    def __init__(self, pool, luck, latest):
        self.pid = luck.choice(pool.channel.pids())
        self.timer = threading.Timer(luck.uniform(0.0, latest), self.strike)
        self.struck = False

    def strike(self):
        os.kill(self.pid, signal.SIGKILL)
        self.struck = True

    def __enter__(self):
        self.timer.start()

    def __exit__(self, *error):
        self.timer.cancel()
        self.timer.join()


def twenty_kills(pool, play, expected):
    """Play until a kill at a random time has struck 20 runs; tell how many there were."""
    luck, shortest, struck, runs, failed = random.Random(11), np.inf, 0, 0, 0
    while struck < 20:
        began = time.monotonic()
        killer = Killer(pool, luck, min(shortest, 5.0)) if runs else nullcontext()
        with killer:
            found = play()
        struck += runs > 0 and killer.struck
        shortest = min(shortest, time.monotonic() - began)
        runs += 1
        for ours, theirs in zip(found, expected, strict=True):
            failed += ours.status == FAILED
            assert ours == theirs or ours.status == FAILED
    print(f"{struck} of {runs} runs lost a worker, {failed} of {runs * len(expected)} games failed")
    assert runs < 60
    assert failed == 0  # one death a run is within every budget


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_twenty_kills_in_play_change_nothing(pair):
    players = {"pilot": "planner", "crisis": "rule-based"}
    matchup = seat(catalog.scenario("revops/normal"), players, range(500, 580))

    def play(pool=pair):
        done = in_plan_order(pool.play([matchup], record=True))
        return [episode for each in done for episode in each.results]

    twenty_kills(pair, play, play(EmbeddedPool()))


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_twenty_kills_in_sessions_change_nothing(pair):
    specs = [spec_of(seed, "hunter") for seed in range(48)]

    def play(pool=pair):
        with pool.open(specs) as opened:
            return play_out(opened)

    twenty_kills(pair, play, play(EmbeddedPool()))
