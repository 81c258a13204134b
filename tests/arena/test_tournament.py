import numpy as np
import pytest

from revops_ma.arena.match import play_match
from revops_ma.arena.tournament import play_tournament
from revops_ma.errors import BadInput

PILOTS, CRISES = ["heuristic", "random"], ["none", "rule-based", "random"]


@pytest.fixture(scope="module")
def tournament():
    return play_tournament(PILOTS, CRISES, "revops/normal", 60, 1_000_000)


def test_the_document_has_the_keys_of_the_contract(tournament):
    document = tournament.to_json()
    assert {"payoff", "ratings", "nash", "best_response"} <= set(document)
    cell = document["payoff"]["heuristic"]["rule-based"]
    assert {"survival", "episode_return", "reward_per_step"} <= set(cell)
    assert set(document["nash"]) == {"value", "pilot", "crisis"}
    assert set(document["best_response"]) == set(PILOTS)
    assert {"random (pilot)", "random (crisis)", "heuristic"} <= set(document["ratings"])


def test_every_cell_is_the_match_of_its_pair(tournament):
    match = play_match({"pilot": "random", "crisis": "random"}, "revops/normal", 60, 1_000_000)
    cell = tournament.cells["random", "random"]
    assert np.array_equal(cell.returns, match.result.returns)
    assert cell.survival == match.result.survival


def test_the_best_response_leaves_the_lowest_return(tournament):
    for pilot in PILOTS:
        worst = tournament.best_response(pilot)
        returns = {c: tournament.cells[pilot, c].episode_return.mean for c in CRISES}
        assert returns[worst] == min(returns.values())


def test_pilots_are_compared_on_the_same_seeds(tournament):
    gap = tournament.gap("none", "heuristic", "random")
    means = [tournament.cells[pilot, "none"].episode_return.mean for pilot in PILOTS]
    assert gap.mean == pytest.approx(means[0] - means[1])
    assert gap.low > 0


@pytest.mark.parametrize(
    ("pilots", "crises", "words"),
    [
        ([], CRISES, "--pilots: got"),
        ([""], CRISES, "--pilots: got"),
        (PILOTS, [], "--crises: got"),
        (["random", "random"], CRISES, "random named twice"),
        (PILOTS, ["none", "none"], "none named twice"),
        (["planer"], CRISES, "did you mean 'planner'"),
    ],
)
def test_wrong_lists_are_told_before_anything_is_played(pilots, crises, words, tmp_path):
    with pytest.raises(BadInput, match=words):
        play_tournament(pilots, crises, "revops/normal", 5, 0, tmp_path / "run")
    assert not (tmp_path / "run").exists()
