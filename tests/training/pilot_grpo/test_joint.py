"""The tiny model as an agent of this process, and pilot and engines trained in turn."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from revops_ma import catalog
from revops_ma.errors import BadInput
from revops_ma.rollout import open_pool
from revops_ma.table import Table, play
from revops_ma.training.pilot_grpo.agent import TinyAgent
from revops_ma.training.pilot_grpo.joint import Joint, play_joint
from revops_ma.training.pilot_grpo.start import keep
from revops_ma.training.pilot_grpo.tiny import load_tiny
from tests.training.pilot_grpo.test_run import SMALL

pytestmark = [pytest.mark.grpo, pytest.mark.filterwarnings("ignore:.*Swig.*")]
SCENARIO = "revops/normal"


def played(agent, seeds):
    scene = catalog.scenario(SCENARIO)
    engine = catalog.agent("rule-based", "crisis", scene)
    players = {"pilot": agent, "crisis": engine}
    seated = {name: one.seated(scene, players) for name, one in players.items()}
    return play(Table(scene.world, scene.settings, seeds), seated).returns[:, 0]


def test_a_kept_model_is_read_back_with_its_form(writer, texts, tmp_path):
    keep(writer, tmp_path)
    again = load_tiny(tmp_path)
    assert again.encode(texts[:5]) == writer.encode(texts[:5])
    assert (again.longest, again.must_end) == (writer.longest, True)


@pytest.mark.parametrize("greedy", [False, True])
def test_an_agent_plays_each_game_alike_in_any_company(writer, tmp_path, greedy):
    keep(writer, tmp_path)
    agent = TinyAgent.of(tmp_path, "tiny", greedy=greedy)
    together = played(agent, range(6))
    alone = np.concatenate([played(agent, [seed]) for seed in range(6)])
    assert together.tolist() == alone.tolist()


def test_draws_by_luck_have_the_shares_of_the_model():
    from revops_ma.training.pilot_grpo.writer import drawn_by_luck

    logits = torch.log(torch.tensor([0.5, 0.3, 0.2])).repeat(10_000, 1)
    luck = (torch.arange(10_000, dtype=torch.float64) / 10_000)[:, None]
    drawn = drawn_by_luck(luck)(logits, 0)
    assert (torch.bincount(drawn) / 10_000).tolist() == pytest.approx([0.5, 0.3, 0.2], abs=1e-3)


def test_an_answer_that_does_not_end_is_no_answer(writer, texts):
    """Its card would let it go on and read what it then says; so it may not count here either."""
    told = writer.write(texts[:200], torch.Generator().manual_seed(0))
    end = writer.tokenizer.eos_token_id
    unended = [
        text for text, answer in zip(told.texts, told.answers, strict=True) if answer[-1] != end
    ]
    assert unended
    assert not any(unended)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_pilot_and_engines_are_trained_in_turn_and_gone_on_with(tmp_path):
    joint = Joint(rounds=2, iterations=1, games=16, payoff_games=10)
    with open_pool() as pool:
        told = play_joint(SMALL, joint, tmp_path, pool)
        assert play_joint(SMALL, joint, tmp_path, pool) == told
    assert told.pilots == ["pilot-00", "pilot-01"]
    assert told.engines == ["crisis-00-0", "crisis-01-0"]
    opponents = {"rule-based", *told.engines}
    assert all(set(cells) == opponents for cells in told.survival.values())
    request = (tmp_path / "rounds/01/pilot/train.json").read_text()
    assert "crisis-00-0.toml" in request
    assert "crisis-01-0.toml" not in request


def test_only_a_tiny_model_is_fast_enough(tmp_path):
    with open_pool() as pool, pytest.raises(BadInput, match="too slowly"):
        play_joint(replace(SMALL, model="smollm2"), Joint(), tmp_path, pool)
