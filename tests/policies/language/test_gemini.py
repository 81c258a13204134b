"""The real google-genai client against an endpoint that answers well and badly."""

import copy
import json
import logging
import pickle
import time

import pytest

from revops_ma import catalog
from revops_ma.errors import BadInput
from revops_ma.policies.language import gemini
from revops_ma.policies.language.protocol import Finish, Message, Request, Settings
from revops_ma.policies.language.remote import GRACE
from tests.policies.language import endpoint as canned
from tests.policies.language.conftest import CANARY

pytestmark = pytest.mark.llm

SCENE = catalog.scenario("revops/normal")
PILOT = SCENE.world.roles[0]
DEADLINE = 1.0
MESSAGES = (
    Message("system", "You run a company."),
    Message("user", "month 1"),
    Message("assistant", canned.HIRE),
    Message("user", "month 2"),
)
REQUEST = Request(MESSAGES, PILOT.schema, Settings(0.7, 1_000, "high"))


@pytest.fixture
def ask(open_endpoint, make_card):
    """Ask a Gemini whose endpoint answers in turn with these."""

    def ask(*answers, request=REQUEST):
        left = list(answers)
        server = open_endpoint(lambda _: left.pop(0) if len(left) > 1 else left[0])
        provider = catalog.agent(make_card(), "pilot", SCENE).provider
        provider.check()
        began = time.monotonic()
        (response,) = provider.complete([request])
        assert time.monotonic() - began < DEADLINE + GRACE + 0.5
        return response, server

    return ask


def test_a_proper_answer_brings_text_served_model_and_tokens_by_class(ask):
    response, server = ask(canned.gemini(canned.HIRE, thought="Support is weak."))
    assert response.finish is Finish.STOP
    assert response.text == canned.HIRE
    assert response.model == "gemini-3.8-flash-001"
    assert response.usage == (700, 20, 100, 200)
    assert response.retries == 0
    assert response.seconds > 0
    (asked,) = server.asked
    assert asked.path.endswith("/models/gemini-3.8-flash:generateContent")
    assert asked.messages == [
        *(("system", "You run a company."), ("user", "month 1")),
        *(("model", canned.HIRE), ("user", "month 2")),
    ]
    config = asked.body["generationConfig"]
    assert config["responseMimeType"] == "application/json"
    assert config["responseJsonSchema"] == PILOT.schema
    assert (config["temperature"], config["maxOutputTokens"]) == (0.7, 1_000)
    assert config["thinkingConfig"]["thinking_level"] == "HIGH"


BAD = [
    ("fenced", canned.gemini(f"```json\n{canned.HIRE}\n```"), Finish.STOP, 0),
    ("truncated", canned.gemini('{"action_type":"hire_', "MAX_TOKENS"), Finish.TRUNCATED, 0),
    ("truncated in thought", canned.gemini(None, "MAX_TOKENS"), Finish.TRUNCATED, 0),
    ("empty", canned.gemini(""), Finish.EMPTY, 0),
    ("empty content", canned.gemini(None), Finish.EMPTY, 0),
    ("no candidates", canned.Canned({"modelVersion": "m"}), Finish.EMPTY, 0),
    ("blocked prompt", canned.blocked_prompt(), Finish.BLOCKED, 0),
    ("blocked answer", canned.gemini(None, "SAFETY"), Finish.BLOCKED, 0),
    ("recitation", canned.gemini("x", "RECITATION"), Finish.BLOCKED, 0),
    ("a reason of tomorrow", canned.gemini("x", "COSMIC_RAYS"), Finish.BLOCKED, 0),
    ("not found", canned.Canned({"error": {"code": 404}}, 404), Finish.CLIENT_ERROR, 0),
    ("elsewhere", canned.redirect(), Finish.CLIENT_ERROR, 0),
    ("a wrong key", canned.Canned({"error": {"code": 400}}, 400), Finish.CLIENT_ERROR, 0),
    ("500 for ever", canned.server_error(), Finish.SERVER_ERROR, None),
    ("HTML as 503", canned.html(503), Finish.SERVER_ERROR, None),
    ("HTML as 200", canned.html(), Finish.GARBLED, None),
    ("a list", canned.Canned([1, 2]), Finish.GARBLED, None),
    ("a number", canned.Canned(7), Finish.GARBLED, None),
    ("other types", canned.Canned({"candidates": "none"}), Finish.GARBLED, None),
    ("nothing at all", canned.Canned(b""), None, None),
    ("a wait beyond the deadline", canned.rate_limited("30s"), Finish.RATE_LIMITED, 0),
    ("hang", canned.hang(), Finish.TIMEOUT, None),
    ("a byte now and then", canned.drip(), Finish.TIMEOUT, None),
]


@pytest.mark.filterwarnings("ignore:COSMIC_RAYS is not a valid FinishReason")
@pytest.mark.parametrize(("answer", "finish", "retries"), [b[1:] for b in BAD], ids=lambda b: "")
def test_a_bad_answer_is_a_typed_response_within_the_deadline(ask, answer, finish, retries):
    response, _ = ask(answer)
    assert response.finish is finish or finish is None
    assert response.finish is not Finish.STOP or response.text
    if retries is not None:
        assert response.retries == retries


def test_what_passes_by_itself_is_tried_again_and_the_servers_delay_is_kept(ask):
    response, server = ask(
        canned.rate_limited("0.2s"), canned.server_error(), canned.gemini(canned.HIRE)
    )
    assert (response.finish, response.retries) == (Finish.STOP, 2)
    assert 0.2 < response.seconds < DEADLINE + GRACE
    assert len(server.asked) == 3


def test_a_retry_after_header_is_kept_too(ask):
    slow = canned.Canned({"error": {"code": 429}}, 429, headers={"Retry-After": "30"})
    response, server = ask(slow)
    assert (response.finish, len(server.asked)) == (Finish.RATE_LIMITED, 1)
    assert response.seconds < 0.5


def test_nobody_there_is_unreachable(no_keys, monkeypatch, make_card):
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("GEMINI_API_KEY", CANARY)
    (response,) = catalog.agent(make_card(), "pilot", SCENE).provider.complete([REQUEST])
    assert response.finish is Finish.UNREACHABLE


def test_a_table_is_one_batch_of_concurrent_calls(open_endpoint, make_card):
    def slowly(asked):
        time.sleep(0)
        return canned.well(asked)

    server = open_endpoint(slowly)
    provider = catalog.agent(make_card(more="concurrency = 4"), "pilot", SCENE).provider
    requests = [
        Request((Message("user", f"game {n}"),), PILOT.schema, Settings()) for n in range(40)
    ]
    responses = provider.complete(requests)
    assert [response.finish for response in responses] == [Finish.STOP] * 40
    assert sorted(asked.text for asked in server.asked) == sorted(f"game {n}" for n in range(40))


@pytest.mark.parametrize(
    ("both", "used"), [(False, "from-gemini"), (True, "from-google")], ids=["one", "both"]
)
def test_google_api_key_wins_over_gemini_api_key(open_endpoint, make_card, monkeypatch, both, used):
    server = open_endpoint()
    monkeypatch.setenv("GEMINI_API_KEY", "from-gemini")
    if both:
        monkeypatch.setenv("GOOGLE_API_KEY", "from-google")
    catalog.agent(make_card(), "pilot", SCENE).provider.complete([REQUEST])
    assert {k.lower(): v for k, v in server.asked[0].headers.items()}["x-goog-api-key"] == used


def test_without_a_key_the_card_says_what_to_set(no_keys, make_card):
    provider = catalog.agent("gemini-pilot", "pilot", SCENE).provider
    with pytest.raises(BadInput, match=r"no key for gemini-3\.8-flash: set GOOGLE_API_KEY or GEM"):
        provider.check()
    own = catalog.agent(make_card(more='key_variable = "MY_KEY"'), "pilot", SCENE).provider
    with pytest.raises(BadInput, match="set MY_KEY,"):
        own.check()


def test_a_key_that_no_header_can_carry_is_refused_without_being_shown(no_keys, monkeypatch):
    monkeypatch.setenv("GEMINI_API_KEY", f"{CANARY}\u2019")
    with pytest.raises(BadInput, match="GEMINI_API_KEY holds characters") as caught:
        catalog.agent("gemini-pilot", "pilot", SCENE).provider.check()
    assert CANARY not in str(caught.value)


def echo(asked):
    headers = json.dumps(asked.headers)
    error = {"code": 403, "message": f"Key {headers} refused", "status": "PERMISSION_DENIED"}
    return canned.Canned({"error": error}, 403)


def test_a_key_that_the_server_echoes_is_scrubbed(open_endpoint, make_card, caplog):
    open_endpoint(echo)
    agent = catalog.agent(make_card(), "pilot", SCENE)
    with caplog.at_level(logging.DEBUG):
        (response,) = agent.provider.complete([REQUEST])
    assert response.finish is Finish.CLIENT_ERROR
    assert "***" in response.detail
    for text in (repr(response), repr(agent), str(pickle.dumps(agent)), caplog.text):
        assert CANARY not in text
    assert copy.deepcopy(agent) == agent


def test_a_schema_is_told_in_the_words_of_the_api():
    schema = {
        "anyOf": [{"properties": {"tool": {"const": "get"}, "args": {"maxLength": 9}}}],
        "additionalProperties": False,
        "$comment": "no",
    }
    assert gemini.known_schema(schema) == {
        "anyOf": [{"properties": {"tool": {"type": "string", "enum": ["get"]}, "args": {}}}],
        "additionalProperties": False,
    }
