"""The agents that ship: their weights, their run cards, and the figures these claim."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from revops_ma import catalog
from revops_ma.training.pilot_grpo.card import RUN_CARD, hash_of

pytestmark = pytest.mark.grpo
SHIPPED = Path(__file__).parents[3] / "agents" / "trained"
NAMES = sorted(path.stem for path in SHIPPED.glob("grpo-pilot*.toml"))
MOST_BYTES = 2_000_000


def run_card(name):
    return json.loads((SHIPPED / name / RUN_CARD).read_text())


def test_one_ships():
    assert "grpo-pilot" in NAMES


@pytest.mark.parametrize("name", NAMES)
def test_an_agent_is_small_and_is_what_its_run_card_says(name):
    told = run_card(name)
    files = [path for path in (SHIPPED / name).rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < MOST_BYTES
    assert not [path for path in files if path.suffix in {".pt", ".bin", ".pkl"}]
    assert hash_of(SHIPPED / name) == told["weights"]["best"]
    assert told["command"].startswith("revops-ma train pilot")
    assert told["warning"] == ""
    pilot = catalog.agent(SHIPPED / f"{name}.toml", "pilot", catalog.scenario("revops/normal"))
    assert pilot.name == name


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", NAMES)
def test_a_fresh_process_gets_the_very_figures_of_the_run_card(name):
    first, games = run_card(name)["test"]["seeds"]
    command = f"match trained/{name} rule-based -n {games} --seed {first} --json"
    done = subprocess.run(
        [sys.executable, "-m", "revops_ma.cli", *command.split()],
        check=True,
        capture_output=True,
        text=True,
    )
    told, claimed = (
        json.loads(done.stdout),
        run_card(name)["test"]["figures"]["after"]["rule-based"],
    )
    assert told["survival"] == claimed["survival"]
    assert told["episode_return"]["mean"] == claimed["episode_return"]["mean"]
