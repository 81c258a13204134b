from contextlib import contextmanager

import pytest

from revops_ma import catalog
from revops_ma.progress import listening
from revops_ma.rollout import EmbeddedPool, playing, seat, work
from revops_ma.rollout.work import Pace, Sizing

SCENE = "revops/normal"


@pytest.fixture
def matchup():
    return seat(catalog.scenario(SCENE), {"pilot": "random", "crisis": "lookahead"}, range(40, 75))


def test_the_batch_size_changes_nothing(matchup):
    pools = [EmbeddedPool(games_per_table=size) for size in (1, 7, 512)]
    played = [
        [e for done in pool.play([matchup], record=True) for e in done.results] for pool in pools
    ]
    assert played[0] == played[1] == played[2]
    assert [episode.seed for episode in played[0]] == list(range(40, 75))


def test_progress_adds_up_to_the_plan(matchup):
    told = []

    @contextmanager
    def listener(what, total):
        told.append((what, total))
        yield told.append

    with listening(listener):
        list(EmbeddedPool(games_per_table=10).play([matchup]))
    assert told[0] == ("episodes", 35)
    assert sum(told[1:]) == 35


def test_recorded_tables_grow_while_they_are_quick(matchup, monkeypatch):
    monkeypatch.setattr(playing, "FIRST_TABLE", 2)
    monkeypatch.setattr(work, "SHORT_SECONDS", 1e9)
    sizes = [done.size for done in EmbeddedPool().play([matchup], record=True)]
    assert sizes == [2, 4, 8, 16, 5]


def test_items_shrink_where_they_are_slow_and_keep_within_their_bounds():
    sizing = Sizing(Pace(16, 3, 512))
    for seconds, size in ((5.0, 8), (0.5, 8), (5.0, 4), (5.0, 3), (5.0, 3), (0.0, 6)):
        sizing.learn(seconds)
        assert sizing.size == size
    steady = Sizing(Pace.steady(512))
    steady.learn(0.0)
    assert steady.size == 512


def test_the_pool_tells_what_it_has_done(matchup):
    pool = EmbeddedPool(games_per_table=10)
    list(pool.play([matchup]))
    (time,) = pool.timings
    assert (time.worker, time.items, time.games, time.deaths) == (0, 4, 35, 0)
    assert time.busy_seconds > 0
