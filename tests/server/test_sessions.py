"""Slots: how many there are, when they come back, what a slow opponent may cost."""

import asyncio
import contextlib
import json
import subprocess
import sys
import time

import pytest
from starlette.websockets import WebSocketDisconnect
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from revops_ma.adapters.conversation import Session
from revops_ma.adapters.menu import Menu
from revops_ma.adapters.problem import Problem
from revops_ma.cli import main
from revops_ma.errors import RunFailed
from revops_ma.server.lobby import Lobby
from revops_ma.server.settings import Settings

pytestmark = pytest.mark.serve

HIRE = {"action_type": "hire_support", "magnitude": 0.8}
RESET = {"type": "reset", "data": {"seed": 1}}


def test_a_full_server_refuses_clearly_and_takes_the_next_when_one_leaves(local):
    client = local(max_sessions=2)
    with (
        client.websocket_connect("ws://127.0.0.1:8000/ws") as first,
        client.websocket_connect("ws://127.0.0.1:8000/ws"),
    ):
        first.send_json(RESET)
        first.receive_json()
        found = client.post("/reset")
        assert found.status_code == 503
        assert found.json()["error"]["code"] == "capacity"
        assert "all 2 sessions are taken" in found.json()["error"]["message"]
        with client.websocket_connect("ws://127.0.0.1:8000/finops/ws") as third:
            told = third.receive_json()
            assert told["type"] == "error"
            assert told["data"]["code"] == "CAPACITY_REACHED"
            with pytest.raises(WebSocketDisconnect) as closed:
                third.receive_json()
            assert closed.value.code == 1013
    assert client.post("/reset").status_code == 200


def test_openenvs_client_is_told_that_the_server_is_full(start):
    from openenv.core.generic_client import GenericEnvClient

    server = start("--max-sessions", "1")
    with GenericEnvClient(base_url=server.url).sync() as first:
        first.reset(seed=1)
        with (
            pytest.raises(RuntimeError, match="CAPACITY_REACHED"),
            GenericEnvClient(base_url=server.url).sync() as second,
        ):
            second.reset(seed=2)
    with GenericEnvClient(base_url=server.url).sync() as third:
        assert third.reset(seed=3).done is False


def test_slots_of_killed_clients_come_back(start):
    server = start("--max-sessions", "4")
    code = (
        "import sys, time; from websockets.sync.client import connect\n"
        f"held = [connect({server.socket!r}, proxy=None) for _ in range(4)]\n"
        'for each in held: each.send(\'{"type": "reset"}\'); each.recv()\n'
        "print('in', flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as client:
        try:
            assert client.stdout.readline() == b"in\n"
            assert not _gets_in(server)
        finally:
            client.kill()
    deadline = time.monotonic() + 20
    while not _gets_in(server):
        assert time.monotonic() < deadline, "the slots did not come back"
        time.sleep(0.2)


def _gets_in(server):
    async def knock():
        async with connect(server.socket, proxy=None) as socket:
            with contextlib.suppress(ConnectionClosed):
                await socket.send('{"type": "state"}')
            return '"state"' in await socket.recv()

    return asyncio.run(knock())


def test_silent_and_old_sessions_are_closed_and_told_why(local):
    client = local(idle_seconds=0.4)
    client.post("/reset")
    with client.websocket_connect("ws://127.0.0.1:8000/ws") as socket:
        told = socket.receive_json()["data"]
        assert (told["code"], told["reason"]) == ("EXPIRED", "expired")
        assert "silent for 0.4 s" in told["message"]
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_json()
        assert closed.value.code == 4408
    assert client.post("/step", json=HIRE).json()["error"]["code"] == "no_episode"
    assert client.get("/state").json() == {"episode_id": None, "step_count": 0}


def test_a_session_has_a_lifetime_however_busy_it_is():
    lobby, menu = Lobby(Settings(lifetime_seconds=0.05, max_sessions=1)), Menu(["revops/normal"])
    session = lobby.enter(("http", "a"), menu)
    session.born -= 1
    assert lobby.find(("http", "a")) is None
    assert lobby.enter(("http", "a"), menu) is not session
    assert lobby.metrics.reaped == 1


class Sleeper:
    """An opponent that takes its time, or fails."""

    name = identity = "sleeper"

    def __init__(self, seconds=0.0, error=None):
        self.seconds, self.error = seconds, error

    def act(self, view):
        time.sleep(self.seconds)
        if self.error:
            raise self.error
        return view.role.objects([{"crisis_type": "PASS"}])

    def seated(self, scenario, players):
        return self


def _session(opponent, step_seconds):
    menu = Menu(["revops/normal"])
    key = ("none", "crisis", "revops/normal")
    menu._agents[key] = opponent
    return Session(menu, step_seconds)


async def _play(session, steps):
    await session.reset({"crisis": "none", "seed": 1})
    return [await session.step(HIRE) for _ in range(steps)]


def test_a_step_has_a_deadline_and_its_episode_is_given_up():
    async def go():
        session = _session(Sleeper(1.0), 0.2)
        with pytest.raises(Problem) as found:
            await _play(session, 3)
        assert found.value.code == "deadline"
        with pytest.raises(Problem) as after:
            await session.step(HIRE)
        assert after.value.code == "no_episode"
        assert session.game.state == {"episode_id": None, "step_count": 0}

    asyncio.run(go())


def test_others_are_served_while_an_opponent_thinks():
    async def go():
        slow = asyncio.ensure_future(_play(_session(Sleeper(1.5), 30), 3))
        await asyncio.sleep(0.1)
        quick = Session(Menu(["revops/normal"]))
        await _play(quick, 6)
        assert not slow.done()
        assert len(await slow) == 3

    asyncio.run(go())


def test_an_opponent_that_fails_ends_the_episode_without_a_reward_and_tells_no_details():
    async def go():
        session = _session(Sleeper(error=RunFailed("the key sk-123 was refused")), 30)
        with pytest.raises(Problem) as found:
            await _play(session, 3)
        assert found.value.code == "opponent_failed"
        assert "sk-123" not in found.value.message
        assert session.game.seat is None

    asyncio.run(go())


def test_two_servers_on_one_port_is_one_clear_line(server, capsys):
    port = server.url.rsplit(":", 1)[1]
    with pytest.raises(SystemExit) as found:
        main(["serve", "--port", port])
    told = capsys.readouterr().err.strip().splitlines()
    assert found.value.code == 1
    assert len(told) == 1
    assert f"port {port}" in told[0]
    assert "already in use" in told[0]


@pytest.mark.parametrize(
    ("arguments", "about"),
    [
        (["--host", "0.0.0.0"], "--token"),
        (["--scenario", "revops/hrad", "--port", "0"], "did you mean"),
        (["--crisis", "huntr", "--port", "0"], "did you mean 'hunter'"),
    ],
)
def test_a_wrong_flag_is_one_clear_line(arguments, about, capsys):
    with pytest.raises(SystemExit) as found:
        main(["serve", *arguments])
    told = capsys.readouterr().err.strip().splitlines()
    assert found.value.code == 2
    assert len(told) == 1
    assert about in told[0]


def test_a_bug_is_told_on_the_socket_which_stays_open(local, monkeypatch):
    from revops_ma.adapters import served

    def fail(*_):
        raise ZeroDivisionError("the secret of the house")

    with local().websocket_connect("ws://127.0.0.1:8000/ws") as socket:
        socket.send_json(RESET)
        socket.receive_json()
        with monkeypatch.context() as broken:
            broken.setattr(served, "breakdown", fail)
            socket.send_json({"type": "step", "data": HIRE})
            told = socket.receive_json()
        assert (told["type"], told["data"]["code"]) == ("error", "INTERNAL")
        assert "secret" not in str(told)
        socket.send_json({"type": "step", "data": HIRE})
        assert socket.receive_json()["data"]["code"] == "NO_EPISODE"
        socket.send_json(RESET)
        assert socket.receive_json()["type"] == "observation"


def test_a_call_that_is_given_up_leaves_its_game_to_the_thread():
    async def go():
        session = _session(Sleeper(0.5), 30)
        await session.reset({"crisis": "none", "seed": 1})
        playing = [await session.step(HIRE) for _ in range(2)]
        assert len(playing) == 2
        held, third = session.game, asyncio.ensure_future(session.step(HIRE))
        await asyncio.sleep(0.1)
        third.cancel()
        with pytest.raises(asyncio.CancelledError):
            await third
        assert session.game is not held
        assert session.game.seat is None

    asyncio.run(go())


def test_calls_on_one_session_wait_for_each_other():
    async def go():
        session = _session(Sleeper(0.2), 30)
        await session.reset({"crisis": "none", "seed": 1})
        frames = await asyncio.gather(*(session.step(HIRE) for _ in range(6)))
        assert [frame["metadata"]["step"] for frame in frames] == [1, 2, 3, 4, 5, 6]

    asyncio.run(go())


def test_a_client_that_leaves_while_its_opponent_thinks_gives_its_slot_back(local, monkeypatch):
    from revops_ma.adapters import menu

    monkeypatch.setattr(menu.catalog, "agent", lambda *_: Sleeper(0.4))
    client = local(max_sessions=1)
    with client.websocket_connect("ws://127.0.0.1:8000/ws") as socket:
        socket.send_json(RESET)
        socket.receive_json()
        for _ in range(3):
            socket.send_json({"type": "step", "data": HIRE})
    deadline = time.monotonic() + 10
    while client.post("/reset").status_code != 200:
        assert time.monotonic() < deadline, "the slot did not come back"
        time.sleep(0.1)


def test_the_addresses_come_as_json_too(monkeypatch, capsys):
    import uvicorn

    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: None)
    with pytest.raises(SystemExit) as found:
        main(["serve", "--port", "0", "--json"])
    assert found.value.code == 0
    told = json.loads(capsys.readouterr().out)
    url = f"http://127.0.0.1:{told['port']}"
    assert told["page"] == f"{url}/judge"
    assert told["openenv"] == [url, f"{url}/finops"]
