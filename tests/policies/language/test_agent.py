"""The agent: what it asks, how it reads, what it plays when nobody answers."""

import copy
import json
import pickle

import pytest

from revops_ma import catalog
from revops_ma.errors import BadInput, CardError, HiddenState
from revops_ma.policies.language import can_sit
from revops_ma.policies.language.agent import ProviderFailed
from revops_ma.policies.language.conduct import Conduct
from revops_ma.policies.language.protocol import Finish, Response
from revops_ma.table import Table, play
from revops_ma.testing import check_agent
from tests.policies.language.endpoint import HIRE, NEGOTIATE
from tests.policies.language.stand_in import StandIn, agent_of, proper

SCENE = catalog.scenario("revops/normal")


def view_of(role="pilot", games=1):
    table = Table(SCENE.world, SCENE.settings, range(games))
    while True:
        (view,) = table.waiting()
        if view.role.name == role:
            return view
        table.take(view, view.role.texts([NEGOTIATE] * games))


def said(text, finish=Finish.STOP, detail=""):
    return lambda _: Response(finish, text, detail=detail)


def counted(reply, at=0):
    """(caption, refused, notes, is a fallback, outcome, source) of a position."""
    refused = reply.refused.get(at)
    asked = reply.asked[at]
    return (
        refused and refused.reason,
        reply.notes.get(at, ()),
        at in reply.fallbacks,
        asked.outcome,
        asked.source,
    )


@pytest.mark.parametrize(
    ("answer", "caption", "expected"),
    [
        (said(HIRE), "hire_support 0.80", (None, (), False, "read", "model")),
        (
            said(f"```json\n{HIRE}\n```"),
            "hire_support 0.80",
            (None, ("fenced",), False, "read", "model"),
        ),
        (
            said(HIRE, Finish.TRUNCATED),
            "hire_support 0.80",
            (None, (), False, "read", "model"),
        ),
        (
            said('{"action_type":"hire_supp', Finish.TRUNCATED),
            "no decision",
            ("truncated", (), True, "truncated", "rule"),
        ),
        (
            said("", Finish.TRUNCATED),
            "no decision",
            ("truncated", (), True, "truncated", "rule"),
        ),
        (said("", Finish.BLOCKED), "no decision", ("blocked", (), True, "blocked", "rule")),
        (said("", Finish.EMPTY), "no decision", ("empty", (), True, "empty", "rule")),
        (said("  ", Finish.STOP), "no decision", ("empty", (), True, "empty", "rule")),
        *(
            (
                said("", finish),
                "no decision",
                (None, (finish.value,), True, finish.value, "rule"),
            )
            for finish in (
                *(Finish.TIMEOUT, Finish.RATE_LIMITED, Finish.SERVER_ERROR, Finish.GARBLED),
                *(Finish.CLIENT_ERROR, Finish.UNREACHABLE, Finish.CIRCUIT_OPEN),
            )
        ),
    ],
)
def test_every_end_of_a_call_is_one_typed_counted_outcome(answer, caption, expected):
    view = view_of()
    reply = agent_of("gemini-pilot", answer=answer).act(view)
    assert view.role.caption(reply.batch, 0) == caption
    assert counted(reply) == expected


def test_a_crisis_engine_whose_provider_fails_strikes_by_the_rule():
    view = view_of("crisis")
    agent = agent_of("gemini-crisis", "crisis", said("", Finish.TIMEOUT))
    reply = agent.act(view)
    assert view.role.caption(reply.batch, 0) == "rule-based 1.00"
    assert counted(reply) == (None, ("timeout",), True, "timeout", "rule")


def test_one_failure_leaves_the_other_games_alone():
    def every_third(request):
        fails = int(request.messages[-1].text.split("$")[1].split(",")[0]) % 3 == 0
        return Response(Finish.SERVER_ERROR) if fails else proper(request)

    view = view_of(games=30)
    failed = {
        at for at, text in enumerate(view.texts) if int(text.split("$")[1].split(",")[0]) % 3 == 0
    }
    reply = agent_of("gemini-pilot", answer=every_third).act(view)
    assert 0 < len(failed) < 30
    assert reply.fallbacks == failed
    assert not reply.refused


def repairing(request):
    """Answer well only when asked again."""
    is_again = len(request.messages) > 2
    return Response(Finish.STOP, NEGOTIATE if is_again else "I would negotiate.")


def test_a_refused_answer_is_asked_for_once_more_with_the_reason():
    asked = []

    def answer(request):
        asked.append(request)
        return repairing(request)

    view = view_of()
    reply = agent_of("gemini-pilot", answer=answer).act(view)
    assert view.role.caption(reply.batch, 0) == "negotiate_contracts 0.90"
    assert counted(reply) == (None, ("repaired",), False, "read", "model")
    assert len(reply.asked[0].calls) == len(asked) == 2
    first, second = asked
    assert second.messages[:2] == first.messages
    assert second.messages[2] == ("assistant", "I would negotiate.")
    assert "no_object" in second.messages[3].text


def test_it_is_asked_once_more_at_most():
    asked = []

    def never(request):
        asked.append(request)
        return Response(Finish.STOP, "no")

    reply = agent_of("gemini-pilot", answer=never).act(view_of())
    assert len(asked) == 2
    assert counted(reply) == ("no_object", ("repaired",), False, "no_object", "model")


def test_a_card_may_want_no_second_try(make_card):
    agent = agent_of(make_card(more="repair = false"), answer=repairing)
    assert counted(agent.act(view_of()))[0] == "no_object"


def test_a_second_try_that_fails_leaves_the_first_refusal():
    def breaks(request):
        return Response(Finish.TIMEOUT) if len(request.messages) > 2 else repairing(request)

    reply = agent_of("gemini-pilot", answer=breaks).act(view_of())
    assert counted(reply)[0] == "no_object"
    assert not reply.fallbacks


def test_a_kind_that_is_not_legal_now_is_refused():
    scenario = "finops/refund-storm"
    scene = catalog.scenario(scenario)
    table = Table(scene.world, scene.settings, [0])
    reads = ['{"tool": "list_invoices", "args": {}}']
    struck = '{"disturbance": "outage"}'  # no kind works twice in a row
    while (view := table.waiting()[0]).role.name == "pilot" or view.mask.all():
        table.take(view, view.role.texts(reads if view.role.name == "pilot" else [struck]))
    kind = view.role.kinds()[int((~view.mask[0]).argmax())]
    answer = said(f'{{"disturbance": "{kind}"}}')
    reply = agent_of("gemini-crisis", "crisis", answer, scenario).act(view)
    assert reply.refused[0].reason == "not_allowed"
    assert view.role.caption(reply.batch, 0) == "pass"


def test_a_strict_run_ends_with_the_first_fallback():
    agent = agent_of("gemini-pilot", answer=said("", Finish.TIMEOUT, "no answer within 1 s"))
    agent = agent.conducted(Conduct(strict=True))
    with pytest.raises(ProviderFailed, match=r"gave no answer \(timeout: no answer within 1 s\)"):
        agent.act(view_of())


def test_a_bug_in_a_provider_is_no_fallback():
    def breaks(_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        agent_of("gemini-pilot", answer=breaks).act(view_of())


def prompts(agent, view):
    """What the agent asks, by game."""
    asked = []

    def listen(request):
        asked.append(request)
        return proper(request)

    from dataclasses import replace

    replace(agent, provider=StandIn(listen)).act(view)
    return asked


def test_the_question_is_the_cards_prompt_and_the_text_of_the_role():
    view = view_of()
    (request,) = prompts(agent_of("gemini-pilot"), view)
    assert [message.role for message in request.messages] == ["system", "user"]
    assert request.messages[0].text.startswith("You run a B2B SaaS company")
    assert request.messages[1].text == view.texts[0]
    assert request.schema == view.role.schema


def test_a_pilot_sees_the_dashboard_and_a_crisis_engine_everything():
    pilot, crisis = view_of(), view_of("crisis")
    (request,) = prompts(agent_of("gemini-pilot"), pilot)
    assert "Hidden figures" not in request.messages[1].text
    with pytest.raises(HiddenState):
        pilot.secrets()
    (request,) = prompts(agent_of("gemini-crisis", "crisis"), crisis)
    told = request.messages[1].text
    assert "Severity bank" in told
    assert told.split("Hidden figures:\n")[1].startswith("ARPA: $")


def test_hidden_figures_of_a_world_without_a_text_are_its_info():
    scene = catalog.scenario("finops/task1")
    (view,) = Table(scene.world, scene.settings, [0]).waiting()
    assert "max_steps" in view.secret_texts[0]


@pytest.mark.parametrize("scenario", ["revops/normal", "finops/refund"])
def test_past_turns_are_shown_again_as_a_conversation(make_card, scenario):
    scene = catalog.scenario(scenario)
    agent = agent_of(make_card(more="memory = 2"), scenario=scenario)
    move = NEGOTIATE if scene.world.name == "revops" else '{"tool": "list_invoices", "args": {}}'
    table = Table(scene.world, scene.settings, [3, 4])
    told = []
    none = catalog.agent("none", "crisis", scene)
    for turn in range(5):
        view = next(v for v in table.waiting() if v.role.name == "pilot")
        one, other, *_ = prompts(agent, view)
        for request, shown in ((one, 0), (other, 1)):
            messages = request.messages[1:]
            assert len(messages) == 2 * min(turn, 2) + 1
            assert [m.text for m in messages[::2]] == [
                *(texts[shown] for texts in told[-2:]),
                view.texts[shown],
            ]
            for message in messages[1::2]:
                assert message.role == "assistant"
                assert json.loads(message.text) == json.loads(move)
        told.append(view.texts)
        table.take(view, view.role.texts([move] * 2))
        for crisis in [v for v in table.waiting() if v.role.name == "crisis"]:
            table.take(crisis, none.act(crisis))


def test_memory_survives_copies_and_pickles_in_the_middle_of_a_game(make_card):
    agent = agent_of(make_card(more="memory = 3"))
    table = Table(SCENE.world, SCENE.settings, [3, 4, 5])
    none = catalog.agent("none", "crisis", SCENE)
    for _ in range(9):
        for view in table.waiting():
            player = agent if view.role.name == "pilot" else none
            table.take(view, player.act(view))
    twins = [copy.deepcopy(table), pickle.loads(pickle.dumps(table))]
    asked = [prompts(agent, each.waiting()[0]) for each in (table, *twins)]
    assert len(asked[0][0].messages) == 8
    assert asked[0] == asked[1] == asked[2]
    ends = [play(each, {"pilot": agent, "crisis": none}).games for each in (table, *twins)]
    assert ends[0].tobytes() == ends[1].tobytes() == ends[2].tobytes()


def test_memory_needs_a_game_whose_log_is_there(make_card):
    agent = agent_of(make_card(more="memory = 2"))
    table = Table(SCENE.world, SCENE.settings, [3])
    (view,) = table.waiting()
    table.take(view, agent.act(view))
    table.forget()
    with pytest.raises(BadInput, match="memory = 0"):
        agent.act(table.waiting()[0])
    table.deal_again(table.rows, [9])
    agent.act(table.waiting()[0])


@pytest.mark.parametrize("role", ["pilot", "crisis"])
@pytest.mark.parametrize("more", ["", "memory = 0\nrepair = false"])
def test_the_agent_keeps_its_contract(make_card, role, more):
    check_agent(agent_of(make_card(role, more=more), role), role, "revops/normal", range(4))


def test_the_identity_tells_card_prompt_and_model(make_card, monkeypatch, tmp_path):
    monkeypatch.delenv("REVOPS_MA_GEMINI_MODEL", raising=False)
    path = make_card()
    first = catalog.agent(path, "pilot", SCENE)
    assert first.identity.startswith("gemini-pilot@")
    assert first.provider.identity == "gemini:gemini-3.8-flash"
    limited = catalog.agent(make_card(name="gemini-pilot", more="max_calls = 9"), "pilot", SCENE)
    assert limited.identity == first.identity
    warmer = catalog.agent(make_card(more="temperature = 0.5"), "pilot", SCENE)
    monkeypatch.setenv("REVOPS_MA_GEMINI_MODEL", "gemini-3.5-flash-lite")
    other = catalog.agent(make_card(), "pilot", SCENE)
    assert other.provider.identity == "gemini:gemini-3.5-flash-lite"
    (tmp_path / "cards" / "p.md").write_text("Play well.")
    text = (tmp_path / "cards" / "gemini-pilot.toml").read_text()
    (tmp_path / "cards" / "gemini-pilot.toml").write_text(
        "\n".join('prompt = "p.md"' if "prompt =" in line else line for line in text.splitlines())
    )
    prompted = catalog.agent(path, "pilot", SCENE)
    assert prompted.system == "Play well."
    assert len({agent.identity for agent in (first, warmer, other, prompted)}) == 4


def test_a_card_sits_where_it_has_a_prompt(make_card):
    card = next(card for card in catalog.agents() if card.name == "gemini-pilot")
    worlds = [catalog.world(name) for name in catalog.worlds()]
    assert [can_sit(card, "pilot", world) for world in worlds] == [True, True]
    assert [can_sit(card, "crisis", world) for world in worlds] == [False, False]
    lost = card.model_copy(update={"prompt": "prompts/nothing.md"})
    assert not can_sit(lost, "pilot", SCENE.world)
    with pytest.raises(CardError, match=r"no readable prompt .*nothing\.md"):
        catalog._kind(lost).make(lost, "pilot", SCENE.world)


@pytest.mark.parametrize("provider", ["gemini", "openai"])
def test_options_that_a_provider_does_not_have_are_refused(make_card, provider):
    path = make_card(provider=provider, more="[options]\nseed = 1")
    with pytest.raises(CardError, match=r"\[options\]: .* has none, got seed"):
        catalog.agent(path, "pilot", SCENE)
