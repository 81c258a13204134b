"""What is shipped around the server: the list of variables, the image, the Space."""

import ast
import importlib
import re
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest
import yaml

from revops_ma import catalog
from revops_ma.server.settings import PREFIX, SPACE_VARIABLE, Settings

pytestmark = pytest.mark.serve

ROOT = Path(__file__).parents[2]
INFERENCE = ROOT / "scripts" / "inference.py"
NOT_OURS = {"HF_TOKEN", "RAY_ADDRESS"}
"""Read by libraries; of RAY_ADDRESS we look whether it is set."""


def sources():
    yield from sorted((ROOT / "revops_ma").rglob("*.py"))
    yield INFERENCE


def module_of(path):
    if path != INFERENCE:
        parts = path.relative_to(ROOT).with_suffix("").parts
        return importlib.import_module(".".join(parts).removesuffix(".__init__"))
    loader = SourceFileLoader("inference_script", str(path))
    made = module_from_spec(spec_from_loader("inference_script", loader))
    sys.modules["inference_script"] = made
    loader.exec_module(made)
    return made


def keys_read(path):
    """The expressions of the variables that a file reads, as source text."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            holder, key = node.value, node.slice
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            if node.func.attr not in ("get", "getenv"):
                continue
            holder, key = node.func.value, node.args[0]
        else:
            continue
        if ast.unparse(holder) in ("os.environ", "environ", "environment", "os"):
            yield key


def spelled(path, key):
    """The names that an expression may stand for; an AttributeError for one that nobody listed."""
    if isinstance(key, ast.Constant):
        return {key.value}
    text = ast.unparse(key)
    if (path.name, text) in COMPUTED:
        return set(COMPUTED[path.name, text]())
    return {getattr(module_of(path), text)}


def fields_of_settings():
    return (f"{PREFIX}{name.upper()}" for name in Settings.__dataclass_fields__)


def model_variables():
    from revops_ma.policies.language.providers import model_variable

    cards = [card for card in catalog.agents() if card.kind == "language"]
    return {model_variable(card.provider) for card in cards}


def addresses():
    from revops_ma.policies.language import gemini, openai

    return {gemini.BASE_VARIABLE, openai.BASE_VARIABLE}


def provider_keys():
    from revops_ma.policies.language import gemini, openai

    return {*gemini.KEY_VARIABLES, openai.KEY_VARIABLE}


COMPUTED = {
    ("settings.py", "f'{PREFIX}{known.name.upper()}'"): fields_of_settings,
    ("providers.py", "model_variable(card.provider)"): model_variables,
    ("keys.py", "name"): provider_keys,
    ("doctor.py", "name"): provider_keys,
    ("doctor.py", "BASE_VARIABLE"): addresses,
    ("inference.py", "name"): lambda: {
        "API_BASE_URL",
        "MODEL_NAME",
        *module_of(INFERENCE).KEY_VARIABLES,
    },
}
"""Variables whose names are worked out, by file and expression."""


def example():
    lines = (ROOT / ".env.example").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def test_the_example_lists_every_variable_that_is_read_and_no_other():
    found = {name for path in sources() for key in keys_read(path) for name in spelled(path, key)}
    # Set for a library while it writes, and put back: nobody is meant to set it.
    found.discard("MINARI_DATASETS_PATH")
    assert {SPACE_VARIABLE, "REVOPS_MA_PATH", "GEMINI_API_KEY"} <= found
    assert set(example()) == found | NOT_OURS


def test_the_example_as_it_stands_changes_nothing():
    assert Settings.read({}, example()) == Settings()


def test_the_example_holds_no_secret():
    secrets = [name for name in example() if re.search("KEY|TOKEN", name)]
    assert len(secrets) > 4
    assert not any(example()[name] for name in secrets)


def hadolint(path):
    program = Path(sys.executable).parent / "hadolint"
    told = subprocess.run([program, path], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout


def test_the_image_is_linted_runs_as_a_user_and_checks_its_health():
    hadolint(ROOT / "Dockerfile")
    told = (ROOT / "Dockerfile").read_text()
    assert "USER 1000" in told
    assert "EXPOSE 8000" in told
    assert "HEALTHCHECK" in told
    assert "INSECURE=1\n" not in told


@pytest.mark.parametrize("flags", [[], ["--private"]])
def test_a_space_is_laid_out_with_its_front_matter(tmp_path, flags):
    space = tmp_path / "space"
    subprocess.run([ROOT / "scripts" / "build_space", *flags, space], check=True, timeout=60)
    _, front, rest = (space / "README.md").read_text().split("---\n", 2)
    told = yaml.safe_load(front)
    assert (told["sdk"], told["app_port"], told["base_path"]) == ("docker", 8000, "/judge")
    assert len(told["short_description"]) <= 60
    assert "openenv" in told["tags"]
    assert rest.lstrip().startswith("# revops_ma")
    hadolint(space / "Dockerfile")
    is_open = "REVOPS_MA_INSECURE=1" in (space / "Dockerfile").read_text().split("build_space")[1]
    assert is_open is not bool(flags)
    for needed in ("openenv.yaml", "server/app.py", "scenarios/finops/openenv.yaml", "agents"):
        assert (space / needed).exists(), needed
    assert not any(space.rglob("__pycache__"))


def test_a_folder_that_is_no_space_is_left_alone(tmp_path):
    (tmp_path / "mine").write_text("keep me")
    found = subprocess.run(
        [ROOT / "scripts" / "build_space", tmp_path], capture_output=True, text=True, check=False
    )
    assert found.returncode == 2
    assert "was not made by this script" in found.stderr
    assert (tmp_path / "mine").exists()
