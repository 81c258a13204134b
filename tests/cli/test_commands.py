import pytest

import revops_ma

COMMANDS = ("list", "match", "tournament", "play", "report", "bench", "doctor")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_an_example(run, command):
    told = run(command, "--help")
    assert told.code == 0
    assert f"Example: revops-ma {command}" in told.out
    assert max(len(line) for line in told.out.splitlines()) <= 80


def test_no_command_shows_the_help(run):
    told = run()
    assert told.code == 0
    assert all(command in told.out for command in COMMANDS)


def test_list_tells_every_card_with_its_seats(run):
    document = run("list", "--json").document
    seats = {agent["name"]: agent["seats"] for agent in document["agents"]}
    assert "revops/pilot" in seats["heuristic"]
    assert {"revops/pilot", "revops/crisis"} <= set(seats["random"])
    assert "revops/normal" in {scenario["name"] for scenario in document["scenarios"]}
    assert run("list", "scenarios", "--json").document.keys() == {"scenarios"}


def test_list_reads_well(run):
    told = run("list")
    assert told.code == 0
    assert "heuristic-tuned" in told.out
    assert max(len(line) for line in told.out.splitlines()) <= 80


def test_match_json_is_one_document_and_nothing_else(run):
    told = run("match", "heuristic", "rule-based", "-n", 10, "--seed", 3, "--json")
    assert told.code == 0
    assert told.document["completed"] == 10


def test_match_draws_and_reports_a_seed_when_none_is_given(run):
    seeds = {run("match", "random", "none", "-n", 1, "--json").document["seed"] for _ in range(3)}
    assert len(seeds) == 3


def test_match_table_tells_the_figures(run):
    told = run("match", "heuristic", "rule-based", "-n", 10, "--seed", 3)
    assert "survival" in told.out
    assert "10 of 10" in told.out


def test_tournament_takes_all(run):
    document = run(
        *("tournament", "--pilots", "heuristic,random", "--crises", "none, rule-based"),
        *("-n", 5, "--seed", 0, "--json"),
    ).document
    assert document["crises"] == ["none", "rule-based"]
    assert document["completed"] == 20


def test_tournament_tables_fit_80_columns(run):
    told = run("tournament", "--pilots", "heuristic,random", "--crises", "none", "-n", 5)
    assert told.code == 0
    assert "Mean return of the pilot" in told.out
    assert max(len(line) for line in told.out.splitlines()) <= 80


def test_out_writes_a_run_that_the_report_reads(run, tmp_path):
    path = tmp_path / "run"
    asked = ("match", "heuristic", "random", "-n", 5, "--seed", 1, "--out", path, "--json")
    assert run(*asked).document["run"] == str(path)
    told = run("report", path, "--json")
    assert told.code == 0
    assert (path / "report.html").is_file()


def test_doctor_finds_the_core_working(run):
    told = run("doctor", "--json")
    assert told.code == 0
    assert told.document["kernel"] == "ok"
    assert set(told.document["extras"]) >= {"llm", "ray", "grpo", "serve", "report"}
    assert run("doctor").code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("match", "heuristc", "none"), "did you mean 'heuristic'"),
        (("match", "heuristic", "none", "--scenario", "mars"), "no scenario called 'mars'"),
        (("match", "heuristic", "none", "--episodes", "0"), "--episodes: got 0"),
        (("match", "heuristic", "none", "--episodes", "many"), "got 'many'"),
        (("match", "heuristic", "none", "--seed", "-1"), "seed: got -1"),
        (("match", "heuristic", "none", "--seed", "1.5"), "got '1.5'"),
        (("match", "heuristic"), "crisis"),
        (("match", "hunter", "none"), "allowed:"),
        (("match", "heuristic", "none", "--sed", "1"), "--seed"),
        (("tournament", "--pilots", "", "--crises", "none"), "--pilots: got"),
        (("tournament", "--pilots", "a", "--crises", "none"), "no agent called 'a'"),
        (("tournament", "--pilots", "random,random", "--crises", "none"), "named twice"),
        (("play", "nowhere"), "no scenario called 'nowhere'"),
        (("play", "revops/normal", "--json"), "name two agents"),
        (("report", "no-such-run"), "no run directory"),
        (("bench", "--seconds", "-1"), "--seconds"),
        (("list", "stuff"), "got 'stuff'"),
        (("fly",), "No such command 'fly'"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(run, arguments, words):
    told = run(*arguments)
    assert told.code == 2
    assert told.out == ""
    assert words in told.err
    assert told.err.count("\n") == 1
    assert "Traceback" not in told.err


def test_the_version_is_told(run):
    assert run("--version").out == f"revops-ma {revops_ma.__version__}\n"


def test_a_watcher_does_not_wait_for_ever(run):
    said = run("play", "revops/normal", "--pilot", "heuristic", "--delay", "inf")
    assert said.code == 2
    assert "--delay" in said.err
