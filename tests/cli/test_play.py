import io

import pytest

from revops_ma.cli.sparkline import sparkline


@pytest.fixture
def typing(monkeypatch):
    def type_lines(*lines):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))

    return type_lines


def test_watching_two_agents_tells_every_month_and_the_end(run):
    told = run("play", "revops/easy", "--pilot", "heuristic", "--crisis", "none", "--seed", 4)
    assert told.code == 0
    assert "Won: survived after 30 steps" in told.out
    assert "mrr" in told.out


def test_the_document_of_an_episode_has_all_turns(run):
    document = run(
        *("play", "revops/normal", "--pilot", "heuristic", "--crisis", "rule-based"),
        *("--seed", 4, "--json"),
    ).document
    pilots = [turn for turn in document["turns"] if turn["role"] == "pilot"]
    assert len(pilots) == document["steps"]
    assert document["returns"]["pilot"] == -document["returns"]["crisis"]


def test_a_person_plays_with_short_forms_and_is_asked_again_after_nonsense(run, typing):
    typing("hire 0.8", "bogus", "9", '{"action_type": "cut_costs", "magnitude": 1}', "q")
    told = run("play", "revops/normal", "--seed", 3)
    assert told.code == 0
    assert "hire_support 0.80" in told.out
    assert "Not a move: unknown_action" in told.out
    assert "pivot_segment 0.50" in told.out
    assert "cut_costs 1.00" in told.out
    assert "Left the game" in told.out


def test_a_person_plays_the_crisis_engine(run, typing):
    typing("price 0.5", "3", "q")
    told = run(*("play", "revops/normal", "--pilot", "heuristic", "--crisis", "human", "--seed", 1))
    assert "PRICE_WAR 0.50" in told.out
    assert "CASH_CRUNCH 1.00" in told.out


def test_an_end_of_input_leaves(run, typing):
    typing()
    assert "Left the game" in run("play", "revops/normal", "--seed", 3).out


def test_a_sparkline_goes_from_lowest_to_highest():
    assert sparkline([0, 7, 3.5]) == "▁█▅"
    assert sparkline([2, 2]) == "▁▁"
    assert sparkline([0, 1], "ascii") == "_@"
    assert sparkline([0, 1], None) == "_@"
