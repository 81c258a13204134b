"""Calls are recorded with the episodes, survive kills, and are played again without a network."""

import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from revops_ma import catalog
from revops_ma.arena.calling import CallWishes
from revops_ma.arena.match import play_match
from revops_ma.arena.tournament import play_tournament
from revops_ma.episode import Episode
from revops_ma.errors import BadInput, RunFailed
from revops_ma.policies.language import agent as agents
from revops_ma.policies.language.known import read_journal
from revops_ma.policies.language.protocol import Finish, Response
from revops_ma.run import CALLS, JOURNAL, LOCK, Run, TamperedRun, writer
from tests.policies.language import endpoint as canned
from tests.policies.language.conftest import CANARY
from tests.policies.language.stand_in import StandIn, proper
from tests.run.common import files
from tests.run.test_kills import Grim, Killed

SCENARIO = "revops/normal"


def contents(path):
    return {name: text for name, text in files(path).items() if name != LOCK}


@pytest.fixture
def stand_in(monkeypatch):
    """Let every card ask a stand-in instead of its provider; counts the questions."""
    asked = []

    def install(answer=proper):
        def listen(request):
            asked.append(request)
            return answer(request)

        monkeypatch.setattr(agents, "provider_of", lambda _: StandIn(listen))
        return asked

    return install


def match(card, crisis="rule-based", episodes=6, out=None, **wishes):
    players = {"pilot": card, "crisis": crisis}
    return play_match(players, SCENARIO, episodes, 5, out, wishes=CallWishes(**wishes))


def moody(request):
    """Sometimes refused, sometimes lost: by the question alone, so that it comes out the same."""
    number = sum(request.messages[1].text.encode()) % 7
    if number == 0 and len(request.messages) < 3:
        return Response(Finish.STOP, "Let me think.")
    return Response(Finish.SERVER_ERROR, detail="Oops") if number == 1 else proper(request)


def test_a_recorded_run_holds_every_question_and_answer(stand_in, make_card, tmp_path):
    asked = stand_in(moody)
    played = match(make_card(), make_card("crisis"), out=tmp_path / "run")
    lines = (tmp_path / "run" / CALLS).read_bytes().splitlines()
    turns = [json.loads(line) for line in lines]
    calls = [call for turn in turns for call in turn["turn"]["calls"]]
    assert sorted(call["messages"][-1][1] for call in calls) == sorted(
        request.messages[-1].text for request in asked
    )
    assert len({call["key"] for call in calls}) == len(calls)
    tallies = played.result.calls
    assert len(calls) == sum(tally.calls for tally in tallies.values())
    rules = sum(turn["turn"]["source"] == "rule" for turn in turns)
    assert rules == played.result.fallbacks > 0
    for number, episode in enumerate(Run(tmp_path / "run").episodes()):
        mine = [turn["turn"] for turn in turns if turn["episode"] == number]
        assert {turn["seed"] for turn in mine} == {episode.seed}
        assert sum(len(turn["calls"]) for turn in mine) == sum(
            len(tally["ms"]) for tally in episode.calls.values()
        )
    assert not (tmp_path / "run" / JOURNAL).exists()


def test_a_recorded_run_replays_byte_equal_and_asks_nobody(stand_in, make_card, tmp_path):
    asked = stand_in(moody)
    players = (make_card(more="memory = 2"), make_card("crisis"))
    first = match(*players, out=tmp_path / "first")
    count = len(asked)
    again = match(*players, out=tmp_path / "again", calls=str(tmp_path / "first"))
    assert len(asked) == count
    assert contents(tmp_path / "first") == contents(tmp_path / "again")
    unwritten = match(*players, calls=str(tmp_path / "first"))
    for other in (again, unwritten):
        assert other.result.to_json() == first.result.to_json()


def test_a_run_is_played_again_on_its_own_seeds(stand_in, make_card, tmp_path):
    stand_in()
    players = {"pilot": make_card(), "crisis": "none"}
    play_match(players, SCENARIO, 2, 77, tmp_path / "run")
    again = play_match(players, SCENARIO, 2, wishes=CallWishes(str(tmp_path / "run")))
    assert again.seed == 77


def test_in_a_tournament_every_matchup_has_answers_of_its_own(stand_in, make_card, tmp_path):
    moods = iter(range(10**6))

    def fickle(_):
        kinds = ("cut_costs", "hire_support", "negotiate_contracts")
        text = json.dumps({"action_type": kinds[next(moods) % 3], "magnitude": 0.5})
        return Response(Finish.STOP, text)

    stand_in(fickle)
    pilots, crises = [make_card()], ["none", "rule-based"]
    for out, calls in (("a", None), ("b", str(tmp_path / "a"))):
        wishes = CallWishes(calls=calls)
        play_tournament(pilots, crises, SCENARIO, 3, 5, tmp_path / out, wishes=wishes)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


@pytest.mark.llm
def test_a_recorded_gemini_run_replays_with_sockets_blocked(
    open_endpoint, make_card, tmp_path, monkeypatch
):
    luck = iter(range(10**6))

    def answer(asked):
        number = next(luck)
        if number % 11 == 3:
            return canned.server_error()
        if number % 13 == 4:
            return canned.gemini("Well.")
        return canned.well(asked)

    open_endpoint(answer)
    players = (make_card(), make_card("crisis", sees="everything"))
    match(*players, out=tmp_path / "first")
    for name in ("GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"):
        monkeypatch.delenv(name)

    def blocked(*_):
        raise AssertionError("a socket was used")

    monkeypatch.setattr(socket.socket, "connect", blocked)
    monkeypatch.setattr(socket, "create_connection", blocked)
    match(*players, out=tmp_path / "again", calls=str(tmp_path / "first"))
    assert contents(tmp_path / "first") == contents(tmp_path / "again")


def test_a_question_that_was_not_recorded_names_the_nearest_one(stand_in, make_card, tmp_path):
    stand_in()
    match(make_card(), out=tmp_path / "run")
    with pytest.raises(RunFailed, match="holds no answer to this question") as caught:
        match(make_card(), "hunter", calls=str(tmp_path / "run"))
    assert "the nearest one is of gemini-pilot vs rule-based, seed 5, pilot" in str(caught.value)
    with pytest.raises(RunFailed, match="its settings is") as caught:
        match(make_card(more="temperature = 0.5"), calls=str(tmp_path / "run"))
    assert "\n" not in str(caught.value)
    prompt = tmp_path / "cards" / "p.md"
    prompt.write_text("Another prompt.")
    card = Path(make_card())
    text = card.read_text().splitlines()
    card.write_text("\n".join('prompt = "p.md"' if "prompt =" in line else line for line in text))
    with pytest.raises(RunFailed, match=r"its system message has .* where 'Another prompt"):
        match(str(card), calls=str(tmp_path / "run"))


def test_a_card_can_play_what_a_model_played_before(stand_in, make_card, tmp_path, monkeypatch):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agents, "provider_of", lambda _: StandIn(moody))
        first = match(make_card(), out=tmp_path / "run")
    card = make_card(provider="replay", name="again", model=str(tmp_path / "run"))
    again = match(card)
    assert again.result.returns.tolist() == first.result.returns.tolist()
    assert again.result.fallbacks == first.result.fallbacks
    with pytest.raises(RunFailed, match="holds no answer"):
        match(card, "hunter")
    nothing = make_card(provider="replay", name="nothing", model=str(tmp_path))
    with pytest.raises(BadInput, match="holds no recorded calls"):
        match(nothing)


def test_wishes_that_cannot_be_met_are_told_before_anything_is_written(
    make_card, tmp_path, no_keys
):
    card = make_card()
    out = tmp_path / "run"
    for wishes, message in (
        ({}, "no key for gemini"),
        ({"calls": "runs/nowhere"}, "got 'runs/nowhere'; allowed: live, record, or a run dir"),
    ):
        with pytest.raises(BadInput, match=message):
            match(card, out=out, **wishes)
        assert not out.exists()
    with pytest.raises(BadInput, match="--calls record needs a run directory"):
        match(card, calls="record")
    match("heuristic", calls="record", out=out)  # agents that ask nobody don't care
    assert not (out / CALLS).exists()


def test_a_live_run_keeps_figures_only(stand_in, make_card, tmp_path):
    stand_in(moody)
    out = tmp_path / "run"
    match(make_card(), out=out, calls="live")
    assert not (out / CALLS).exists()
    assert "Dashboard" not in "".join(text.decode() for text in contents(out).values())
    episode = next(Run(out).episodes())
    assert episode.calls["pilot"]["turns"] == episode.steps
    with pytest.raises(BadInput, match="begun with --calls live"):
        match(make_card(), out=out)
    with pytest.raises(BadInput, match="--calls: got"):
        match(make_card(), calls=str(out))


def test_a_kill_at_every_write_leaves_calls_and_records_together(stand_in, make_card, tmp_path):
    stand_in(moody)
    players = (make_card(), make_card("crisis"))
    match(*players, episodes=4, out=tmp_path / "whole")
    whole = contents(tmp_path / "whole")
    at = kills = 0
    while True:
        path = tmp_path / str(at)
        with pytest.MonkeyPatch.context() as patch:
            grim = Grim(patch, at)
            try:
                match(*players, episodes=4, out=path)
            except Killed:
                kills += 1
            done = not grim.is_dead
        match(*players, episodes=4, out=path)
        assert contents(path) == whole
        at += 1
        if done:
            break
    assert kills > 3


def test_an_interrupted_run_asks_nothing_twice(stand_in, make_card, tmp_path, monkeypatch):
    out = tmp_path / "run"

    def breaks(request):
        if len(asked) == 100:
            raise KeyboardInterrupt
        return moody(request)

    asked = stand_in(breaks)
    with pytest.raises(KeyboardInterrupt):
        match(make_card(), make_card("crisis"), episodes=20, out=out)
    kept = len(list(read_journal(out / JOURNAL)))
    assert 50 < kept < 100
    stand_in(moody)
    match(make_card(), make_card("crisis"), episodes=20, out=out)
    assert not (out / JOURNAL).exists()
    calls = (out / CALLS).read_text().count('"key"')
    assert len(asked) == 100 + calls - kept
    fresh = match(make_card(), make_card("crisis"), episodes=20, out=tmp_path / "fresh")
    assert contents(out) == contents(tmp_path / "fresh")
    assert fresh.result.completed == 20


def test_a_torn_journal_is_read_as_far_as_it_goes(tmp_path):
    journal = tmp_path / JOURNAL
    journal.write_bytes(b'\n{"key": "a"}\n\n\xff\xfe\n[1]\n{"key": ')
    assert list(read_journal(journal)) == []


def test_calls_that_were_edited_are_found(stand_in, make_card, tmp_path):
    stand_in()
    out = tmp_path / "run"
    match(make_card(), episodes=3, out=out)
    path, text = out / CALLS, (out / CALLS).read_bytes()
    for wrong in (text.replace(b"negotiate", b"negotiatE", 1), text[:-200], b"", text[1:]):
        path.write_bytes(wrong)
        with pytest.raises(TamperedRun, match="does not hold the calls of episode"):
            match(make_card(), episodes=3, out=out)
    path.write_bytes(text + b'{"episode":9,"turn":{}}\n{"episode"')
    match(make_card(), episodes=3, out=out)
    assert path.read_bytes() == text


def test_records_without_models_say_nothing_of_calls(tmp_path):
    played = play_match({"pilot": "random", "crisis": "none"}, SCENARIO, 2, 5, tmp_path / "run")
    for episode in played.episodes:
        assert "calls" not in episode.to_json()
        assert "transcript" not in episode.to_text()
        assert Episode.from_text(episode.to_text()) == episode
    assert played.to_json()["calls"] == {}
    assert played.to_json()["fallback_rate"] == 0.0


def test_episodes_with_calls_come_back_from_their_text(stand_in, make_card, tmp_path):
    stand_in(moody)
    played = match(make_card(), out=tmp_path / "run")
    for episode in played.episodes:
        again = Episode.from_text(episode.to_text())
        assert again == episode
        assert again.to_text() == episode.to_text()
        assert pickle.loads(pickle.dumps(episode)).asked == episode.asked


def test_commits_cover_the_calls(stand_in, make_card, tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(writer.os, "fsync", lambda number: synced.append(os.fstat(number).st_size))
    stand_in()
    match(make_card(), episodes=3, out=tmp_path / "run")
    assert (tmp_path / "run" / CALLS).stat().st_size in synced


SCRIPT = "import sys; from revops_ma.cli import main; main(sys.argv[1:])"


@pytest.mark.llm
def test_a_killed_gemini_run_goes_on_and_pays_nothing_twice(open_endpoint, make_card, tmp_path):
    server = open_endpoint()
    command = [sys.executable, "-c", SCRIPT, "match", make_card(), make_card("crisis")]
    command += ["-n", "40", "--seed", "5", "--out", str(tmp_path / "run")]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while len(server.asked) < 150 and time.monotonic() < until:
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert len(server.asked) >= 150
    subprocess.run(command, check=True, capture_output=True)
    calls = (tmp_path / "run" / CALLS).read_text().count('"key"')
    # At most one batch was on its way when the process died.
    assert calls <= len(server.asked) <= calls + 40


@pytest.mark.llm
def test_the_key_turns_up_nowhere(open_endpoint, make_card, tmp_path, caplog, run):
    luck = iter(range(10**6))

    def echoing(asked):
        if next(luck) % 3 == 0:
            message = f"{json.dumps(asked.headers)} ?key={CANARY}"
            return canned.Canned({"error": {"code": 400, "message": message}}, 400)
        return canned.well(asked)

    open_endpoint(echoing)
    pilot, crisis = make_card(), make_card("crisis", "openai")
    with caplog.at_level(0):
        ran = run("match", pilot, crisis, "-n", "3", "--seed", "5", "--out", tmp_path / "run")
        strict = run("match", pilot, crisis, "-n", "3", "--seed", "5", "--strict")
    assert (ran.code, strict.code) == (0, 1)
    scene = catalog.scenario(SCENARIO)
    pair = [catalog.agent(pilot, "pilot", scene), catalog.agent(crisis, "crisis", scene)]
    written = b"".join(contents(tmp_path / "run").values())
    said = ran.out + ran.err + strict.out + strict.err + caplog.text + repr(pair)
    assert b"***" in written
    for text in (written, said.encode(), pickle.dumps(pair)):
        assert CANARY.encode() not in text
