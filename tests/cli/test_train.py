"""`revops-ma train`: what it tells, what it writes, what it refuses."""

import json
import tomllib

import pytest

SHORT = ("--iterations", "2", "--games", "40", "--seeds", "2", "--seed", "5")


@pytest.fixture
def trained(run, tmp_path):
    """The document, the directory and what stderr told."""

    def train(*command):
        out = tmp_path / "run"
        done = run("train", *command, *SHORT, "--out", str(out), "--json")
        assert done.code == 0, done.err
        return json.loads(done.out), out, done.err

    return train


@pytest.mark.ray
def test_the_strongest_seed_becomes_a_card_that_plays(trained, run):
    document, out, told = trained("crisis", "--against", "heuristic=2,random")
    assert told.startswith("Training the crisis with 2 seeds: expect about ")
    assert [entry["seed"] for entry in document["runs"]] == [5, 6]
    assert list(document["against"].values()) == [2 / 3, 1 / 3]
    returns = {entry["seed"]: entry["validation_return"] for entry in document["runs"]}
    assert document["strongest"] == min(returns, key=returns.get)
    card = tomllib.loads(
        (out / "agents/trained/crisis-vs-heuristic-random-revops-normal.toml").read_text()
    )
    assert card["trained"]["seed"] == document["strongest"]
    assert card["trained"]["command"] == (
        "revops-ma train crisis --against heuristic=2,random --scenario revops/normal"
        " --iterations 2 --seeds 2 --seed 5 --games 40"
    )
    played = run("match", "heuristic", document["card"], "-n", "5", "--seed", "0", "--json")
    assert json.loads(played.out)["completed"] == 5
    for entry in document["runs"]:
        for score in entry["test"]:
            assert score["games"] == 2000
            assert score["survival"]["low"] <= score["survival"]["mean"]


@pytest.mark.ray
def test_the_same_command_goes_on_and_the_report_is_one_page(trained, run):
    first, out, _ = trained("pilot-numeric")
    again, _, _ = trained("pilot-numeric")
    assert {**again, "seconds": 0} == {**first, "seconds": 0}
    page = (out / "report.html").read_text()
    assert page.count("<svg") == 6
    assert "Training of the pilot on revops/normal" in page
    assert run("report", str(out), "--json").code == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--against", "heuristc"), "did you mean 'heuristic'"),
        (("--against", "heuristic=much"), "weight of heuristic: got 'much'"),
        (("--against", "heuristic=0"), "weights of the opponents"),
        (("--seconds", "0"), "iterations and seconds"),
        (("--seconds", "5", "--iterations", "3"), "iterations and seconds"),
        (("--backend", "cloud"), "allowed: embedded, ray"),
        (("--seed", "-1"), "training seed"),
        (("--warm-start", "hunter"), "a numeric agent"),
        (("--scenario", "revops/nowhere"), "no scenario called"),
    ],
)
def test_wrong_input_is_one_line_and_code_two(run, tmp_path, arguments, told):
    done = run("train", "crisis", *arguments, "--out", str(tmp_path / "run"))
    assert done.code == 2
    assert told in done.err
    assert not (tmp_path / "run" / "training.json").exists()
