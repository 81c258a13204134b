"""What training promises before torch is there: lazy imports, budgets, cards, evaluation."""

import json
import subprocess
import sys
import tomllib
from dataclasses import replace

import numpy as np
import pytest

from revops_ma import catalog
from revops_ma.errors import BadInput
from revops_ma.training import Budget, Pool, Trained, evaluate, train
from revops_ma.training.metrics import MetricsLog, read, table_of
from tests.networks import agent, network

SCENE = catalog.scenario("revops/normal")
POOL = Pool.of({"heuristic": 1.0, "do-nothing": 1.0}, "crisis", SCENE)


def trained(**changes):
    values = {
        "role": "crisis",
        "scenario": "revops/normal",
        "world": "revops",
        "against": POOL.to_json(),
        "seed": 4,
        "network": network(),
        "iterations": 7,
        "months": 210_000,
        "seconds": 3.5,
        "history": [{"validation_return": 9.0}, {}],
        "command": 'revops-ma train crisis --against "a \\ b"',
    }
    return Trained(**{**values, **changes})


def test_importing_training_loads_neither_torch_nor_ray():
    script = (
        "import sys, revops_ma.training, revops_ma.training.contest, revops_ma.cli;"
        "print(sorted({'torch', 'ray', 'tensorboard'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "limits", [{}, {"seconds": 0}, {"iterations": -1}, {"iterations": 3, "seconds": 2.0}]
)
def test_a_budget_is_one_limit_above_zero(limits):
    with pytest.raises(BadInput, match="iterations and seconds"):
        Budget(**limits)


def test_progress_follows_the_limit_that_was_set():
    assert Budget(iterations=10).progress(5, 99.0) == 0.5
    assert Budget(seconds=10.0).progress(5, 2.5) == 0.25
    assert Budget(seconds=10.0).progress(5, 12.0) == 1.0


def test_a_saved_agent_is_a_card_of_the_catalog_with_its_story(tmp_path):
    made = trained()
    scores = evaluate(made.agent("storm"), "crisis", POOL, SCENE, range(20))
    card = made.save(tmp_path / "agents" / "trained", "storm", scores)
    story = tomllib.loads(card.read_text())["trained"]
    assert story["command"] == made.command
    assert story["seed"] == 4
    assert story["against"] == POOL.to_json()
    assert set(story["figures"]) == {
        f"{what} vs {foe}" for what in ("survival", "return") for foe in ("heuristic", "do-nothing")
    }
    found = catalog.agent(card, "crisis", SCENE)
    assert found.name == "storm"
    assert found.network.digest == made.network.digest


def test_a_folder_of_trained_agents_joins_the_catalog(tmp_path, monkeypatch):
    trained().save(tmp_path / "agents" / "trained", "storm")
    monkeypatch.setenv("REVOPS_MA_PATH", str(tmp_path))
    assert "trained/storm" in catalog.fitting("crisis", SCENE.world)
    assert catalog.agent("trained/storm", "crisis", SCENE).name == "trained/storm"


def test_evaluation_gives_a_score_per_opponent_with_intervals():
    heuristic, idle = evaluate(agent(), "crisis", POOL, SCENE, range(40))
    assert (heuristic.opponent, idle.opponent) == ("heuristic", "do-nothing")
    for score in (heuristic, idle):
        assert score.games == 40
        for figure in (score.survival, score.episode_return):
            assert figure.low <= figure.mean <= figure.high
    assert heuristic.episode_return.mean > idle.episode_return.mean


def test_what_cannot_be_trained_is_refused_before_anything_is_loaded():
    budget = Budget(iterations=1)
    with pytest.raises(BadInput, match="one of two"):
        train("auditor", POOL, SCENE, budget=budget)
    with pytest.raises(BadInput, match="training seed"):
        train("crisis", POOL, SCENE, budget=budget, seed=-1)
    headless = replace(network(), critic=())
    with pytest.raises(BadInput, match="have no critic"):
        train("crisis", POOL, SCENE, budget=budget, warm_start=headless)
    with pytest.raises(BadInput, match="allowed: embedded, ray"):
        train("crisis", POOL, SCENE, budget=budget, backend="cloud")
    with pytest.raises(BadInput, match="warm start: these weights are of another seat"):
        train("crisis", POOL, SCENE, budget=budget, warm_start=network("pilot"))


def test_metrics_are_cut_back_to_the_checkpoint(tmp_path):
    lines = [{"iteration": i, "return": i / 2, "nested": {"a": i}} for i in (1, 2, 3)]
    text = "".join(json.dumps(line) + "\n" for line in lines) + '{"iteration": 4, "ret'
    (tmp_path / "metrics.jsonl").write_text(text)
    assert read(tmp_path) == lines
    assert table_of(lines).splitlines() == [
        "iteration,return,nested/a",
        "1,0.5,1",
        "2,1.0,2",
        "3,1.5,3",
    ]
    assert MetricsLog(None, 0).history == []


def test_the_critic_travels_with_the_weights(tmp_path):
    card = trained().save(tmp_path, "storm")
    found = catalog.agent(card, "crisis", SCENE).network
    inputs = np.zeros((1, found.inputs), np.float32)
    assert found.values(inputs) == network().values(inputs)
