"""The bench: the shape of its lines and what its steps count, never how fast they are."""

import itertools
import json

import numpy as np
import pytest

from revops_ma import bench
from revops_ma.bench import company, environments, meter, records

BRIEF = 0.001
"""Seconds a line: enough to run everything, too little to mean anything."""


@pytest.fixture(scope="module")
def lines():
    patch = pytest.MonkeyPatch()
    patch.setattr(meter, "ROUNDS", 1)
    patch.setattr(company, "_EPISODES", 20)
    patch.setattr(company, "_DECISIONS", 2)
    patch.setattr(records, "_EPISODES", 2)
    yield list(bench.run(BRIEF))
    patch.undo()


def test_lines_are_strict_json_with_the_four_keys(lines):
    for line in lines:
        document = line.to_json()
        assert list(document) == ["name", "unit", "value", "note"]
        assert json.loads(json.dumps(document, allow_nan=False)) == document


def test_names_are_unique_and_every_line_has_a_note(lines):
    assert len({line.name for line in lines}) == len(lines)
    assert all(line.note for line in lines)


def test_values_are_positive_and_a_missing_one_says_what_to_do(lines):
    for line in lines:
        if line.value is None:
            assert line.note.startswith("not measured: ")
        else:
            assert line.value > 0


def test_the_kernel_is_measured_at_every_size_on_one_and_on_two_threads(lines):
    names = {line.name for line in lines}
    for size, threads in itertools.product((1, 64, 4_096, 65_536), (1, 2)):
        assert f"kernel N={size} threads={threads}" in names


def test_peers_never_go_missing_silently(lines):
    peers = [line.name for line in lines if line.name.startswith("peer: ")]
    for word in ("CartPole-v1", "CartPoleVectorEnv", "tictactoe", "envpool"):
        assert any(word in name for name in peers)


def test_lines_come_one_by_one():
    assert next(iter(bench.run(BRIEF))).name == "kernel N=1 threads=1"


@pytest.mark.parametrize("threads", [1, 2])
def test_counted_kernel_steps_are_those_of_living_companies(threads, monkeypatch):
    seen = []

    def spy(loop, columns, *settings, threads):
        games, _, _, out = columns
        assert (games["ending"] == -1).all()
        split(loop, columns, *settings, threads=threads)
        assert out["scored"].all()
        seen.append((len(games), int(out["ended"].sum())))

    split = company.split_games
    monkeypatch.setattr(company, "split_games", spy)
    work = company.months(100, threads)
    assert work() == sum(size for size, _ in seen)
    assert sum(ended for _, ended in seen) > 0


def test_a_vector_step_counts_only_games_that_were_not_waiting_for_their_reset():
    env = _Scripted([[False, True, True], [False, False, False], [True, False, False]])
    work = environments._vector_work(env)
    assert [work() for _ in range(3)] == [3, 1, 3]


def test_a_subject_that_cannot_run_leaves_a_line_and_its_ratio_says_so():
    def make():
        raise meter.NotMeasured("pip install nothing")

    slow = meter.Subject("slow", "steps/s", "", lambda: lambda: 1)
    absent = meter.Subject("absent", "steps/s", "", make)
    ours, theirs = meter.measure([slow, absent], BRIEF)
    assert theirs.value is None
    assert theirs.note == "not measured: pip install nothing"
    assert "absent" in meter.ratio("slow / absent", ours, theirs, "").note
    assert meter.ratio("same", ours, ours, "").value == 1.0


class _Scripted:
    """A vector environment whose games end as told; ended games take a step to reset."""

    metadata = {"autoreset_mode": environments.AutoresetMode.NEXT_STEP}  # noqa: RUF012
    num_envs = 3

    def __init__(self, ends):
        self.ends = iter(ends)
        self.action_space = self

    def sample(self):
        return np.zeros(3)

    def reset(self, seed):
        pass

    def step(self, actions):
        done = np.array(next(self.ends))
        return None, None, done, np.zeros(3, bool), {}
