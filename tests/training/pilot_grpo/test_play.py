"""A model plays sessions; rows of both backends."""

import numpy as np
import pytest
import torch

from revops_ma.rollout import hold, open_pool
from revops_ma.training.pilot_grpo import Credit, Recipe
from revops_ma.training.pilot_grpo.hook import ADVANTAGE, Rollouts, advantage
from revops_ma.training.pilot_grpo.play import play, read, specs_of

pytestmark = pytest.mark.grpo
SMALL = Recipe(groups=3, copies=2, rows=64, steps=2, microbatch=32)


def opponents(*names):
    return [hold("revops/normal", "pilot", {"crisis": name}) for name in names]


def asked(writer, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return lambda texts: writer.write(texts, generator)


def test_a_group_shares_seed_and_opponent_and_the_pool_is_mixed_per_group():
    specs = specs_of(opponents("rule-based", "random"), [5, 6, 7], 2, first=1)
    assert [spec.seed for spec in specs] == [5, 5, 6, 6, 7, 7]
    names = [spec.held.players["crisis"].name for spec in specs]
    assert names == ["random"] * 2 + ["rule-based"] * 2 + ["random"] * 2


def test_rewards_of_a_trajectory_add_up_to_its_return(writer):
    with open_pool() as pool:
        specs = specs_of(opponents("rule-based"), [1, 2], 2, 0)
        played = play(pool, specs, 2, asked(writer))
    assert len(played.finished) == 4
    for one in played.finished:
        assert sum(one.rewards) == pytest.approx(one.total)
        assert len(one) == len(one.prompts) == len(one.numbers) == len(one.refused)


def test_equal_texts_are_read_once_and_to_the_same_moves(role):
    good = '{"action_type": "cut_costs", "magnitude": 0.4}'
    texts = [good, "nothing", good, '{"action_type": "cut_costs", "magnitude": "80%"}', "nothing"]
    one, two = read(role, texts), role.texts(texts)
    assert one.batch.tolist() == two.batch.tolist()
    assert dict(one.refused) == dict(two.refused)
    assert dict(one.notes) == dict(two.notes)


def test_failed_episodes_are_counted_and_never_learned_from(writer, monkeypatch):
    from revops_ma.rollout.sessions import Sessions

    def with_a_failure(self):
        found = list(self._board.episodes)
        from revops_ma.rollout.playing import failed_episode

        found[0] = failed_episode("pilot vs crisis", 1, "worker died")
        return found

    monkeypatch.setattr(Sessions, "episodes", property(with_a_failure))
    with open_pool() as pool:
        specs = specs_of(opponents("rule-based"), [1], 2, 0)
        played = play(pool, specs, 2, asked(writer))
    assert played.failures == {"worker died": 1}
    assert len(played.finished) == 1


@pytest.mark.parametrize("credit", list(Credit))
def test_a_rollout_gives_exactly_as_many_rows_as_it_is_asked_for(writer, credit):
    recipe = Recipe(groups=3, copies=2, rows=64, steps=2, microbatch=32, credit=credit)
    with open_pool() as pool:
        rollouts = Rollouts(pool, opponents("rule-based"), writer, recipe, run_seed=0)
        told = rollouts(["rollout"] * 64, None)
    assert {len(column) for column in told.values() if column is not None} == {64}
    assert rollouts.number == 1
    fillers = [row is None for row in told[ADVANTAGE]]
    assert [not any(mask) for mask in told["env_mask"]] == fillers
    assert advantage([""] * 64, **{ADVANTAGE: told[ADVANTAGE]}) == told[ADVANTAGE]


def test_the_same_rollout_gives_the_same_rows_again(writer):
    with open_pool() as pool:
        told = [
            Rollouts(pool, opponents("rule-based"), writer, SMALL, 0, number=4)(["x"] * 64, None)
            for _ in range(2)
        ]
    assert told[0] == told[1]


@pytest.mark.ray
@pytest.mark.slow
def test_rows_are_the_same_on_ray(writer):
    told = []
    for backend, workers in (("embedded", None), ("ray", 2)):
        with open_pool(backend, workers) as pool:
            rollouts = Rollouts(pool, opponents("rule-based", "random"), writer, SMALL, 0)
            told.append(rollouts(["x"] * 64, None))
    assert told[0] == told[1]


def test_greedy_answers_do_not_depend_on_the_company(writer, texts):
    generator = torch.Generator()
    together = writer.write(texts[:20], generator, greedy=True).answers
    alone = [writer.write([text], generator, greedy=True).answers[0] for text in texts[:20]]
    assert together == alone


def test_prompts_of_different_lengths_are_padded_on_the_left(writer, texts):
    generator = torch.Generator()
    short = writer.encode(texts[:1])[0]
    writer.encode = lambda given: [short[len(text) :] for text in given]
    told = writer.write(["", "x"], generator, greedy=True)
    writer.encode = lambda given: [short]
    assert told.answers[0] == writer.write([""], generator, greedy=True).answers[0]


def test_a_baseline_learns_and_comes_back_from_its_state():
    from revops_ma.training.pilot_grpo.baseline import Baseline

    random = np.random.default_rng(0)
    numbers = [random.normal(size=(40, 5)) for _ in range(8)]
    targets = [each[:, 0] * 3 + 1 for each in numbers]
    baseline, other = Baseline(5, 0), Baseline(5, 1)
    assert all(not each.any() for each in baseline.values(numbers))
    errors = [baseline.learn(numbers, targets) for _ in range(30)]
    assert errors[-1] < 0.1 < errors[0]
    other.restore(baseline.state())
    assert np.array_equal(other.values(numbers)[3], baseline.values(numbers)[3])
