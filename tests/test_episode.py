import dataclasses

import pytest

from revops_ma import catalog
from revops_ma.episode import Episode, digest_of, episodes_of, moves_of, replay
from revops_ma.run import dumps
from revops_ma.table import Table, play


@pytest.fixture(scope="module")
def played():
    scene = catalog.scenario("revops/hard")
    players = {
        "pilot": catalog.agent("random", "pilot", scene),
        "crisis": catalog.agent("random", "crisis", scene),
    }
    return play(Table(scene.world, scene.settings, range(30)), players)


def test_replay_of_the_moves_gives_the_same_digest(played):
    for row, moves in enumerate(moves_of(played)):
        again = replay(played.world, played.settings, played.seeds[row], moves)
        assert again.is_over
        assert digest_of(again, 0, moves) == digest_of(played, row, moves)


def test_a_changed_move_changes_the_digest(played):
    moves = moves_of(played)[3]
    changed = [[role, list(move)] for role, move in moves]
    changed[0][1][1] = 0.123
    again = replay(played.world, played.settings, played.seeds[3], changed[: len(moves)])
    assert digest_of(again, 0, changed) != digest_of(played, 3, moves)


def test_moves_that_do_not_fit_the_game_are_told(played):
    moves = moves_of(played)[0]
    with pytest.raises(ValueError, match="to move"):
        replay(played.world, played.settings, played.seeds[0], [*moves, moves[0]])
    with pytest.raises(ValueError, match="move 0 is of crisis, but pilot is to move"):
        replay(played.world, played.settings, played.seeds[0], [[1, [0, 1.0, 1.0, 0]]])


def test_a_record_survives_json(played):
    import json

    episode = episodes_of(played, "random vs random", record=True)[0]
    again = Episode.from_json(json.loads(dumps(episode.to_json())))
    assert dumps(again.to_json()) == dumps(episode.to_json())
    assert dataclasses.replace(again, moves=()) == dataclasses.replace(episode, moves=())


def test_returns_of_both_sides_cancel_to_the_last_bit(played):
    for episode in episodes_of(played, "m", record=False):
        assert episode.returns["pilot"] + episode.returns["crisis"] == 0.0
