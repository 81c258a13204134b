"""`exploit` and `what-if` on the command line."""

import json

import pytest

MOVE = '{"action_type": "decrease_marketing", "magnitude": 0.8}'


@pytest.fixture
def played(run, tmp_path):
    path = tmp_path / "run"
    run("match", "heuristic", "rule-based", "-n", 6, "--seed", 30, "--out", path, "--json")
    return path


@pytest.mark.parametrize("command", ["exploit", "what-if"])
def test_help_shows_an_example_in_80_columns(run, command):
    told = run(command, "--help")
    assert told.code == 0
    assert f"Example: revops-ma {command}" in told.out
    assert max(len(line) for line in told.out.splitlines()) <= 80


def test_exploit_json_has_the_promised_keys(run):
    document = run(
        "exploit", "heuristic", "--crises", 2, "--seeds", 4, "--seed", 7, "--json"
    ).document
    assert document["exact"] is True
    assert document["sequences"] == 2_880 + 80 + 1
    assert set(document) >= {"pilot", "scenario", "crises", "survival", "worst", "seconds"}
    assert [worst["seed"] for worst in document["worst"]] == [7, 8, 9, 10]
    for worst in document["worst"]:
        assert all(len(strike) == 3 for strike in worst["sequence"])
        assert worst["gap"] == 0.0


def test_exploit_tells_the_sequence_in_words(run):
    told = run("exploit", "heuristic", "-k", 1, "--seeds", 3, "--seed", 7)
    assert told.code == 0
    assert "3 of 3" in told.out
    assert "in month" in told.out


def test_exploit_tells_the_gap_and_what_is_not_decided(run):
    asked = ("exploit", "heuristic", "-k", 3, "--seeds", 2, "--seed", 7, "--node-limit", 2_000)
    told = run(*asked)
    assert "0 of 2" in told.out
    assert "not decided" in told.out
    assert "proven: not below" in told.out
    assert run(*asked, "--json").document["exact"] is False


def test_a_beam_is_labelled_as_no_proof(run):
    document = run("exploit", "random", "-k", 2, "--seeds", 2, "--beam", 8, "--json").document
    assert document["exact"] is False
    assert {worst["gap"] for worst in document["worst"]} == {None}


def test_what_if_shows_one_episode_side_by_side(run, played):
    told = run("what-if", played, 2, "--at", 12, "--move", MOVE)
    assert told.code == 0
    assert "as it was / changed" in told.out
    assert max(len(line) for line in told.out.splitlines()) <= 80


def test_what_if_over_seeds_tells_bands_and_the_gain_of_pairing(run, played):
    told = run("what-if", played, 2, "--at", 12, "--move", MOVE, "--seeds", 200)
    assert "200 seeds" in told.out
    assert "times smaller" in told.out
    document = run(
        *("what-if", played, 2, "--at", 12, "--move", MOVE, "--seeds", 200, "--json")
    ).document
    assert document["seeds"] == 200
    assert document["standard_error_ratio"] > 1


@pytest.mark.parametrize(
    "change", [("--crisis", "CHURN_SPIKE 1.0"), ("--pilot", "random"), ("--move", "cut_costs 0.5")]
)
def test_what_if_takes_a_crisis_a_pilot_or_a_short_move(run, played, change):
    document = run("what-if", played, 0, "--at", 3, *change, "--json").document
    assert document["difference"]["episode_return"]["mean"] != 0.0


def test_regret_tells_every_step(run, played):
    document = run("what-if", played, 1, "--regret", "--json").document
    assert document["seed"] == 31
    assert [decision["step"] for decision in document["decisions"]][:3] == [1, 2, 3]
    told = run("what-if", played, 1, "--regret")
    assert told.code == 0
    assert "best alternative" in told.out


def test_a_company_of_ones_own_is_played_with_its_notes_on_stderr(run, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'world = "revops"\ntitle = "Mine"\nabout = "A company of my own."\n[rules.company]\n'
        "mrr = 50000\ncac = 1500\nltv = 6000\nmargin = 0.6\nchurn = 0.04\nrunway = 12\n"
        "marketing = 17000\nsupport = 0.7\n"
    )
    asked = ("match", "heuristic", "rule-based", "-n", 5, "--seed", 1, "--scenario", path)
    told = run(*asked)
    assert told.code == 0
    assert "Note: LTV goes from $6,000 to $8,000" in told.err
    assert json.loads(run(*asked, "--json").out)["scenario"] == "mine"
    path.write_text(path.read_text().replace("mrr = 50000", "mrr = 15000"))
    told = run(*asked)
    assert told.code == 2
    assert "under the floor of 20,000" in told.err
    assert told.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("exploit", "heuristc"), "did you mean 'heuristic'"),
        (("exploit", "heuristic", "--crises", 11), "--crises: got 11; allowed: 0 to 10"),
        (("exploit", "heuristic", "--seeds", 0), "--seeds: got 0"),
        (("exploit", "heuristic", "--beam", 0), "--beam"),
        (("what-if", "nowhere", 0, "--at", 1, "--move", MOVE), "no run directory"),
        (("what-if", "RUN", 6, "--at", 1, "--move", MOVE), "episode: got 6; allowed: 0 to 5"),
        (("what-if", "RUN", 0, "--at", 40, "--move", MOVE), "--at: got 40"),
        (("what-if", "RUN", 0, "--at", 1), "nothing is different"),
        (("what-if", "RUN", 0), "nothing to ask"),
        (("what-if", "RUN", 0, "--regret", "--at", 3), "without other options"),
        (("what-if", "RUN", 0, "--at", 1, "--move", "fly"), "unknown_action"),
        (("what-if", "RUN", 0, "--at", 1, "--move", MOVE, "--seeds", 0), "--seeds: got 0"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(run, played, arguments, words):
    told = run(*(played if each == "RUN" else each for each in arguments))
    assert told.code == 2
    assert told.out == ""
    assert words in told.err
    assert told.err.count("\n") == 1
