import json

import numpy as np
import pytest

from revops_ma.arena.compare import compare_runs
from revops_ma.arena.match import play_match
from revops_ma.arena.tournament import play_tournament
from revops_ma.errors import BadInput
from revops_ma.run import Run


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two matches that differ in the pilot only, 60 common seeds; the second has ten more."""
    folder = tmp_path_factory.mktemp("runs")
    for name, pilot, episodes in (("a", "heuristic", 60), ("b", "heuristic-tuned", 70)):
        play_match(
            {"pilot": pilot, "crisis": "rule-based"}, "revops/normal", episodes, 9, folder / name
        )
    return folder


def test_a_run_is_equal_to_itself(runs):
    told = compare_runs(runs / "a", runs / "a")
    assert (told.compared, told.equal, told.first) == (60, 60, None)
    for estimate in told.matchups[0].differences.values():
        assert (estimate.mean, estimate.low, estimate.high) == (0.0, 0.0, 0.0)


def test_the_first_parting_is_named_with_its_states(runs):
    told = compare_runs(runs / "a", runs / "b")
    first = told.first
    assert first.position == 0
    ours, theirs = (
        next(episode for episode in Run(runs / name).episodes() if episode.seed == first.seed)
        for name in "ab"
    )
    assert list(ours.moves)[: first.move] == list(theirs.moves)[: first.move]
    assert ours.moves[first.move] == [0, first.a.move]
    assert theirs.moves[first.move] == [0, first.b.move]
    assert first.a.before == first.b.before
    assert first.a.after != first.b.after
    assert first.step == sum(role == 0 for role, _ in ours.moves[: first.move]) + 1


def test_differences_are_those_of_the_common_seeds(runs):
    told = compare_runs(runs / "a", runs / "b")
    assert (told.compared, told.only_a, told.only_b) == (60, 0, 10)
    ours = list(Run(runs / "a").episodes())
    theirs = list(Run(runs / "b").episodes())[:60]
    gaps = [b.returns["pilot"] - a.returns["pilot"] for a, b in zip(ours, theirs, strict=True)]
    effect = told.matchups[0].differences["episode_return"]
    assert effect.mean == pytest.approx(np.mean(gaps))
    assert effect.low < effect.mean < effect.high
    wins = np.mean([b.won - a.won for a, b in zip(ours, theirs, strict=True)])
    assert told.matchups[0].differences["survival"].mean == pytest.approx(wins)
    assert "final_mrr" in told.matchups[0].differences


def test_swapping_the_runs_turns_the_signs(runs):
    there, back = compare_runs(runs / "a", runs / "b"), compare_runs(runs / "b", runs / "a")
    for name, effect in there.matchups[0].differences.items():
        assert effect.mean == pytest.approx(-back.matchups[0].differences[name].mean)


def test_the_same_moves_under_other_rules_part_in_their_states(tmp_path):
    players = {"pilot": "do-nothing", "crisis": "none"}
    for name in ("normal", "hard"):
        play_match(players, f"revops/{name}", 5, 0, tmp_path / name)
    first = compare_runs(tmp_path / "normal", tmp_path / "hard").first
    assert first.a.before != first.b.before


def test_tournaments_are_compared_matchup_by_matchup(tmp_path):
    for name, pilots in (("a", ["heuristic", "random"]), ("b", ["heuristic", "do-nothing"])):
        play_tournament(pilots, ["none"], "revops/normal", 8, 3, tmp_path / name)
    told = compare_runs(tmp_path / "a", tmp_path / "b")
    assert [(each.equal, each.pairs) for each in told.matchups] == [(8, 8), (0, 8)]
    assert told.first.position == 1
    assert json.loads(json.dumps(told.to_json(), allow_nan=False))["different"] == 8


@pytest.mark.parametrize(
    ("scenario", "seed", "crises", "words"),
    [
        ("revops/normal", 500, ["none"], "no seed in common: 9 to 68 there, 500 to 501 here"),
        ("revops/normal", 9, ["none", "random"], "has 1 matchups, .* has 2"),
        ("finops/task1", 9, ["none"], "is of the world revops, .* of finops"),
    ],
)
def test_runs_that_cannot_be_compared_are_told(runs, tmp_path, scenario, seed, crises, words):
    play_tournament(["random"], crises, scenario, 2, seed, tmp_path / "c")
    with pytest.raises(BadInput, match=words):
        compare_runs(runs / "a", tmp_path / "c")
