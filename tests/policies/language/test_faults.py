"""Whole matches against an endpoint that fails: they finish, and every count is right."""

import random
import threading

import pytest

from revops_ma.arena.calling import CallWishes
from revops_ma.arena.match import play_match
from revops_ma.errors import RunFailed
from revops_ma.policies.language import remote
from tests.policies.language import endpoint as canned

pytestmark = pytest.mark.llm

FAULTS = {
    "fenced": lambda: canned.gemini(f"```json\n{SPEND}\n```"),
    "truncated": lambda: canned.gemini('{"action_type": "nego', "MAX_TOKENS"),
    "blocked": canned.blocked_prompt,
    "empty": lambda: canned.gemini(""),
    "rate_limited": lambda: canned.rate_limited("0.01s"),
    "server_error": canned.server_error,
    "garbled": canned.html,
    "client_error": lambda: canned.Canned({"error": {"code": 404, "message": "?"}}, 404),
}
SPEND = '{"action_type": "hire_support", "magnitude": 1.0}'
"""Uses up the cash in some months: short games."""
SHARE = 0.3
HANG_SHARE = 0.002


class Faulty:
    """Answers 30 % of all requests badly; counts what it sent."""

    def __init__(self):
        self.luck = random.Random(7)
        self.sent = dict.fromkeys((*FAULTS, "well", "hang"), 0)
        self.lock = threading.Lock()

    def __call__(self, asked):
        drawn = self.luck.random()
        kind = self.luck.choice(list(FAULTS)) if drawn < SHARE else "well"
        if drawn > 1 - HANG_SHARE:
            kind = "hang"
        with self.lock:
            self.sent[kind] += 1
        if kind == "hang":
            return canned.hang()
        return FAULTS[kind]() if kind in FAULTS else canned.gemini(SPEND)


@pytest.mark.parametrize("episodes", [100, pytest.param(1_000, marks=pytest.mark.slow)])
def test_a_match_with_30_percent_faults_finishes_with_the_right_counts(
    open_endpoint, make_card, episodes, monkeypatch
):
    monkeypatch.setattr(remote, "FIRST_WAIT", 0.02)
    faulty = Faulty()
    server = open_endpoint(faulty)
    card = make_card(more="repair = false\nconcurrency = 16")
    played = play_match({"pilot": card, "crisis": "none"}, "revops/hard", episodes, 0)
    result, tally = played.result, played.result.calls["pilot"]
    assert result.completed == episodes
    assert tally.turns == tally.calls == sum(episode.steps for episode in played.episodes)
    # Every request is a call or a retry of one; calls that the breaker turned away made none.
    turned_away = tally.finish.pop("circuit_open", 0)
    assert len(server.asked) == tally.calls - turned_away + tally.retries
    finish, sent = tally.finish, faulty.sent
    assert finish["stop"] == sent["well"] + sent["fenced"]
    for kind in ("truncated", "blocked", "empty", "client_error"):
        assert finish[kind] == sent[kind]
    assert finish["timeout"] == sent["hang"]
    retried = sum(finish[kind] for kind in ("rate_limited", "server_error", "garbled"))
    assert (
        tally.retries
        == sum(sent[kind] for kind in ("rate_limited", "server_error", "garbled")) - retried
    )
    own = sum(sent[kind] for kind in ("truncated", "blocked", "empty"))
    assert result.refused == own
    assert result.fallbacks == tally.fallbacks == tally.turns - finish["stop"]
    assert tally.outcomes["read"] == finish["stop"]
    document = played.to_json()
    assert document["fallbacks"] == result.fallbacks
    assert document["fallback_rate"] == pytest.approx(result.fallbacks / tally.turns)
    assert document["calls"]["pilot"]["models"] == {
        "gemini-3.8-flash-001": finish["stop"] + own,
        "gemini-3.8-flash": tally.calls - finish["stop"] - own,
    }


def test_a_dead_endpoint_stalls_nobody(open_endpoint, make_card):
    open_endpoint(lambda _: canned.server_error())
    players = {"pilot": make_card(), "crisis": make_card("crisis")}
    played = play_match(players, "revops/normal", 5, 0)
    assert played.result.completed == 5
    assert played.result.fallback_rate == 1.0
    assert played.seconds < 20
    rule = play_match({"pilot": "do-nothing", "crisis": "rule-based"}, "revops/normal", 5, 0)
    assert played.result.returns.tolist() == rule.result.returns.tolist()


def test_a_strict_match_ends_with_the_first_failure(open_endpoint, make_card):
    open_endpoint(lambda _: canned.server_error())
    with pytest.raises(RunFailed, match=r"server_error: HTTP 500.*--strict allows no fallback"):
        play_match(
            {"pilot": make_card(), "crisis": "none"},
            "revops/normal",
            5,
            0,
            wishes=CallWishes(strict=True),
        )
