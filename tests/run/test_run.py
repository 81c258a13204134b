import json

import pytest

from revops_ma.errors import BadInput
from revops_ma.run import LOCK, MANIFEST, Run, manifest, writer, writing
from tests.run.common import PER_SEGMENT, files, lines_of, play


def test_a_run_reads_back_what_was_played(whole):
    episodes = list(Run(whole).episodes())
    assert [episode.seed for episode in episodes] == list(range(9, 49))
    assert Run(whole).is_complete
    assert [len(file.read_bytes().splitlines()) for file in Run(whole).segments()] == [16, 16, 8]


def test_every_line_is_json_that_others_can_read(whole):
    for line in lines_of(whole):
        record = json.loads(line)
        assert record.keys() == {"chain", "episode"}
        assert record["episode"]["moves"][0][0] == 0


def test_the_same_command_changes_nothing(run):
    before = files(run)
    again = play(run)
    assert files(run) == before
    assert again.result.completed == 40


def test_resumed_episodes_give_the_same_figures(whole, run):
    cut(run, 17)
    assert play(run).result.to_json() == play(whole).result.to_json()


def cut(run, left, rest=b""):
    """Leave what a kill leaves: an older manifest, then some more lines and the start of one."""
    lines = [*lines_of(run)[:left], rest]
    for number, file in enumerate(Run(run).segments()):
        part = lines[number * PER_SEGMENT : (number + 1) * PER_SEGMENT]
        file.write_bytes(b"".join(part)) if b"".join(part) else file.unlink()
    content = json.loads((run / MANIFEST).read_text())
    start = manifest.Committed(0, content["config_hash"])
    about = {"versions": content["versions"]}
    older = manifest.manifest_of(content["config"], content["planned"], start, about)
    (run / MANIFEST).write_text(manifest.written(older))


@pytest.mark.parametrize("left", [0, 1, 15, 16, 17, 32, 39])
@pytest.mark.parametrize("torn", [0, 1, 400])
def test_a_cut_run_resumes_to_the_same_bytes(run, left, torn):
    before = files(run)
    cut(run, left, lines_of(run)[left][:torn])
    assert len(list(Run(run).episodes())) == left
    play(run)
    assert files(run) == before


def test_what_a_killed_commit_leaves_is_cleared(run):
    before = files(run)
    (run / f".{MANIFEST}.77.partial").write_text("{")
    play(run)
    assert files(run) == before


def test_a_newer_numpy_goes_on_without_a_trace(run, monkeypatch):
    before = files(run)
    cut(run, 20)
    monkeypatch.setattr(writer, "installed_versions", lambda: {"numpy": "99"})
    play(run)
    assert files(run) == before


def test_what_is_appended_is_out_of_the_process_at_once(run, tmp_path):
    told = list(Run(run).episodes())
    with writing(tmp_path / "new", Run(run).config, 40) as opened:
        opened.append(told[:20])
        seen = list(Run(tmp_path / "new").episodes())
        assert seen == told[:20]
        assert Run(tmp_path / "new").manifest["count"] == 0
    assert Run(tmp_path / "new").manifest["count"] == 20


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


def test_the_lock_is_empty(whole):
    assert (whole / LOCK).read_bytes() == b""


def test_no_run_is_told_with_the_way_out(tmp_path):
    with pytest.raises(BadInput, match="write one with --out"):
        Run(tmp_path)
