"""The regret of the sample episodes, as the report shows it."""

from revops_ma.arena.match import play_match
from revops_ma.report.collect import collect
from revops_ma.report.regret import regret_section
from revops_ma.run import Run


def section_of(tmp_path, pilot, crisis="rule-based"):
    path = tmp_path / "run"
    play_match({"pilot": pilot, "crisis": crisis}, "revops/normal", 5, 3, path)
    return str(regret_section(collect(Run(path))))


def test_each_sample_has_a_bar_per_step_with_the_best_alternative(tmp_path):
    shown = section_of(tmp_path, "heuristic")
    assert shown.count("<figure") == 3
    assert shown.count("Table: regret of seed") == 3
    assert "best of 100 moves" in shown
    assert "instead of" in shown


def test_a_pilot_that_is_too_slow_is_left_out_with_a_sentence(tmp_path):
    shown = section_of(tmp_path, "planner", "none")
    assert "Left out: planner takes too long" in shown
    assert "<figure" not in shown


def test_a_player_whose_card_has_changed_is_left_out_with_a_sentence(tmp_path, monkeypatch):
    path = tmp_path / "run"
    play_match({"pilot": "heuristic", "crisis": "none"}, "revops/normal", 5, 3, path)
    findings = collect(Run(path))
    findings.run.config["matchups"][0]["pilot"] = "heuristic@0000"
    assert "Left out: heuristic@0000 has changed since" in str(regret_section(findings))


def test_the_section_is_the_same_each_time(tmp_path):
    path = tmp_path / "run"
    play_match({"pilot": "heuristic", "crisis": "none"}, "revops/normal", 5, 3, path)
    first, second = (str(regret_section(collect(Run(path)))) for _ in range(2))
    assert first == second
