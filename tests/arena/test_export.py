import dataclasses
import json
import sys

import numpy as np
import pytest

from revops_ma import catalog
from revops_ma.arena.export import FORMATS, export_run
from revops_ma.arena.export.spoken import spoken
from revops_ma.arena.tournament import play_tournament
from revops_ma.errors import BadInput, RunFailed
from revops_ma.game import Reply
from revops_ma.run import Run, writing
from revops_ma.table import Table


def needs(to):
    """The mark of what needs the export extra: without it these tests fail, they do not hide."""
    assert to in FORMATS
    return [pytest.mark.export]


PARQUET, MINARI, HF = (pytest.param(to, marks=needs(to)) for to in FORMATS)
SCENES = ("revops/normal", "finops/task2-storm")


@pytest.fixture(scope="module", params=SCENES)
def played(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "run"
    pilots = ["random", "do-nothing"]
    play_tournament(pilots, ["random"], request.param, 12, 5, path)
    return path


@pytest.fixture
def world(played):
    return catalog.scenario(Run(played).config["scenario"]).world


@pytest.mark.parametrize("to", [PARQUET])
def test_parquet_has_a_row_per_move_and_one_per_episode(played, tmp_path, to, world):
    import pyarrow.parquet as pq

    made = export_run(played, to, tmp_path / "out")
    moves = pq.read_table(tmp_path / "out" / "moves.parquet").to_pylist()
    episodes = pq.read_table(tmp_path / "out" / "episodes.parquet").to_pylist()
    told = list(Run(played).episodes())
    assert [row["digest"] for row in episodes] == [episode.digest for episode in told]
    assert made.rows == len(moves) == sum(len(episode.moves) for episode in told)
    for number, episode in enumerate(told):
        own = [row for row in moves if row["episode"] == number]
        packed = [[world.role_index(row["role"]), json.loads(row["move"])] for row in own]
        assert packed == list(episode.moves)
        assert {row["seed"] for row in own} == {episode.seed}
        for role in {row["role"] for row in own}:
            paid = [row["reward"] for row in own if row["role"] == role]
            assert sum(paid) == pytest.approx(episode.returns[role])
            assert [row["done"] for row in own if row["role"] == role][-1] is True
        assert max(row["step"] for row in own) <= episode.steps


@pytest.mark.parametrize("to", [PARQUET])
def test_exported_observations_are_those_of_the_game(played, tmp_path, to, world):
    import pyarrow.parquet as pq

    export_run(played, to, tmp_path / "out")
    moves = pq.read_table(tmp_path / "out" / "moves.parquet").to_pylist()
    episode = next(iter(Run(played).episodes()))
    scene = catalog.scenario(Run(played).config["scenario"])
    table = Table(world, scene.settings, [episode.seed])
    for row, (_, move) in zip(moves, episode.moves, strict=False):
        (view,) = table.waiting()
        assert row["observation"] == view.numbers[0].tolist()
        trace = world.trace(table.games, view.rows)
        assert {f"state_{name}": values[0] for name, values in trace.items()}.items() <= row.items()
        table.take(view, Reply(view.role.unpack([move])))


@pytest.mark.parametrize("to", [MINARI])
def test_minari_has_a_data_set_per_role(played, tmp_path, to, world, monkeypatch):
    import minari

    made = export_run(played, to, tmp_path / "out")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "out"))
    told = list(Run(played).episodes())
    steps = 0
    for index, role in enumerate(world.roles):
        data = minari.load_dataset(f"revops_ma/{role.name}-v{world.version}")
        assert data.observation_space == role.observation_space
        acted = [episode for episode in told if any(seat == index for seat, _ in episode.moves)]
        assert data.total_episodes == len(acted)
        for kept, episode in zip(data, acted, strict=True):
            moves = [move for seat, move in episode.moves if seat == index]
            batch = role.unpack(moves)
            assert len(kept.observations) == len(moves) + 1
            assert kept.terminations.tolist() == [False] * (len(moves) - 1) + [True]
            assert kept.rewards.sum() == pytest.approx(episode.returns[role.name])
            assert all(data.observation_space.contains(seen) for seen in kept.observations)
            assert len(kept.actions["kind"]) == len(role.kind_of(batch))
            steps += len(moves)
    assert made.rows == steps
    assert made.left_out["episodes without a move of the role"] == 2 * len(told) - sum(
        len({seat for seat, _ in episode.moves}) for episode in told
    )


@pytest.mark.parametrize("to", [HF])
def test_chats_read_back_as_the_moves_that_were_played(played, tmp_path, to, world):
    import datasets

    made = export_run(played, to, tmp_path / "out")
    rows = datasets.load_from_disk(str(tmp_path / "out"))
    assert len(rows) == made.rows > 0
    told = list(Run(played).episodes())
    silent = made.left_out["moves without a JSON form"]
    assert made.rows + silent == sum(len(episode.moves) for episode in told)
    for row in list(rows)[:200]:
        (asked,), (answer,) = row["prompt"], row["completion"]
        assert (asked["role"], answer["role"]) == ("user", "assistant")
        role = world.roles[world.role_index(row["role"])]
        reply = role.texts([answer["content"]])
        assert not reply.refused
        assert not reply.notes
        assert len(asked["content"]) > 50


def test_every_point_of_the_training_space_can_be_said_by_the_company_roles():
    world = catalog.scenario("revops/normal").world
    for role in world.roles:
        sizes = role.training_space.nvec
        points = np.stack(np.meshgrid(*map(np.arange, sizes), indexing="ij"), axis=-1)
        batch = role.discrete(points.reshape(-1, len(sizes))).batch
        said = spoken(role, batch)
        passes = role.kind_of(batch) < 0
        for position, each in enumerate(said):
            # A crisis of strength 0 is written as a kind but is a pass: no object stands for it.
            assert each is not None or passes[position]


@pytest.mark.parametrize("to", FORMATS)
def test_a_missing_package_is_told_with_the_way_out(played, tmp_path, to, monkeypatch):
    for package in FORMATS[to]:
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(BadInput, match=r'pip install "revops-ma\[export\]"'):
        export_run(played, to, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_unknown_format_is_told(played):
    with pytest.raises(BadInput, match="allowed: parquet, minari, hf"):
        export_run(played, "excel")


@pytest.mark.parametrize("to", [PARQUET])
def test_a_directory_in_use_is_left_alone(played, tmp_path, to):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(BadInput, match="is there already"):
        export_run(played, to, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("to", [PARQUET])
def test_a_run_that_does_not_replay_is_not_exported(played, tmp_path, to):
    run = Run(played)
    told = list(run.episodes())
    told[3] = dataclasses.replace(told[3], digest="0" * 16)
    with writing(tmp_path / "forged", run.config, len(told)) as writer:
        writer.append(told)
    with pytest.raises(RunFailed, match="episode 3 does not replay"):
        export_run(tmp_path / "forged", to, tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["forged"]
