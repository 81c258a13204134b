import json
import os
import subprocess
import sys

import pytest

from revops_ma.arena.match import play_match
from revops_ma.episode import Episode
from revops_ma.run import Run, writing


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    for name, pilot in (("a", "heuristic"), ("b", "random")):
        players = {"pilot": pilot, "crisis": "random"}
        play_match(players, "revops/normal", 20, 3, folder / name)
    return folder


@pytest.fixture
def forged(runs, tmp_path):
    run = Run(runs / "a")
    records = [episode.to_json() for episode in run.episodes()]
    records[5]["moves"].pop()
    with writing(tmp_path / "forged", run.config, 20) as writer:
        writer.append([Episode.from_json(record) for record in records])
    return tmp_path / "forged"


@pytest.mark.parametrize("command", ["replay", "diff", "export"])
def test_help_shows_an_example(run, command):
    told = run(command, "--help")
    assert told.code == 0
    assert f"Example: revops-ma {command}" in told.out
    assert max(len(line) for line in told.out.splitlines()) <= 80


def test_replay_of_a_sound_run(run, runs):
    document = run("replay", runs / "a", "--json").document
    assert (document["episodes"], document["identical"], document["mismatches"]) == (20, 20, [])
    told = run("replay", runs / "a")
    assert told.code == 0
    assert "20 of 20 episodes are identical" in told.out


def test_replay_names_the_first_mismatch_and_fails(run, forged):
    told = run("replay", forged)
    assert told.code == 1
    assert "episode 5 (seed 8) at step" in told.err
    assert told.err.count("\n") == 1
    told = run("replay", forged, "--json")
    assert told.code == 1
    (mismatch,) = told.document["mismatches"]
    assert (mismatch["episode"], mismatch["seed"]) == (5, 8)


def test_replay_says_so_where_the_scenario_is_gone(run, runs, tmp_path):
    source = Run(runs / "a")
    with writing(tmp_path / "gone", {**source.config, "scenario": "lost"}, 20) as writer:
        writer.append(list(source.episodes()))
    told = run("replay", tmp_path / "gone")
    assert told.code == 0
    assert "no scenario card of this name" in told.out


def test_diff_tells_the_parting_and_the_differences(run, runs):
    told = run("diff", runs / "a", runs / "b")
    assert told.code == 0
    assert "They part at matchup 0, seed 3, step" in told.out
    assert "episode return" in told.out
    document = run("diff", runs / "a", runs / "b", "--json").document
    assert document["compared"] == document["equal"] + document["different"] == 20
    assert document["first"]["a"]["before"] == document["first"]["b"]["before"]
    assert set(document["matchups"][0]["differences"]) >= {"episode_return", "survival"}


@pytest.mark.export
def test_export_tells_what_it_wrote(run, runs, tmp_path):
    pytest.importorskip("pyarrow")
    told = run("export", runs / "a", "--to", "parquet", "--out", tmp_path / "t", "--json")
    assert told.document["episodes"] == 20
    assert (tmp_path / "t" / "moves.parquet").is_file()
    assert "moves of 20 episodes" in run("export", runs / "a", "--to", "parquet").out
    assert (runs / "a" / "export" / "parquet" / "episodes.parquet").is_file()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("replay", "nowhere"), "no run directory"),
        (("diff", "nowhere", "nowhere"), "no run directory"),
        (("export", "nowhere"), "--to"),
        (("export", "nowhere", "--to", "excel"), "allowed: parquet, minari, hf"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(run, arguments, words):
    told = run(*arguments)
    assert told.code == 2
    assert told.out == ""
    assert words in told.err
    assert told.err.count("\n") == 1


def test_tampering_is_one_line_that_names_the_place(run, forged):
    file = forged / "episodes-00000.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"won":true', b'"won":false', 1))
    told = run("replay", forged)
    assert told.code == 2
    assert "episodes-00000.jsonl line" in told.err


@pytest.mark.parametrize("episodes", [200, pytest.param(10_000, marks=pytest.mark.slow)])
def test_processes_with_other_hash_seeds_write_and_replay_the_same(tmp_path, episodes):
    command = [sys.executable, "-m", "revops_ma.cli"]
    asked = ("match", "random", "random", "-n", str(episodes), "--seed", "7", "--json", "--out")
    contents = []
    for mine, other in (("1", "2"), ("2", "1")):
        path = tmp_path / mine
        subprocess.run(
            [*command, *asked, path],
            env={**os.environ, "PYTHONHASHSEED": mine},
            check=True,
            capture_output=True,
        )
        contents.append({file.name: file.read_bytes() for file in sorted(path.iterdir())})
        told = subprocess.run(
            [*command, "replay", path, "--json"],
            env={**os.environ, "PYTHONHASHSEED": other},
            check=True,
            capture_output=True,
        )
        document = json.loads(told.stdout)
        print(document["seconds"])
        assert document["identical"] == episodes
    assert contents[0] == contents[1]
