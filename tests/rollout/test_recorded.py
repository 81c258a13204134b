import dataclasses

import pytest

from revops_ma import catalog
from revops_ma.arena.match import play_match
from revops_ma.episode import Moves, digest_of, moves_of, replay
from revops_ma.errors import BadInput
from revops_ma.rollout import play_again, rules_of
from revops_ma.rollout.recorded import batches
from revops_ma.run import Run

SCENES = {"revops/normal": "random", "finops/task2-storm": "random"}


@pytest.fixture(scope="module", params=SCENES)
def played(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "run"
    name = SCENES[request.param]
    play_match({"pilot": name, "crisis": name}, request.param, 12, 5, path)
    run = Run(path)
    return rules_of(run.config), list(run.episodes())


def test_side_by_side_is_one_by_one(played):
    rules, episodes = played
    table, misfits = play_again(rules, episodes)
    assert not misfits
    for row, episode in enumerate(episodes):
        alone = replay(rules.world, rules.settings, episode.seed, episode.moves)
        assert digest_of(table, row, episode.moves) == episode.digest
        assert digest_of(alone, 0, episode.moves) == episode.digest


def test_replayed_moves_are_recorded_as_they_were(played):
    rules, episodes = played
    table, _ = play_again(rules, episodes)
    assert moves_of(table) == [list(episode.moves) for episode in episodes]


def test_a_witness_sees_every_move_once(played):
    rules, episodes = played

    class Witness:
        asked_for = moved_for = 0

        def asked(self, view):
            self.asked_for += len(view.numbers)

        def moved(self, view, outcome):
            self.moved_for += len(outcome.rewards)

    witness = Witness()
    play_again(rules, episodes, witness)
    moves = sum(len(episode.moves) for episode in episodes)
    assert witness.asked_for == witness.moved_for == moves


@pytest.mark.parametrize(
    ("change", "move", "words"),
    [
        (lambda moves: moves[:3], 3, "the moves end here"),
        (lambda moves: [[1, moves[0][1]], *moves[1:]], 0, "is not the pilot's"),
        (lambda moves: [*moves, moves[0]], None, "the game is over, but 1 more"),
        (lambda moves: [*moves[:2], [0, "nonsense"], *moves[3:]], 2, "cannot be read"),
        (lambda moves: [moves[0], 7, *moves[2:]], 1, "this is not a move"),
    ],
)
def test_moves_that_do_not_fit_are_told_and_disturb_no_other_game(played, change, move, words):
    rules, episodes = played
    bad = dataclasses.replace(episodes[4], moves=Moves.of(change(list(episodes[4].moves))))
    table, misfits = play_again(rules, [*episodes[:4], bad, *episodes[5:]])
    assert list(misfits) == [4]
    assert misfits[4].move == (len(episodes[4].moves) if move is None else move)
    assert words in misfits[4].why
    for row in (3, 5):
        assert digest_of(table, row, episodes[row].moves) == episodes[row].digest


def test_batches_leave_failed_episodes_out(played):
    _, episodes = played
    some = [dataclasses.replace(episodes[0], status="failed"), *episodes[1:5]]
    assert [list(part) for part in batches(some, size=3)] == [[1, 2, 3], [4]]


def test_rules_are_read_from_what_the_run_recorded():
    scene = catalog.scenario("revops/hard")
    config = {"scenario": scene.name, "rules": scene.identity}
    rules = rules_of(config)
    assert rules.settings == scene.settings
    assert rules.change == ""
    assert "recorded rules" in rules_of({**config, "scenario": "gone"}).change
    assert "the scenario card says" in rules_of({**config, "scenario": "revops/easy"}).change
    older = rules_of({**config, "rules": scene.identity.replace(" v1 ", " v0 ")})
    assert not older.can_replay
    assert "recorded under version 0" in older.change


@pytest.mark.parametrize("rules", ["", "revops v1", "mars v1 {}", 'revops v1 {"difficulty":"odd"}'])
def test_rules_that_cannot_be_read_are_told(rules):
    with pytest.raises(BadInput):
        rules_of({"scenario": "revops/normal", "rules": rules})
