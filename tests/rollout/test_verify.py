import json

import pytest

from revops_ma.arena.match import play_match
from revops_ma.episode import Episode
from revops_ma.errors import RunFailed
from revops_ma.rollout.verify import verify
from revops_ma.run import Run, writing

PLAYERS = {"pilot": "random", "crisis": "random"}


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "run"
    play_match(PLAYERS, "revops/normal", 30, 5, path)
    return path


def forged(source, target, change_episode=None, change_config=None):
    """A run whose hashes are sound and whose content is not what the rules give."""
    run = Run(source)
    config = {**run.config, **(change_config or {})}
    records = [episode.to_json() for episode in run.episodes()]
    if change_episode:
        change_episode(records[7])
    with writing(target, config, len(records)) as writer:
        writer.append([Episode.from_json(record) for record in records])
    return target


def test_a_sound_run_is_identical(played):
    verdict = verify(played)
    assert verdict.holds
    assert (verdict.episodes, verdict.identical, verdict.failed) == (30, 30, 0)
    assert json.loads(json.dumps(verdict.to_json()))["mismatches"] == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda r: r["returns"].update(pilot=1.0), "returns: recorded"),
        (lambda r: r["facts"].update(final_mrr=1.0), "facts: recorded"),
        (lambda r: r.update(won=not r["won"]), "won: recorded"),
        (lambda r: r.update(ending="bored"), "ending: recorded bored"),
        (lambda r: r.update(digest="0" * 16), "digest: recorded 0000"),
        (lambda r: r["moves"].pop(), "the moves end here"),
        (lambda r: r["moves"].append([0, [0, 1.0]]), "the game is over"),
        (lambda r: r["moves"][0].__setitem__(1, [5, 0.123]), "recorded"),
    ],
)
def test_a_forged_record_is_found_by_replay(played, tmp_path, change, words):
    verdict = verify(forged(played, tmp_path / "forged", change))
    assert verdict.identical == 29
    (mismatch,) = verdict.mismatches
    assert (mismatch.episode, mismatch.seed) == (7, 12)
    assert words in mismatch.what


def test_a_failed_episode_is_counted_and_not_compared(played, tmp_path):
    path = forged(played, tmp_path / "failed", lambda r: r.update(status="failed", moves=[]))
    verdict = verify(path)
    assert (verdict.identical, verdict.failed, verdict.holds) == (29, 1, True)


def test_other_rules_are_told_before_anything_is_played(played, tmp_path):
    rules = Run(played).config["rules"].replace(" v1 ", " v0 ")
    path = forged(played, tmp_path / "old", change_config={"rules": rules})
    with pytest.raises(RunFailed, match=r"version 0 of the revops rules.*version 1.*numpy"):
        verify(path)
