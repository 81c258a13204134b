"""What the command line shows of the support desk: the figures that the world must give."""

import io
import json

import pytest

from revops_ma.bench import support
from revops_ma.cli import main


def ran(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    said = capsys.readouterr()
    assert ended.value.code == 0, said.err
    return said.out


@pytest.mark.parametrize(
    ("pilot", "task", "score", "steps", "paid"),
    [
        ("optimal", "task1", 0.98, 4, 0.94),
        ("optimal", "task2", 0.98, 16, 0.82),
        ("optimal", "task3", 0.98, 14, 0.84),
        ("careful", "task2", 0.98, 16, 0.82),
        ("shotgun", "task2", 0.8429, 10, -0.26),
    ],
)
def test_a_match_gives_the_published_figures(
    capsys, pilot: str, task: str, score: float, steps: int, paid: float
) -> None:
    out = ran(capsys, "match", pilot, "none", "-s", f"finops/{task}", "-n", "1", "--json")
    document = json.loads(out)
    assert document["facts"]["score"]["mean"] == pytest.approx(score, abs=1e-4)
    assert document["facts"]["steps"]["mean"] == steps
    assert document["episode_return"]["mean"] == pytest.approx(paid, abs=0.005)


def test_tables_say_solved_and_show_scores_with_three_decimals(capsys) -> None:
    told = ran(capsys, "match", "shotgun", "none", "-s", "finops/task2", "-n", "1", "--seed", "0")
    assert "solved" in told
    assert "survival" not in told
    assert " 0.843 " in told


def test_a_tournament_shows_scores_with_intervals_in_80_columns(capsys) -> None:
    told = ran(
        capsys,
        *("tournament", "--pilots", "optimal,careful", "--crises", "none,random,worst"),
        *("-s", "finops/task2-storm", "-n", "4", "--seed", "0"),
    )
    assert "(solved)" in told
    assert "Mean score" in told
    assert "0.980 to 0.980" in told
    assert max(map(len, told.splitlines())) <= 80


def test_watching_shows_calls_answers_and_strikes_in_80_columns(capsys) -> None:
    told = ran(
        capsys,
        *("play", "finops/loyalty-storm", "--pilot", "optimal", "--crisis", "worst"),
        *("--seed", "5"),
    )
    assert "list_customers(status='active')" in told
    assert "12 customers" in told
    assert "struck" in told
    assert "-0.510" in told
    assert "graded 0.500" in told
    assert max(map(len, told.splitlines())) <= 80


def test_a_person_works_a_ticket_with_short_forms(capsys, monkeypatch) -> None:
    typed = (
        "search_customers TechCorp Inc",
        "list_invoces cus_001",
        "submit later",
        "list_invoices cus_001",
        "create_refund inv_902",
        "?",
        "submit",
    )
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(typed) + "\n"))
    told = ran(capsys, "play", "finops/task1", "--seed", "0")
    assert "did you mean list_invoices?" in told
    assert "submit takes nothing" in told
    assert "2 invoices, $1,000.00 together" in told
    assert told.count("Type a tool and its arguments") == 2
    assert "Won: submitted after 4 steps, return 0.940" in told


def test_a_person_may_play_the_crisis_side(capsys, monkeypatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("late_invoice cus_008 50.01\nq\n"))
    told = ran(
        capsys,
        *("play", "finops/task2-storm", "--pilot", "optimal", "--crisis", "human"),
        *("--seed", "0"),
    )
    assert "late_invoice cus_008 $50.01" in told


def test_the_bench_counts_the_calls_that_it_serves() -> None:
    assert support.engine_work()() == 4 * support._RUNS
    lines = support.desk(0.001)
    assert [line.unit for line in lines] == ["tool calls/s", "turns/s"]
    assert all(line.value for line in lines)
