"""What-if: both lines under the same luck, and what the change made of it."""

import math
from pathlib import Path

import numpy as np
import pytest

from revops_ma.arena.match import play_match
from revops_ma.arena.recast import recast
from revops_ma.arena.whatif import NO_CHANGE, Change, ask, compare, play_line, read_move
from revops_ma.catalog import agent, scenario
from revops_ma.errors import BadInput
from revops_ma.rollout import seat
from revops_ma.run import Run

SCENE = scenario("revops/normal")
PILOT, CRISIS = SCENE.world.roles
PLAYERS = seat(SCENE, {"pilot": "heuristic", "crisis": "rule-based"}, range(1)).players
MOVE = '{"action_type": "decrease_marketing", "magnitude": 0.8}'


def changed(step, **moves):
    read = {"pilot": (PILOT, "move"), "crisis": (CRISIS, "crisis")}
    return Change(step, {name: read_move(*read[name], text) for name, text in moves.items()})


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    path = tmp_path_factory.mktemp("run") / "match"
    play_match({"pilot": "heuristic", "crisis": "rule-based"}, "revops/normal", 12, 40, path)
    return path


def asked(run, episode=3, at=12, seeds=1, **changes):
    return ask(run, episode, at, changes, seeds=seeds)


def test_the_line_without_a_change_is_the_recorded_episode(run):
    episodes = list(Run(run).episodes())
    answer = asked(run, move=MOVE)
    assert answer.seeds == range(43, 44)
    assert answer.base.returns[0] == episodes[3].returns["pilot"]
    assert answer.base.facts["final_mrr"][0] == episodes[3].facts["final_mrr"]


def test_both_lines_are_one_up_to_the_change(run):
    answer = asked(run, at=10, move=MOVE)
    for base, fork in zip(answer.base.traces, answer.fork.traces, strict=False):
        if base["step"][0] < 9:
            assert all(np.array_equal(base[name], fork[name]) for name in base)
    assert answer.base.returns[0] != answer.fork.returns[0]


def test_playing_what_was_played_changes_nothing():
    line = play_line(SCENE, PLAYERS, range(20), NO_CHANGE)
    same = Change(5, players={"pilot": PLAYERS["pilot"]})
    assert np.array_equal(line.returns, play_line(SCENE, PLAYERS, range(20), same).returns)
    answer = compare(SCENE, PLAYERS, range(20), same)
    assert answer.pairing_gain() is None
    assert answer.effects()["episode_return"].mean == 0.0


def test_a_changed_move_is_played_once_and_in_its_step():
    line = compare(SCENE, PLAYERS, range(50), changed(30, pilot=MOVE))
    assert (line.fork.steps == line.base.steps).mean() > 0.9
    survivors = (line.base.steps == 30) & (line.fork.steps == 30)
    difference = line.fork.returns - line.base.returns
    assert (np.abs(difference[survivors]) < 2.5).all()  # one month's reward at most


def test_another_crisis_is_played_at_its_next_turn():
    answer = compare(SCENE, PLAYERS, range(100), changed(10, crisis='{"crisis_type": "PASS"}'))
    alive = answer.base.steps > 12
    assert answer.fork.returns[alive].mean() > answer.base.returns[alive].mean()
    early = answer.base.steps < 12
    assert np.array_equal(answer.fork.returns[early], answer.base.returns[early])


def test_another_pilot_takes_over_from_the_step_on(run):
    whole = compare(
        SCENE, PLAYERS, range(30), Change(1, players={"pilot": agent("random", "pilot", SCENE)})
    )
    random = seat(SCENE, {"pilot": "random", "crisis": "rule-based"}, range(1)).players
    assert np.array_equal(
        whole.fork.returns, play_line(SCENE, random, range(30), NO_CHANGE).returns
    )
    late = asked(run, at=5, pilot="heuristic-tuned")
    assert late.fork.returns[0] != late.base.returns[0]


def test_pairing_makes_the_error_at_least_five_times_smaller_from_step_12_on():
    answer = compare(SCENE, PLAYERS, range(1_000_000, 1_000_500), changed(12, pilot=MOVE))
    base, fork = answer.base.returns, answer.fork.returns
    assert answer.pairing_gain() > 5.0
    expected = math.sqrt(base.var() + fork.var()) / (fork - base).std()
    assert answer.pairing_gain() == pytest.approx(expected)


def test_the_document_holds_both_lines_and_the_paired_difference(run):
    document = asked(run, seeds=50, move=MOVE).to_json()
    assert (document["seed"], document["seeds"], document["at"]) == (43, 50, 12)
    difference = document["difference"]["episode_return"]
    assert difference["low"] <= difference["mean"] <= difference["high"]
    assert difference["mean"] == pytest.approx(
        document["fork"]["episode_return"] - document["base"]["episode_return"]
    )
    assert document["standard_error_ratio"] > 1
    assert asked(run, move=MOVE).to_json()["standard_error_ratio"] is None


def test_a_run_of_a_scenario_file_is_asked_by_the_rules_it_recorded(tmp_path):
    path = tmp_path / "quiet.toml"
    path.write_text(
        'world = "revops"\ntitle = "Quiet"\nabout = "A crisis turn every ten months."\n'
        "[rules]\ncrisis_every = 10\n"
    )
    play_match({"pilot": "heuristic", "crisis": "none"}, str(path), 2, 1, tmp_path / "run")
    path.unlink()
    answer = asked(tmp_path / "run", episode=1, move=MOVE)
    told = list(Run(tmp_path / "run").episodes())[1]
    assert answer.base.returns[0] == told.returns["pilot"]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ({"episode": 12}, "episode: got 12; allowed: 0 to 11"),
        ({"episode": -1}, "episode: got -1"),
        ({"at": 0}, "--at: got 0; allowed: 1 to"),
        ({"at": 31}, "--at: got 31"),
        ({"move": None}, "nothing is different: give --move, --crisis or --pilot"),
        ({"move": "fly"}, "--move: unknown_action"),
        ({"move": "{"}, "--move: "),
        ({"crisis": '{"crisis_type": "METEOR"}'}, "--crisis: unknown_crisis"),
        ({"pilot": "heurstic"}, "did you mean 'heuristic'"),
        ({"pilot": "rule-based"}, "rule-based"),
    ],
)
def test_wrong_questions_are_told_in_one_line(run, question, words):
    with pytest.raises(BadInput, match=words) as told:
        asked(run, **{"move": MOVE, **question})
    assert "\n" not in str(told.value)


def test_a_player_that_has_changed_since_is_refused(run):
    other = Run(run)
    other.config["matchups"][0]["pilot"] = "heuristic@0000"
    with pytest.raises(BadInput, match="heuristic@0000 has changed since"):
        recast(other, 0)


def test_rules_of_another_version_are_refused(run):
    old = Run(run)
    old.config["rules"] = old.config["rules"].replace(" v1 ", " v0 ")
    with pytest.raises(BadInput, match="version 0"):
        recast(old, 0)


def test_a_player_given_by_path_is_found_from_anywhere(tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    card = tmp_path / "mine" / "quiet.toml"
    card.write_text('kind = "scripted"\nbot = "do-nothing"\nabout = "A card without a name."\n')
    monkeypatch.chdir(tmp_path)
    players = {"pilot": "mine/quiet.toml", "crisis": "rule-based"}
    play_match(players, "revops/normal", 4, 0, Path("runs/one"))
    monkeypatch.chdir(tmp_path / "mine")
    one = tmp_path / "runs" / "one"
    assert asked(one, at=2, move=MOVE).seeds == range(3, 4)
    card.unlink()
    with pytest.raises(BadInput, match=r"no agent file .*quiet\.toml"):
        asked(one, at=2, move=MOVE)
