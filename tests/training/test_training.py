"""Training itself, with torch and RLlib: it learns, resumes to the bit, and tells its figures."""

import csv
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from revops_ma import catalog
from revops_ma.errors import BadInput, RunFailed
from revops_ma.training import Budget, Pool, Recipe, evaluate, train
from revops_ma.training.checkpoint import CHECKPOINT, RESULT
from revops_ma.training.plan import plan_of
from revops_ma.training.sampling import Sampler
from tests.networks import network

pytestmark = pytest.mark.ray
SCENE = catalog.scenario("revops/normal")
POOL = Pool.of({"heuristic": 2.0, "random": 1.0}, "crisis", SCENE)
SHORT = Recipe(games=64, minibatch=128, evaluate_every=2, evaluation_games=50, checkpoint_seconds=0)
BUDGET = Budget(iterations=5)


def run(out=None, seed=0, **more):
    return train(
        "crisis", POOL, SCENE, budget=BUDGET, seed=seed, out=out, **{"recipe": SHORT, **more}
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    out = tmp_path_factory.mktemp("training") / "whole"
    return run(out), out


class Stopped(Exception):
    """The process dies, as far as a test can do that."""


def interrupted(monkeypatch, out, after, **more):
    """Train until so many iterations are done, then stop as if killed."""
    from revops_ma.training import loop

    step = loop._Run.step

    def stopping(self):
        if self.counters.iterations == after:
            raise Stopped
        step(self)

    with monkeypatch.context() as patch:
        patch.setattr(loop._Run, "step", stopping)
        with pytest.raises(Stopped):
            run(out, **more)


def test_a_crisis_engine_learns_to_hurt_within_a_few_seconds():
    recipe = Recipe(games=256, minibatch=512)
    made = train("crisis", POOL, SCENE, budget=Budget(iterations=20), recipe=recipe)
    first, last = made.history[0], made.history[-1]
    assert last["return"] < first["return"] - 4
    assert last["survival"] < first["survival"] - 0.2
    score = evaluate(made.agent(), "crisis", POOL, SCENE, range(300))[0]
    assert score.survival.high < 0.6


def test_a_pilot_learns_to_live():
    pool = Pool.of({"rule-based": 1.0}, "pilot", SCENE)
    recipe = Recipe(games=256, minibatch=1024, gamma=0.99)
    made = train("pilot", pool, SCENE, budget=Budget(iterations=15), recipe=recipe)
    assert made.history[-1]["return"] > made.history[0]["return"] + 3


@pytest.mark.parametrize("after", [1, 4])
def test_an_interrupted_run_goes_on_to_the_same_bits(whole, monkeypatch, tmp_path, after):
    expected, _ = whole
    interrupted(monkeypatch, tmp_path / "run", after)
    resumed = run(tmp_path / "run")
    assert resumed.network.digest == expected.network.digest
    assert (resumed.iterations, resumed.months) == (expected.iterations, expected.months)
    untimed = [
        [{k: v for k, v in line.items() if "second" not in k} for line in made.history]
        for made in (resumed, expected)
    ]
    assert untimed[0] == untimed[1]


def test_a_finished_run_returns_at_once(whole):
    expected, out = whole
    again = run(out)
    assert again.network.digest == expected.network.digest
    assert again.history == expected.history
    assert again.seconds == expected.seconds


def test_another_request_in_the_same_directory_is_refused(whole):
    _, out = whole
    with pytest.raises(BadInput, match="another training run: seed differ"):
        run(out, seed=1)
    with pytest.raises(BadInput, match="recipe differ"):
        run(out, recipe=Recipe(games=32))


def test_a_directory_of_something_else_is_refused(tmp_path):
    (tmp_path / "letter.txt").write_text("keep me")
    with pytest.raises(BadInput, match="training directory"):
        run(tmp_path)


def test_two_processes_cannot_train_in_one_directory(tmp_path):
    from revops_ma.training.checkpoint import training_in

    second = training_in(tmp_path / "run", {"a": 1})
    with (
        training_in(tmp_path / "run", {"a": 1}),
        pytest.raises(BadInput, match="being trained in by another process"),
    ):
        second.__enter__()


def test_a_broken_checkpoint_is_told_in_one_line(monkeypatch, tmp_path):
    interrupted(monkeypatch, tmp_path / "run", 2)
    checkpoint = tmp_path / "run" / CHECKPOINT
    checkpoint.write_bytes(checkpoint.read_bytes()[:1000])
    with pytest.raises(RunFailed, match="remove it to begin anew") as raised:
        run(tmp_path / "run")
    assert "\n" not in str(raised.value)


def test_training_seeds_differ_and_repeat(whole):
    expected, _ = whole
    assert run(seed=1).network.digest != expected.network.digest
    assert run().network.digest == expected.network.digest


def test_metrics_are_lines_a_table_and_a_board(whole):
    made, out = whole
    lines = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    assert [line["iteration"] for line in lines] == [1, 2, 3, 4, 5]
    assert ["validation" in line for line in lines] == [False, True, False, True, True]
    for foe, met in lines[-1]["opponents"].items():
        assert foe in made.against
        assert 0 < met["games"] < 64
    interval = lines[-1]["validation"][POOL.agents[0].identity]["survival"]
    assert interval["low"] <= interval["mean"] <= interval["high"]
    rows = list(csv.DictReader((out / "metrics.csv").read_text().splitlines()))
    assert [float(row["return"]) for row in rows] == [line["return"] for line in lines]
    assert list((out / "tensorboard").iterdir())


def test_a_warm_start_begins_where_the_other_ended(whole):
    made, _ = whole
    on = run(warm_start=made.network)
    assert (on.network.mean == made.network.mean).all()
    assert on.network.digest != made.network.digest


def test_networks_of_any_kind_may_be_opponents():
    from tests.networks import agent

    pool = Pool([(agent("pilot", "first"), 1.0), (agent("pilot", "second", seed=1), 1.0)])
    made = train("crisis", pool, SCENE, budget=Budget(iterations=1), recipe=SHORT)
    assert len(made.history[0]["opponents"]) == 2


def test_torch_computes_what_the_agent_plays(whole):
    import torch

    from revops_ma.training.embedded import EmbeddedBackend
    from revops_ma.training.learner import batch_of

    net = network("crisis", width=64, spread=0.3)
    backend = EmbeddedBackend(Sampler("crisis", POOL, SCENE), net, SHORT, 0)
    plan = plan_of(0, 0, 0.0, SHORT, POOL)
    rollout = backend.runner.play(seeds=plan.seeds, opponents=plan.opponents)
    with torch.no_grad():
        module = backend.learner.module["crisis"]
        inputs = {"obs": torch.from_numpy(rollout.inputs)}
        logits = module.forward_train(inputs)["action_dist_inputs"]
        values = module.compute_values(inputs)
        chances = torch.distributions.Categorical(logits=logits)
        logp = chances.log_prob(torch.from_numpy(rollout.choices))
    np.testing.assert_allclose(logits.numpy(), rollout.logits, atol=1e-4)
    np.testing.assert_allclose(values.numpy(), rollout.values, atol=1e-4)
    columns = batch_of(rollout, SHORT, 0, 0)
    assert len(columns["actions"]) == SHORT.epochs * len(rollout.choices)
    np.testing.assert_allclose(
        np.sort(columns["action_logp"]), np.sort(np.tile(logp.numpy(), SHORT.epochs)), atol=1e-4
    )


def test_rates_follow_the_progress_of_the_update_itself():
    from revops_ma.training.embedded import EmbeddedBackend

    backend = EmbeddedBackend(Sampler("crisis", POOL, SCENE), network(), SHORT, 0)
    first, last = SHORT.learning_rate
    for progress in (0.0, 0.5, 1.0, 0.25):
        backend.iterate(plan_of(0, 0, progress, SHORT, POOL))
        (optimizer,) = backend.learner._named_optimizers.values()
        rate = optimizer.param_groups[0]["lr"]
        assert rate == pytest.approx(first + progress * (last - first), rel=1e-4)
        weight = backend.learner.entropy_coeff_schedulers_per_module["crisis"].get_current_value()
        assert float(weight) == pytest.approx(SHORT.entropy[0] * (1 - progress), abs=1e-6)


KILLED = """
import sys
from pathlib import Path
from tests.training.test_training import run
run(Path(sys.argv[1]))
"""


@pytest.mark.slow
def test_a_killed_process_goes_on_to_the_same_bits(whole, tmp_path):
    expected, _ = whole
    out = tmp_path / "run"
    slowly = KILLED.replace(
        "run(Path",
        "import revops_ma.training.loop as loop, time\n"
        "step = loop._Run.step\n"
        "loop._Run.step = lambda self: (step(self), time.sleep(0.5))\n"
        "run(Path",
    )
    process = subprocess.Popen([sys.executable, "-c", slowly, str(out)])
    while not (out / CHECKPOINT).is_file():
        time.sleep(0.05)
        assert process.poll() is None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not (out / RESULT).is_file()
    assert run(out).network.digest == expected.network.digest
