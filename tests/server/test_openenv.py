"""OpenEnv's own tools against the server: its validator, its generic client, its stock server."""

import subprocess
import warnings
from pathlib import Path

import pytest
from starlette.testclient import TestClient

pytestmark = pytest.mark.serve

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("mount", ["", "/finops"])
def test_the_live_validator_passes_all_six(server, mount):
    from openenv.cli._validation import validate_running_environment

    report = validate_running_environment(server.url + mount, timeout_s=60)
    assert report["passed"], report
    assert report["summary"]["passed_count"] == report["summary"]["total_count"] == 6
    assert report["mode"] == "simulation"


@pytest.mark.parametrize("folder", [".", "scenarios/finops"])
def test_the_static_validator_passes(tmp_path, folder):
    from openenv.validation import Level, Verdict, run_validation

    # Of what is shipped: the validator reads whatever else lies in a checkout, and no links.
    package = tmp_path / "package"
    subprocess.run([ROOT / "scripts" / "build_space", package], check=True, timeout=60)
    report = run_validation(package / folder, max_level=Level.STATIC, skip_build=True)
    assert report.verdict is Verdict.PASS


def test_the_manifests_name_every_action_and_field(server):
    import yaml

    from revops_ma import catalog

    for folder, name in ((".", "revops"), ("scenarios/finops", "finops")):
        manifest = yaml.safe_load((ROOT / folder / "openenv.yaml").read_text())
        world = catalog.world(name)
        kinds = next(value for value in manifest["action"].values() if isinstance(value, list))
        assert kinds == list(world.roles[0].kinds())
        fields = set(world.observation_schema(0)["properties"])
        assert set(manifest["observation"]) == fields | {"metadata"}
        assert list(manifest["reward"]) == list(world.signals)


@pytest.mark.parametrize(
    ("mount", "reset", "action"),
    [
        ("", {"seed": 7}, {"action_type": "negotiate_contracts", "magnitude": 0.8}),
        ("/finops", {"task_id": "task1"}, {"tool": "list_invoices", "args": {"customer_id": "x"}}),
    ],
)
def test_a_generic_client_plays_a_whole_episode(server, mount, reset, action):
    from openenv.core.generic_client import GenericEnvClient

    with GenericEnvClient(base_url=server.url + mount).sync() as env:
        result, steps = env.reset(**reset), 0
        while not result.done:
            result = env.step(action)
            steps += 1
            assert env.state()["step_count"] == steps
        assert steps > 3
        assert result.metadata["ending"]
        with pytest.raises(RuntimeError, match="EPISODE_OVER"):
            env.step(action)


def test_openenvs_stock_server_serves_a_menu_too():
    from openenv.core.env_server import create_fastapi_app

    from revops_ma.adapters.menu import Menu
    from revops_ma.adapters.openenv import openenv_parts

    with warnings.catch_warnings():
        # FastAPI's on_event is what OpenEnv 0.10 registers its reaper with.
        warnings.simplefilter("ignore", DeprecationWarning)
        app = create_fastapi_app(*openenv_parts(Menu(["revops/normal"])), max_concurrent_envs=4)
    with TestClient(app).websocket_connect("/ws") as socket:
        socket.send_json({"type": "reset", "data": {"seed": 7, "crisis": "none"}})
        assert socket.receive_json()["data"]["observation"]["month"] == 0
        socket.send_json({"type": "step", "data": {"action_type": "cut_costs", "magnitude": 1}})
        frame = socket.receive_json()["data"]
        assert frame["observation"]["month"] == 1
        assert frame["metadata"]["reward_breakdown"]
        socket.send_json({"type": "state"})
        assert set(socket.receive_json()["data"]) == {"episode_id", "step_count"}


def test_the_root_shim_is_the_application():
    import server.app

    documented = set(server.app.app.openapi()["paths"])
    assert {"/reset", "/step", "/state", "/health", "/schema", "/metadata"} <= documented
