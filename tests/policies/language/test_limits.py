"""What calls cost, and the limits at which a run stops and can go on."""

import json

import pytest

from revops_ma.arena.calling import CallWishes
from revops_ma.arena.costs import costs_in_words, costs_to_json
from revops_ma.arena.match import play_match
from revops_ma.calls import Asked, Call, ModelTally, Tally
from revops_ma.errors import BadInput
from revops_ma.policies.language import agent as agents
from revops_ma.policies.language import prices
from revops_ma.policies.language.spending import LimitReached, Limits
from revops_ma.run import CALLS, JOURNAL, Run
from tests.policies.language.stand_in import StandIn

SCENARIO = "revops/normal"


@pytest.fixture
def asked(monkeypatch):
    """Questions that a stand-in for every provider has been asked."""
    from tests.policies.language.stand_in import proper

    questions = []

    def listen(request):
        questions.append(request)
        return proper(request)

    monkeypatch.setattr(agents, "provider_of", lambda _: StandIn(listen))
    return questions


def match(card, out=None, episodes=12, **limits):
    wishes = CallWishes(limits=Limits(**limits))
    players = {"pilot": card, "crisis": "rule-based"}
    return play_match(players, SCENARIO, episodes, 5, out, wishes=wishes)


@pytest.mark.parametrize(
    ("limits", "flag"),
    [({"calls": 60}, "--max-calls 60"), ({"tokens": 5_000}, "--max-tokens 5000")],
)
def test_a_limit_stops_a_run_that_goes_on_with_a_higher_one(
    asked, make_card, tmp_path, limits, flag
):
    out = tmp_path / "run"
    with pytest.raises(LimitReached, match=f"{flag} is reached: .* higher limit goes on") as caught:
        match(make_card(), out, **limits)
    assert "\n" not in str(caught.value)
    stopped = len(asked)
    # 115 tokens a call; with a limit at most `concurrency` calls are on their way.
    assert stopped == 60 if "calls" in limits else 44 <= stopped <= 44 + 8
    with pytest.raises(LimitReached):
        match(make_card(), out, **limits)
    assert len(asked) == stopped
    higher = match(make_card(), out, **dict.fromkeys(limits, 10**6))
    assert higher.result.completed == 12
    assert len(asked) == higher.result.calls["pilot"].calls
    assert not (out / JOURNAL).exists()
    assert Run(out).is_complete


def test_a_limit_that_is_just_enough_stops_nothing(asked, make_card, tmp_path):
    needed = match(make_card(), tmp_path / "a").result.calls["pilot"].calls
    played = match(make_card(), tmp_path / "b", calls=needed)
    assert played.result.calls["pilot"].calls == needed
    with pytest.raises(LimitReached):
        match(make_card(), calls=needed - 1)


def test_a_card_may_limit_what_it_costs_and_a_run_may_say_otherwise(asked, make_card):
    card = make_card(more="max_calls = 20")
    with pytest.raises(LimitReached, match="--max-calls 20"):
        match(card)
    with pytest.raises(LimitReached, match="--max-calls 30"):
        play_match(
            {"pilot": card, "crisis": "none"},
            SCENARIO,
            9,
            5,
            wishes=CallWishes(limits=Limits(calls=30)),
        )


def test_what_is_played_again_costs_nothing(asked, make_card, tmp_path):
    match(make_card(), tmp_path / "run")
    played = play_match(
        {"pilot": make_card(), "crisis": "rule-based"},
        SCENARIO,
        12,
        5,
        wishes=CallWishes(str(tmp_path / "run"), limits=Limits(calls=0)),
    )
    assert played.result.completed == 12


def test_dollars_are_limited_where_the_price_is_known(asked, make_card, tmp_path, monkeypatch):
    with pytest.raises(BadInput, match="the price of stand-in is unknown; use --max-tokens"):
        match(make_card(), dollars=1.0)
    own = tmp_path / "prices.toml"
    own.write_text(
        "read = 2026-01-01\n"
        '[[price]]\nmodel = "stand-in"\ninput = 1000\noutput = 10000\n'
        '[[price]]\nmodel = "stand-in-2"\ninput = 1000\noutput = 10000\n'
    )
    monkeypatch.setenv(prices.FILE_VARIABLE, str(own))
    # A call costs 100 * 1000 + 15 * 10000 dollars per million tokens: 25 cents.
    with pytest.raises(LimitReached, match=r"--max-dollars 10 is reached: \$1[01]\.\d\d00 so far"):
        match(make_card(), dollars=10.0)
    assert 40 <= len(asked) <= 48


def call(model="gemini-3.8-flash", finish="stop", tokens=(700, 20, 100, 200), ms=100, retries=0):
    return Call(model, finish, tokens, ms, retries)


def test_costs_come_from_the_dated_file():
    tally = Tally()
    for _ in range(1000):
        tally.add(Asked((call(),), "model", "read"))
    price = prices.price_list().of("gemini-3.8-flash", prices.date(2026, 11, 30))
    took = tally.models["gemini-3.8-flash"]
    assert price.dollars(took) == pytest.approx((700_000 * 0.75 + 120_000 * 3.75) / 1e6)
    later = prices.price_list().of("gemini-3.8-flash", prices.date(2027, 1, 1))
    assert later.input == 1.5
    cheap = prices.Price(model="m", input=1.0, output=0.0, cached=0.1)
    assert cheap.dollars(took) == pytest.approx((500_000 + 20_000) / 1e6)


def test_a_served_version_costs_what_its_model_costs_and_an_unknown_model_an_unknown_amount():
    day = prices.date(2026, 11, 30)
    known = prices.price_list()
    for name in (
        *("gemini-3.8-flash", "models/gemini-3.8-flash", "gemini-3.8-flash-001"),
        *("gemini-3.8-flash-preview-11-2026", "gemini-3.8-flash-latest"),
    ):
        assert known.of(name, day).input == 0.75
    assert known.of("gemini-3.5-flash-lite-001", day).input == 0.3
    for name in ("gemini-3.8-flash-lite", "gemini-3.8", "smollm2", ""):
        assert known.of(name, day) is None
    assert prices.dollars_of({"smollm2": ModelTally(1, [9, 0, 0, 0])}) is None
    assert prices.dollars_of({"smollm2": ModelTally(3)}) == 0.0  # nobody answered
    assert prices.dollars_of({"gemini-3.8-flash": ModelTally(3, [9, 9, 0, 0], 1)}) is None


def test_a_price_file_that_cannot_be_read_is_wrong_input(tmp_path, monkeypatch):
    for text in ("read = 1", "x", 'read = 2026-01-01\n[[price]]\nmodel = "m"\ninput = -1'):
        path = tmp_path / f"{len(text)}.toml"
        path.write_text(text)
        monkeypatch.setenv(prices.FILE_VARIABLE, str(path))
        with pytest.raises(BadInput, match="not a readable price file"):
            prices.price_list()


def test_a_tally_adds_up_and_comes_back_from_json():
    one, other = Tally(), Tally()
    one.add(Asked((call(ms=50), call(finish="timeout", tokens=(None,) * 4)), "rule", "timeout"))
    other.add(Asked((call("m2", retries=2, tokens=(None,) * 4),), "model", "read"))
    both = Tally.from_json(json.loads(json.dumps(one.to_json())))
    both.merge(other)
    assert (both.turns, both.calls, both.fallbacks, both.retries) == (2, 3, 1, 2)
    assert both.tokens == 820
    assert both.finish == {"stop": 2, "timeout": 1}
    assert both.outcomes == {"timeout": 1, "read": 1}
    assert both.models["m2"].untold == 1
    assert Tally.from_json(both.to_json()) == both
    told = costs_to_json(both, 2)
    assert told["seconds"] == {"p50": 0.1, "p95": 0.1}
    assert told["dollars"] is None
    assert told["fallback_rate"] == 0.5
    assert told["per_episode"]["calls"] == 1.5
    assert costs_in_words(both) == "3, 820 tokens, cost unknown, p50 0.10 s, p95 0.10 s"


@pytest.mark.llm
def test_the_command_line_tells_calls_and_costs(open_endpoint, make_card, run, tmp_path):
    open_endpoint()
    ran = run("match", make_card(), make_card("crisis"), "-n", "2", "--seed", "5", "--json")
    assert ran.code == 0
    calls = ran.document["calls"]
    assert set(calls) == {"pilot", "crisis"}
    assert calls["pilot"]["tokens"]["thoughts"] == 100 * calls["pilot"]["calls"]
    cost = calls["pilot"]["calls"] * (700 * 0.75 + 120 * 3.75) / 1e6
    assert calls["pilot"]["dollars"] == pytest.approx(cost)
    assert calls["pilot"]["models"] == {"gemini-3.8-flash-001": calls["pilot"]["calls"]}
    assert ran.document["fallback_rate"] == 0.0
    shown = run("match", make_card(), "none", "-n", "2", "--seed", "5").out
    assert "model calls, pilot" in shown
    assert "fallback rate, pilot" in shown
    assert "0.0%" in shown
    assert max(map(len, shown.splitlines())) <= 80
    limited = run(
        "match", make_card(), "none", "-n", "9", "--max-calls", "3", "--out", tmp_path / "x"
    )
    assert (limited.code, limited.out) == (1, "")
    assert limited.err.count("\n") == 1
    assert "the same command with a higher limit goes on" in limited.err
    again = run("match", make_card(), "none", "-n", "9", "--out", tmp_path / "x", "--json")
    assert again.code == 0
    assert again.document["completed"] == 9
    assert (tmp_path / "x" / CALLS).is_file()


@pytest.mark.llm
def test_without_a_key_a_match_is_wrong_input_and_nothing_is_written(no_keys, run, tmp_path):
    ran = run("match", "gemini-pilot", "gemini-crisis", "-n", "2", "--out", tmp_path / "run")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count("\n") == 1
    assert "set GOOGLE_API_KEY or GEMINI_API_KEY" in ran.err
    assert not (tmp_path / "run").exists()


@pytest.mark.llm
def test_with_a_key_the_shipped_cards_play_as_they_are(open_endpoint, run):
    server = open_endpoint()
    ran = run(
        *("match", "gemini-pilot", "gemini-crisis", "--scenario", "revops/normal"),
        *("--episodes", "2", "--seed", "5", "--json"),
    )
    assert ran.code == 0
    assert ran.document["completed"] == 2
    assert {asked.model for asked in server.asked} == {"gemini-3.8-flash"}
