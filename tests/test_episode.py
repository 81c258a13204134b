import copy
import dataclasses
import json
import pickle
import types

import numpy as np
import pytest

from revops_ma import catalog
from revops_ma.episode import Episode, Moves, digest_of, episodes_of, moves_of, replay
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
    episode = episodes_of(played, "random vs random", record=True)[0]
    again = Episode.from_json(json.loads(dumps(episode.to_json())))
    assert dumps(again.to_json()) == dumps(episode.to_json())
    assert dataclasses.replace(again, moves=()) == dataclasses.replace(episode, moves=())


def test_returns_of_both_sides_cancel_to_the_last_bit(played):
    for episode in episodes_of(played, "m", record=False):
        assert episode.returns["pilot"] + episode.returns["crisis"] == 0.0


class Written:
    """A table of one turn with the packed moves given: enough to be recorded."""

    def __init__(self, packed):
        role = types.SimpleNamespace(pack=lambda batch: batch)
        self.world = types.SimpleNamespace(roles=[None, role])
        self.seeds = range(len(packed))
        rows = np.arange(len(packed))
        self.log = [types.SimpleNamespace(role=1, rows=rows, batch=packed)]


@pytest.mark.parametrize(
    "packed",
    [
        [[1, 0.5], (2, -0.0)],
        [[1], [1.0], [True]],
        [5, "[x],[y]"],
        [["],[", 1], ["[", 2]],
        [{"a": "["}, {"b": "],["}],
        [[1, [2]], 3],
        [[], []],
        [["tool", '{"id": [1, 2]}', None, ""], ["\n", "\u2028", 0, "é"]],
    ],
)
def test_moves_of_any_shape_are_recorded_as_they_are(packed):
    told = moves_of(Written(packed))
    meant = json.loads(json.dumps(packed))
    assert told == [[[1, move]] for move in meant]
    assert json.dumps(told) == json.dumps([[[1, move]] for move in meant])


def test_moves_that_are_no_strict_json_are_not_recorded():
    with pytest.raises(ValueError, match="not JSON compliant"):
        moves_of(Written([[1, float("nan")]]))


def test_moves_behave_like_the_list_that_they_hold():
    moves = Moves.of([[0, [1, 0.5]], [1, []]])
    assert list(moves) == moves[:] == [[0, [1, 0.5]], [1, []]]
    assert moves == [[0, [1, 0.5]], [1, []]]
    assert moves != [[0, [1, 0.5]]]
    assert (len(moves), moves[1], bool(moves)) == (2, [1, []], True)
    assert not Moves.of([])
    assert Moves.of([]) == ()
    assert pickle.loads(pickle.dumps(moves)) == copy.deepcopy(moves) == moves
    assert Moves.of(moves) is moves


def test_a_record_survives_its_own_text(played):
    for episode in episodes_of(played, 'a ,"moves":[ b vs "c"', record=True)[:3]:
        text = episode.to_text()
        assert Episode.from_text(text) == episode
        assert json.loads(text) == episode.to_json()
        assert Episode.from_text(text).to_text() == text


@pytest.mark.parametrize("text", ["", "{}", '{"seed":1,"moves":[]}', '{"moves":[]}', "[1]"])
def test_what_is_no_record_is_a_value_error(text):
    with pytest.raises(ValueError):  # noqa: PT011
        Episode.from_text(text)
