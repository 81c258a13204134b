"""A whole self-play run of two short rounds: what it leaves, and that a kill changes nothing."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from itertools import pairwise

import pytest

from revops_ma import catalog
from revops_ma.cli.selfplay import command_of, expected_seconds
from revops_ma.errors import BadInput
from revops_ma.report import write
from revops_ma.rollout import EmbeddedPool
from revops_ma.training.league import Settings, play_league
from revops_ma.training.league import champion as champion_module
from revops_ma.training.league.evidence import Trial, champion, examine

pytestmark = pytest.mark.ray
SCENE = catalog.scenario("revops/normal")
TINY = Settings(
    rounds=2,
    mixing="nash",
    pilot_iterations=2,
    crisis_iterations=2,
    responses=2,
    parts=2,
    sparring_iterations=1,
    games=32,
    payoff_games=40,
    exact_seeds=1,
    exact_crises=1,
)
CLOCKS = ("seconds", "cpu_seconds")


def play(out, settings=TINY, **more):
    return play_league(SCENE, settings, out, command="revops-ma selfplay --rounds 2", **more)


@pytest.fixture(autouse=True, scope="module")
def _few_test_games():
    """The champion's figures on held-out seeds are not what is tested here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(champion_module, "TEST_SEEDS", range(1_000_000, 1_000_050))
        yield


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    out = tmp_path_factory.mktemp("selfplay") / "whole"
    return play(out), out


def untimed(value):
    """A document without what clocks said."""
    if isinstance(value, dict):
        return {key: untimed(each) for key, each in value.items() if key not in CLOCKS}
    return [untimed(each) for each in value] if isinstance(value, list) else value


def test_every_pilot_is_answered_and_the_strongest_is_a_card(whole, monkeypatch):
    story, out = whole
    assert [pilot.name for pilot in story.pilots] == ["pilot-00", "pilot-01", "pilot-02"]
    for pilot in story.pilots:
        assert len(pilot.answer.survivals) == 2
        assert pilot.answer.survival == min(pilot.answer.survivals)
        assert pilot.answer.exact["seeds"] == 1
        assert pilot.worst_survival.mean <= min(pilot.answer.survivals)
    monkeypatch.setenv(catalog.PATH_VARIABLE, str(out))
    assert champion(out, SCENE).network.digest in json.dumps(rounds(out))
    card = catalog.agent("trained/selfplay-pilot", "pilot", SCENE).card
    assert card.trained.command == "revops-ma selfplay --rounds 2"
    assert card.about.startswith("Self-play pilot, strongest of its league: PPO against ")
    assert card.trained.against == story.strongest.mixture
    for foe in ("rule-based", story.strongest.worst, *story.strongest.answer.responses):
        assert f"survival vs {foe}" in card.trained.figures
    assert catalog.agent("league/crisis-02-1", "crisis", SCENE).name == "league/crisis-02-1"


def rounds(out):
    files = sorted(out.glob("rounds/*/round.json"))
    return [json.loads(file.read_text()) for file in files]


def request(out, number, name):
    return json.loads((out / f"rounds/{number:02d}/{name}/train.json").read_text())


def test_pilots_go_on_from_each_other_and_responses_begin_anew(whole):
    _, out = whole
    first, second, third, last = rounds(out)
    digests = {one["name"]: one["digest"] for said in rounds(out) for one in said["trained"]}

    def warm(number, name):
        return request(out, number, name)["warm_start"]

    assert warm(0, "pilot-00/0") is None
    assert warm(1, "pilot-01/0") == digests["pilot-00"]
    assert warm(2, "pilot-02/0") == digests["pilot-01"]
    assert warm(2, "pilot-02/1") not in (None, digests["pilot-01"], digests["pilot-02"])
    assert warm(2, "crisis-02-0") is None
    assert "answered" not in first
    answered = [said["answered"] for said in (second, third, last)]
    assert answered == ["pilot-00", "pilot-01", "pilot-02"]
    assert all(sum(said["mixture"].values()) == pytest.approx(1) for said in (first, second, third))
    assert "mixture" not in last


def test_partners_follow_the_pilot_all_through_the_league(whole):
    _, out = whole
    digests = {one["name"]: one["digest"] for said in rounds(out) for one in said["trained"]}
    assert request(out, 1, "partner-01-1/0")["warm_start"] == digests["crisis-01-1"]
    assert request(out, 2, "partner-02-1/0")["warm_start"] == digests["partner-01-1"]
    second = request(out, 2, "partner-02-1/1")["against"]
    assert {name.split("@")[0]: share for name, share in second.items()} == pytest.approx(
        {"pilot-02": 0.8, "pilot-00": 0.1, "pilot-01": 0.1}
    )
    met = request(out, 2, "pilot-02/1")["against"]
    sparring = {name: share for name, share in met.items() if name.startswith("partner-02")}
    assert list(sparring.values()) == pytest.approx([0.225, 0.225])


def test_learning_rates_fall_from_part_to_part(whole):
    _, out = whole
    rates = [
        request(out, number, f"pilot-{number:02d}/{part}")["recipe"]["learning_rate"]
        for number in (0, 1, 2)
        for part in (0, 1)
    ]
    assert rates[0][0] == pytest.approx(1e-3)
    assert rates[-1][1] == pytest.approx(1e-4)
    assert all(before[1] == after[0] for before, after in pairwise(rates))


def test_the_matrix_is_full_and_its_game_is_solved(whole):
    story, _ = whole
    document = story.to_json()
    assert len(document["engines"]) == 9 + 3 * 2 + 2 * 2
    assert all(set(row) == set(document["engines"]) for row in document["payoff"].values())
    for side in document["nash"].values():
        assert sum(side.values()) == pytest.approx(1)
    json.dumps(document, allow_nan=False)
    for pilot in document["pilots"]:
        left = [
            cell["episode_return"]["mean"] for cell in document["payoff"][pilot["name"]].values()
        ]
        assert pilot["exploitability"] == pytest.approx(document["value"] - min(left))
        assert pilot["exploitability"] > -1e-6


def test_a_run_that_is_over_is_only_read(whole, monkeypatch):
    from revops_ma.training.league import rounds as module

    story, out = whole

    def forbidden(*_, **__):
        raise AssertionError

    monkeypatch.setattr(module, "train", forbidden)
    told = []
    assert play(out, tell=told.append).to_json() == story.to_json()
    assert len(told) == 4


def test_another_request_or_a_strange_directory_is_refused(whole, tmp_path):
    _, out = whole
    with pytest.raises(BadInput, match="another self-play run: seed differ"):
        play(out, Settings(**{**TINY.to_json(), "scripts": TINY.scripts, "seed": 1}))
    (tmp_path / "letter.txt").write_text("keep me")
    with pytest.raises(BadInput, match="self-play directory"):
        play(tmp_path)


KILLED = """
import sys
from pathlib import Path
from tests.training.league.test_league import play
play(Path(sys.argv[1]))
"""


@pytest.mark.slow
def test_a_killed_run_goes_on_to_the_same_result(whole, tmp_path):
    expected, done = whole
    out = tmp_path / "run"
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(out)])
    while not (out / "rounds/02/partner-02-0/1/train.json").is_file():
        time.sleep(0.02)
        assert process.poll() is None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not (out / "league.json").exists()
    assert untimed(play(out).to_json()) == untimed(expected.to_json())
    assert untimed(rounds(out)) == untimed(rounds(done))
    for file in done.glob("rounds/*/episodes.csv"):
        assert (out / file.relative_to(done)).read_bytes() == file.read_bytes()


def test_the_report_shows_rounds_matrix_and_mixtures(whole):
    _, out = whole
    page = write(out).read_text()
    for anchor in ("rounds", "matrix", "mixtures"):
        assert f'id="{anchor}"' in page
    assert page.count('class="cell') == 3 * 19
    assert "pilot-02 vs crisis-03-1" in page


def test_a_pilot_is_examined_once_in_each_way(whole):
    _, out = whole
    trial = Trial(("rule-based",), responses=1, iterations=1, games=20, exact_seeds=0)
    pilot = champion(out, SCENE)
    with EmbeddedPool() as pool:
        first = examine("it", pilot, SCENE, trial, out, pool)
        assert examine("it", pilot, SCENE, trial, out, pool) == first
        more = examine("it", pilot, SCENE, replace(trial, games=30), out, pool)
    assert more.survival["rule-based"] != first.survival["rule-based"]
    assert set(first.survival) == {"rule-based", "response-0"}
    assert first.worst in first.survival


def test_the_command_that_made_a_league_is_told_without_what_goes_without_saying():
    assert command_of("revops/normal", Settings()) == (
        "revops-ma selfplay --rounds 8 --scenario revops/normal --seed 0"
    )
    other = Settings(rounds=2, seed=5, mixing="nash", scripts=("random",))
    assert command_of("revops/easy", other) == (
        "revops-ma selfplay --rounds 2 --scenario revops/easy --seed 5 --mixing nash"
        " --scripts random"
    )


def test_the_expected_time_is_told_to_the_end_and_so_far():
    half, whole = expected_seconds(Settings(rounds=4)), expected_seconds(Settings(rounds=8))
    assert half < whole < 2 * half
    so_far = [expected_seconds(Settings(rounds=8), done) for done in range(1, 10)]
    assert so_far == sorted(so_far)
    assert 0 < so_far[0] < whole / 8
    assert so_far[4] < half < so_far[5]
    assert so_far[-1] < whole
