import json
import shutil

import pytest

from revops_ma.arena.match import play_match
from revops_ma.errors import BadInput
from revops_ma.run import MANIFEST, Run, TamperedRun, writing

PLAYERS = {"pilot": "random", "crisis": "random"}


def play(path, episodes=40, seed=9, **changed):
    return play_match({**PLAYERS, **changed}, "revops/normal", episodes, seed, path)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "whole"
    play(path)
    return path


@pytest.fixture
def run(whole, tmp_path):
    return shutil.copytree(whole, tmp_path / "run")


def files(path):
    return {file.name: file.read_bytes() for file in sorted(path.iterdir())}


def segment(path):
    return path / "episodes-00000.jsonl"


def test_a_run_reads_back_what_was_played(whole):
    episodes = list(Run(whole).episodes())
    assert [episode.seed for episode in episodes] == list(range(9, 49))
    assert Run(whole).is_complete


def test_the_same_command_changes_nothing(run):
    before = files(run)
    again = play(run)
    assert files(run) == before
    assert again.result.completed == 40


@pytest.mark.parametrize("left", [0, 1, 17, 39])
def test_a_cut_run_resumes_to_the_same_bytes(run, left):
    before = files(run)
    lines = segment(run).read_bytes().splitlines(keepends=True)
    torn = lines[left][: len(lines[left]) // 2]
    segment(run).write_bytes(b"".join(lines[:left]) + torn)
    manifest = json.loads((run / MANIFEST).read_text())
    # The state a kill leaves: an older manifest, then more lines, the last one torn.
    manifest.update(count=0, head="0" * 32)
    (run / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n")
    play(run)
    assert files(run) == before


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"seed": 10}, "seed is 9 there, 10 here"),
        ({"episodes": 41}, "episodes is 40 there, 41 here"),
        ({"pilot": "heuristic"}, "matchups is"),
    ],
)
def test_another_config_is_refused_with_the_keys_that_differ(run, changed, words):
    before = files(run)
    with pytest.raises(BadInput, match=words):
        play(run, **changed)
    assert files(run) == before


def test_a_folder_with_other_files_is_refused(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(BadInput, match="new or empty directory"):
        play(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.txt"]


def test_two_writers_do_not_meet(run):
    config = Run(run).config
    with (
        writing(run, config, 40),
        pytest.raises(BadInput, match="another process"),
        writing(run, config, 40),
    ):
        pass


def flip(lines):
    lines[5] = lines[5].replace(b'"won":', b'"w0n":')


def drop(lines):
    del lines[11]


def swap(lines):
    lines[2], lines[3] = lines[3], lines[2]


def truncate(lines):
    del lines[30:]


def edit_last(lines):
    lines[-1] = lines[-1].replace(b'"steps":', b'"steps":1')


@pytest.mark.parametrize(
    ("tamper", "place"),
    [
        (flip, "line 6"),
        (drop, "line 12"),
        (swap, "line 3"),
        (truncate, "number 30"),
        (edit_last, "line 40"),
    ],
)
def test_tampering_is_found_and_located(run, tamper, place):
    lines = segment(run).read_bytes().splitlines(keepends=True)
    tamper(lines)
    segment(run).write_bytes(b"".join(lines))
    with pytest.raises(TamperedRun, match=place):
        list(Run(run).episodes())


def test_an_edited_config_is_found(run):
    text = (run / MANIFEST).read_text().replace('"seed": 9', '"seed": 8')
    (run / MANIFEST).write_text(text)
    with pytest.raises(TamperedRun, match="config does not fit its hash"):
        Run(run)


def test_no_run_is_told_with_the_way_out(tmp_path):
    with pytest.raises(BadInput, match="write one with --out"):
        Run(tmp_path)
