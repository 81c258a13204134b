"""Whole runs of the tiny model: small, resumed, refused; and the agent that comes of one."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from revops_ma.errors import BadInput, RunFailed
from revops_ma.rollout import open_pool
from revops_ma.training.pilot_grpo import ClonePlan, Plan, Recipe
from revops_ma.training.pilot_grpo.loop import train

pytestmark = [
    pytest.mark.grpo,
    pytest.mark.filterwarnings("ignore:.*Swig.*"),
    pytest.mark.filterwarnings("ignore:.*SwigPy.*"),
]
SMALL = Plan(
    clone=ClonePlan(games=40, epochs=1.0, batch=64),
    recipe=Recipe(
        rollouts=4,
        groups=2,
        copies=2,
        rows=64,
        steps=2,
        microbatch=32,
        validate_every=2,
        validation_games=4,
        checkpoint_every=1,
        most_invalid=1.0,
    ),
)
CHANGING = {
    "world_seconds",
    "model_seconds",
    "step_seconds",
    "world_share",
    "cpu_seconds",
    "seconds",
}


def figures(folder):
    lines = (folder / "metrics.jsonl").read_text().splitlines()
    return [
        {name: value for name, value in json.loads(line).items() if name not in CHANGING}
        for line in lines
    ]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    with open_pool() as pool:
        return train(SMALL, folder, pool)


def test_a_run_leaves_metrics_models_and_a_checkpoint(run):
    names = {path.name for path in run.folder.iterdir()}
    assert {"metrics.jsonl", "metrics.csv", "tensorboard", "start", "best", "train.json"} <= names
    assert [line["iteration"] for line in run.history] == [1, 2, 3, 4]
    assert [line["iteration"] for line in run.history if "validation" in line] == [2, 4]
    assert run.best["iteration"] in (0, 2, 4)


def test_the_same_command_again_changes_nothing(run):
    with open_pool() as pool:
        again = train(SMALL, run.folder, pool)
    assert again.best == run.best
    assert again.history == run.history


def test_another_plan_in_the_same_folder_is_refused(run):
    with open_pool() as pool, pytest.raises(BadInput, match="another training run"):
        train(replace(SMALL, seed=9), run.folder, pool)


def test_an_interrupted_run_ends_like_an_unbroken_one(run, tmp_path, monkeypatch):
    from revops_ma.training.pilot_grpo import loop

    def dies(figures, recipe):
        raise KeyboardInterrupt if figures["iteration"] == 3 else AssertionError

    with monkeypatch.context() as patched, open_pool() as pool:
        real = loop.guards.stop_reason
        patched.setattr(
            loop.guards,
            "stop_reason",
            lambda told, recipe: (
                dies(told, recipe) if told["iteration"] == 3 else real(told, recipe)
            ),
        )
        with pytest.raises(KeyboardInterrupt):
            train(SMALL, tmp_path, pool)
    with open_pool() as pool:
        resumed = train(SMALL, tmp_path, pool)
    assert figures(tmp_path) == figures(run.folder)
    assert resumed.best == run.best


def test_a_run_stops_when_answers_are_refused(tmp_path):
    plan = replace(SMALL, recipe=replace(SMALL.recipe, most_invalid=0.0))
    with open_pool() as pool, pytest.raises(RunFailed, match="refused"):
        train(plan, tmp_path, pool)


def test_the_agent_of_a_run_plays_by_its_card_and_twice_the_same(run, tmp_path):
    from revops_ma.arena.match import play_match
    from revops_ma.training.pilot_grpo.card import RUN_CARD, ship

    card = ship(
        run.best_model,
        tmp_path,
        "small",
        {"a": 1},
        about="A small test model.",
        world="revops",
        role="pilot",
    )
    assert json.loads((tmp_path / "small" / RUN_CARD).read_text()) == {"a": 1}
    assert not [*tmp_path.rglob("*.pt"), *tmp_path.rglob("*.bin"), *tmp_path.rglob("*.pkl")]
    players = {"pilot": str(card), "crisis": "rule-based"}
    one, two = (play_match(players, "revops/normal", 6, 1_000_000) for _ in range(2))
    assert [e.returns for e in one.episodes] == [e.returns for e in two.episodes]


@pytest.mark.slow
def test_a_run_killed_by_signal_ends_like_an_unbroken_one(run, tmp_path):
    program = (
        "from pathlib import Path\n"
        "from tests.training.pilot_grpo.test_run import SMALL\n"
        "from revops_ma.rollout import open_pool\n"
        "from revops_ma.training.pilot_grpo.loop import train\n"
        f"train(SMALL, Path({str(tmp_path)!r}), open_pool())\n"
    )
    command = [sys.executable, "-c", program]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    until = time.monotonic() + 200
    while not (tmp_path / "checkpoint.pt").is_file() and time.monotonic() < until:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    assert figures(tmp_path) == figures(run.folder)
