from contextlib import contextmanager

import pytest

from revops_ma import catalog
from revops_ma.progress import listening
from revops_ma.rollout import EmbeddedPool, embedded, seat

SCENE = "revops/normal"


@pytest.fixture
def matchup():
    return seat(catalog.scenario(SCENE), {"pilot": "random", "crisis": "lookahead"}, range(40, 75))


def test_the_batch_size_changes_nothing(matchup):
    batches = [EmbeddedPool(record=True, games_per_table=size) for size in (1, 7, 512)]
    played = [[e for batch in pool.play([matchup]) for e in batch] for pool in batches]
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
    monkeypatch.setattr(embedded, "FIRST_TABLE", 2)
    monkeypatch.setattr(embedded, "SHORT_SECONDS", 1e9)
    sizes = [len(batch) for batch in EmbeddedPool(record=True).play([matchup])]
    assert sizes == [2, 4, 8, 16, 5]


def test_recorded_tables_shrink_where_games_are_slow(matchup, monkeypatch):
    monkeypatch.setattr(embedded, "FIRST_TABLE", 3)
    pool = EmbeddedPool(record=True)
    assert pool._next_size(16, 5.0) == 8
    assert pool._next_size(4, 5.0) == 3
    assert pool._next_size(16, 0.5) == 16
    assert pool._next_size(512, 0.0) == 512
