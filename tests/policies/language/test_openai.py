"""The real openai client against an endpoint that speaks the chat API, well and badly."""

import pytest

from revops_ma import catalog
from revops_ma.arena.match import play_match
from revops_ma.errors import BadInput
from revops_ma.policies.language.protocol import Finish, Message, Request, Settings
from tests.policies.language import endpoint as canned

pytestmark = pytest.mark.llm

SCENE = catalog.scenario("revops/normal")
PILOT = SCENE.world.roles[0]
REQUEST = Request(
    (Message("system", "You run a company."), Message("user", "month 1")),
    PILOT.schema,
    Settings(0.7, 1_000),
)


@pytest.fixture
def ask(open_endpoint, make_card):
    def ask(*answers):
        left = list(answers)
        server = open_endpoint(lambda _: left.pop(0) if len(left) > 1 else left[0])
        provider = catalog.agent(make_card(provider="openai"), "pilot", SCENE).provider
        provider.check()
        return provider.complete([REQUEST])[0], server

    return ask


def form_of(asked):
    """How JSON was asked for."""
    form = asked.body.get("response_format", {"type": "plain"})
    return form["type"] + (" with schema" if "schema" in form else "")


def test_a_proper_answer_brings_text_model_and_tokens_by_class(ask):
    response, server = ask(canned.openai(canned.HIRE, model="local-1-q4"))
    assert (response.finish, response.text) == (Finish.STOP, canned.HIRE)
    assert response.model == "local-1-q4"
    assert response.usage == (700, 20, 100, 200)
    (asked,) = server.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.messages == [("system", "You run a company."), ("user", "month 1")]
    assert asked.body["response_format"]["json_schema"]["schema"] == PILOT.schema
    assert (asked.body["temperature"], asked.body["max_tokens"]) == (0.7, 1_000)


BAD = [
    ("cut off", canned.openai('{"act', "length"), Finish.TRUNCATED),
    ("filtered", canned.openai("", "content_filter"), Finish.BLOCKED),
    ("empty", canned.openai(""), Finish.EMPTY),
    ("null", canned.openai(None), Finish.EMPTY),
    ("no choice", canned.Canned({"choices": [], "model": "m"}), Finish.EMPTY),
    ("elsewhere", canned.redirect(), Finish.CLIENT_ERROR),
    ("a wrong key", canned.Canned({"error": {"message": "no"}}, 401), Finish.CLIENT_ERROR),
    ("HTML as 200", canned.html(), Finish.GARBLED),
    ("HTML as 502", canned.html(502), Finish.SERVER_ERROR),
    ("half a JSON", canned.Canned(b'{"choices": ['), Finish.GARBLED),
    ("a list", canned.Canned([1]), Finish.GARBLED),
    ("other types", canned.Canned({"choices": "none"}), Finish.GARBLED),
    ("slow down", canned.Canned({}, 429, headers={"Retry-After": "9"}), Finish.RATE_LIMITED),
    ("hang", canned.hang(), Finish.TIMEOUT),
    ("a byte now and then", canned.drip(), Finish.TIMEOUT),
]


@pytest.mark.parametrize(("answer", "finish"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_a_bad_answer_is_a_typed_response(ask, answer, finish):
    response, _ = ask(answer)
    assert response.finish is finish


@pytest.mark.parametrize("understood", range(4))
@pytest.mark.parametrize("status", [400, 422])
def test_the_best_form_that_is_understood_is_found_and_remembered(
    open_endpoint, make_card, understood, status
):
    forms = ("json_schema", "json_object with schema", "json_object", "plain")

    def picky(asked):
        known = forms.index(form_of(asked)) >= understood
        return canned.well(asked) if known else canned.Canned({"error": {}}, status)

    server = open_endpoint(picky)
    provider = catalog.agent(make_card(provider="openai"), "pilot", SCENE).provider
    for _ in range(3):
        assert provider.complete([REQUEST])[0].finish is Finish.STOP
    found = [form_of(asked) for asked in server.asked]
    assert found == [*forms[: understood + 1], forms[understood], forms[understood]]


def test_an_endpoint_that_fails_at_the_schema_is_asked_otherwise_after_a_second_try(
    open_endpoint, make_card
):
    def like_llama_cpp(asked):
        is_schema = form_of(asked) == "json_schema"
        return canned.server_error() if is_schema else canned.well(asked)

    server = open_endpoint(like_llama_cpp)
    provider = catalog.agent(make_card(provider="openai"), "pilot", SCENE).provider
    for _ in range(2):
        assert provider.complete([REQUEST])[0].finish is Finish.STOP
    found = [form_of(asked) for asked in server.asked]
    assert found == ["json_schema"] * 2 + ["json_object with schema"] * 2


def test_one_bad_moment_does_not_cost_the_schema(ask):
    response, server = ask(canned.server_error(), canned.openai(canned.HIRE))
    assert (response.finish, response.retries) == (Finish.STOP, 1)
    assert [form_of(asked) for asked in server.asked] == ["json_schema"] * 2


def test_an_endpoint_of_ones_own_needs_no_key(open_endpoint, make_card, monkeypatch):
    server = open_endpoint()
    monkeypatch.delenv("OPENAI_API_KEY")
    card = make_card(provider="openai", more=f'base_url = "{server.url}/v1/"')
    monkeypatch.delenv("OPENAI_BASE_URL")
    provider = catalog.agent(card, "pilot", SCENE).provider
    provider.check()
    assert provider.complete([REQUEST])[0].finish is Finish.STOP


def test_the_hosted_one_needs_a_key(no_keys, make_card, monkeypatch):
    provider = catalog.agent("openai-pilot", "pilot", SCENE).provider
    with pytest.raises(BadInput, match=r"no key for gpt-.*: set OPENAI_API_KEY; or set OPENAI_"):
        provider.check()
    monkeypatch.setenv("OPENAI_BASE_URL", "localhost:8000")
    with pytest.raises(BadInput, match="an http:// or https:// address"):
        provider.check()


def test_the_hosted_one_is_asked_in_its_own_words(no_keys, make_card):
    hosted = catalog.agent(make_card(provider="openai"), "pilot", SCENE).provider
    question = hosted._question(Request(REQUEST.messages, {}, Settings()), 0)
    assert "max_completion_tokens" in question
    assert "temperature" not in question


def test_the_shipped_cards_play_on_both_sides(open_endpoint, monkeypatch):
    server = open_endpoint()
    monkeypatch.setenv("REVOPS_MA_OPENAI_MODEL", "local-1")
    players = {"pilot": "openai-pilot", "crisis": "openai-crisis"}
    played = play_match(players, "revops/normal", 2, 5)
    assert played.result.completed == 2
    assert played.result.fallbacks == 0
    assert {asked.model for asked in server.asked} == {"local-1"}
