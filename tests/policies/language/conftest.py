"""Endpoints and cards for tests of language agents: nothing here leaves this machine."""

import pytest

from revops_ma.policies.language import breaker, clients
from revops_ma.policies.language import openai as openai_provider
from tests.policies.language.endpoint import serving, well

CANARY = "canary-9f8e7d6c5b4a"
"""The key of all tests: it must never turn up anywhere."""

CARD = """
kind = "language"
provider = "{provider}"
model = "{model}"
role = "{role}"
prompt = "{prompts}/{{world}}-{{role}}.md"
about = "A card of a test, quick to give up."
sees = "{sees}"
deadline = 1.0
retries = 2
{more}
"""
MODELS = {"gemini": "gemini-3.8-flash", "openai": "local-1"}


@pytest.fixture(autouse=True)
def _forget_what_other_tests_met():
    breaker.forget_failures()
    openai_provider.forget_forms()
    yield
    clients.forget_clients()


@pytest.fixture
def no_keys(monkeypatch):
    """An environment without keys and addresses."""
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    for name in ("GOOGLE_GEMINI_BASE_URL", "REVOPS_MA_GEMINI_MODEL", "REVOPS_MA_OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def open_endpoint(monkeypatch, no_keys):
    """Start an endpoint that answers in some way, and lead both providers to it."""
    with_exit = []

    def start(answer=well):
        context = serving(answer)
        server = context.__enter__()
        with_exit.append(context)
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        monkeypatch.setenv("GEMINI_API_KEY", CANARY)
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", CANARY)
        return server

    yield start
    for context in with_exit:
        context.__exit__(None, None, None)


@pytest.fixture
def make_card(tmp_path):
    """Write a card of a language agent and give its path."""
    from pathlib import Path

    prompts = Path(__file__).parents[3] / "agents" / "prompts"

    def make(role="pilot", provider="gemini", more="", name=None, sees="dashboard", model=None):
        path = tmp_path / "cards" / f"{name or f'{provider}-{role}'}.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            CARD.format(
                provider=provider,
                model=model or MODELS[provider],
                role=role,
                prompts=prompts,
                sees=sees,
                more=more,
            )
        )
        return str(path)

    return make


@pytest.fixture
def run(capsys):
    """Run a command line in this process: exit code, stdout, stderr."""
    from tests.cli.conftest import Ran

    def call(*arguments):
        from revops_ma.cli import main

        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return Ran(ended.value.code, said.out, said.err)

    return call
