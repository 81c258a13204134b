import numpy as np
import pytest

from revops_ma.arena.match import play_match
from revops_ma.arena.results import summarise
from revops_ma.catalog import scenario
from revops_ma.episode import FAILED, Episode
from revops_ma.errors import BadInput

PLAYERS = {"pilot": "heuristic", "crisis": "rule-based"}


def episode(seed, value, *, won=True, status="completed"):
    return Episode(
        matchup="p vs c",
        seed=seed,
        status=status,
        reason="" if status == "completed" else "provider down",
        ending="survived" if won else "bankrupt",
        won=won,
        steps=10,
        returns={"pilot": value, "crisis": -value},
        facts={"final_mrr": 1_000.0 * value},
        refused={"pilot": 1, "crisis": 0},
        fallbacks={"pilot": 0, "crisis": 2},
    )


def test_the_document_has_the_keys_of_the_contract():
    document = play_match(PLAYERS, "revops/normal", 20, 5).to_json()
    assert list(document) == [
        *("scenario", "pilot", "crisis", "seed", "episodes", "planned", "completed", "failed"),
        *("refused_moves", "fallbacks", "fallback_rate", "survival", "reward_per_step"),
        *("episode_return", "facts", "endings", "calls", "run", "seconds"),
    ]
    assert document["seed"] == 5
    assert sum(document["endings"].values()) == document["completed"] == 20
    assert set(document["facts"]["final_mrr"]) == {"mean", "low", "high"}


def test_failed_episodes_are_counted_and_averaged_nowhere():
    world = scenario("revops/normal").world
    played = [episode(0, 4.0), episode(1, 2.0, won=False), episode(2, 99.0, status=FAILED)]
    result = summarise(played, 4, world)
    assert (result.planned, result.completed, result.failed) == (4, 2, 1)
    assert result.episode_return.mean == 3.0
    assert result.reward_per_step.mean == pytest.approx(0.3)
    assert result.survival.mean == 0.5
    assert result.facts["final_mrr"].mean == 3_000.0
    assert (result.refused, result.fallbacks) == (2, 4)


def test_all_failed_gives_no_figure_instead_of_a_made_up_one():
    result = summarise([episode(0, 1.0, status=FAILED)], 1, scenario("revops/normal").world)
    assert result.to_json()["episode_return"] == {"mean": None, "low": None, "high": None}


def test_the_same_seed_gives_the_same_match():
    first, second = (play_match(PLAYERS, "revops/normal", 30, 77) for _ in range(2))
    assert first.episodes == second.episodes


def test_a_part_of_the_seeds_gives_the_same_episodes():
    whole = play_match(PLAYERS, "revops/normal", 30, 100)
    part = play_match(PLAYERS, "revops/normal", 10, 110)
    assert np.array_equal(whole.result.returns[10:20], part.result.returns)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"episodes": 0}, "--episodes: got 0"),
        ({"episodes": -3}, "--episodes: got -3"),
        ({"seed": -1}, "seed: got -1"),
        ({"seed": True}, "seed: got True"),
        ({"seed": 2**63 - 1}, "last seed"),
        ({"scenario": "revops/norml"}, "did you mean 'revops/normal'"),
        ({"players": {**PLAYERS, "pilot": "heurstic"}}, "did you mean 'heuristic'"),
        ({"players": {**PLAYERS, "pilot": "hunter"}}, "allowed: always-cut-costs"),
    ],
)
def test_wrong_input_is_told_before_anything_is_played_or_written(changed, words, tmp_path):
    asked = {"players": PLAYERS, "scenario": "revops/normal", "episodes": 2, "seed": 0}
    with pytest.raises(BadInput, match=words):
        play_match(**{**asked, **changed}, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
