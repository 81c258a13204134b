"""The guard: who gets in, how much they may send, and what every answer carries."""

import asyncio

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from revops_ma.adapters.problem import Problem
from revops_ma.errors import BadInput
from revops_ma.server import guard
from revops_ma.server.settings import MAX_BYTES, Settings

pytestmark = pytest.mark.serve

TOKEN = "correct horse".replace(" ", "-")
HIRE = {"action_type": "hire_support", "magnitude": 0.8}
TOO_MUCH = b"x" * 2_000_000


def refusal(response):
    return response.status_code, response.json()["error"]["code"]


def test_a_token_is_asked_for_on_every_route_but_the_page_and_the_health_check(local):
    client = local(token=TOKEN)
    for method, path in (("POST", "/reset"), ("GET", "/state"), ("GET", "/schema")):
        found = client.request(method, path)
        assert refusal(found) == (401, "no_token")
        assert found.headers["www-authenticate"] == "Bearer"
    for path in ("/finops/state", "/metrics", "/openapi.json", "/api/choices", "/mcp"):
        assert client.get(path).status_code == 401, path
    for path in ("/health", "/judge", "/static/main.js"):
        assert client.get(path).status_code == 200, path


def test_the_right_token_opens_and_a_wrong_one_does_not(local):
    client = local(token=TOKEN)
    wrong = client.post("/reset", headers={"Authorization": "Bearer correct-hors"})
    assert refusal(wrong) == (401, "wrong_token")
    basic = client.post("/reset", headers={"Authorization": f"Basic {TOKEN}"})
    assert refusal(basic) == (401, "no_token")
    right = {"Authorization": f"Bearer {TOKEN}"}
    assert client.post("/reset", headers=right).status_code == 200
    with client.websocket_connect("ws://127.0.0.1:8000/ws", headers=right) as socket:
        socket.send_json({"type": "state"})
        assert socket.receive_json()["type"] == "state"


def test_sockets_need_the_token_too(start):
    server = start(REVOPS_MA_TOKEN=TOKEN)

    async def knock(headers):
        async with connect(server.socket, proxy=None, additional_headers=headers) as socket:
            await socket.send('{"type": "state"}')
            return await socket.recv()

    with pytest.raises(InvalidStatus) as found:
        asyncio.run(knock({}))
    assert found.value.response.status_code == 401
    assert b'"no_token"' in found.value.response.body
    assert '"state"' in asyncio.run(knock({"Authorization": f"Bearer {TOKEN}"}))
    assert TOKEN not in server.told


def test_pages_of_other_sites_are_turned_away(local):
    client = local()
    for origin in ("https://evil.example", "null", "http://127.0.0.1:8001"):
        found = client.post("/reset", headers={"Origin": origin})
        assert refusal(found) == (403, "foreign_origin")
        with (
            pytest.raises(WebSocketDisconnect),
            client.websocket_connect("ws://127.0.0.1:8000/ws", headers={"Origin": origin}),
        ):
            pass
    assert client.post("/reset", headers={"Origin": "http://127.0.0.1:8000"}).status_code == 200


def test_an_origin_can_be_let_in(local):
    client = local(origins="https://friend.example, https://other.example")
    assert client.post("/reset", headers={"Origin": "https://friend.example"}).status_code == 200
    assert client.post("/reset", headers={"Origin": "https://foe.example"}).status_code == 403


def test_a_name_that_was_pointed_here_is_no_name_of_ours(local):
    client = local(hosts="desk.internal")
    assert refusal(client.get("/state", headers={"Host": "evil.example"})) == (403, "foreign_host")
    for host in ("localhost:8000", "127.0.0.1", "[::1]:8000", "desk.internal:80"):
        assert client.get("/state", headers={"Host": host}).status_code == 200, host


def test_an_application_bound_to_the_outside_wants_a_token(local):
    client = local()
    client.base_url = "http://192.0.2.7:8000"
    assert refusal(client.get("/state")) == (403, "needs_token")
    client = local(insecure=True)
    client.base_url = "http://192.0.2.7:8000"
    assert client.get("/state").status_code == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7", "::", "example.org"])
def test_a_server_is_not_bound_to_the_outside_without_a_token(host):
    with pytest.raises(BadInput, match="--token"):
        Settings(host=host).check_binding()
    Settings(host=host, token=TOKEN).check_binding()
    Settings(host=host, insecure=True).check_binding()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.9.9.9"])
def test_this_machine_needs_no_token(host):
    Settings(host=host).check_binding()


def test_two_megabytes_of_body_are_too_many(local):
    client = local()
    assert refusal(client.post("/reset", content=TOO_MUCH)) == (413, "too_large")
    pieces = client.post("/reset", content=iter([b"x" * 100_000] * 20))
    assert refusal(pieces) == (413, "too_large")
    wrong = client.post("/reset", content=b"{}", headers={"Content-Length": "-1"})
    assert refusal(wrong) == (413, "too_large")
    assert client.post("/reset").status_code == 200


def test_two_megabytes_of_frame_close_the_socket_and_only_that(server):
    async def shout():
        async with (
            connect(server.socket, proxy=None) as loud,
            connect(server.socket, proxy=None) as quiet,
        ):
            await quiet.send('{"type": "reset", "data": {"seed": 1}}')
            await quiet.recv()
            await loud.send(TOO_MUCH.decode())
            with pytest.raises(ConnectionClosed) as found:
                await loud.recv()
            await quiet.send('{"type": "state"}')
            return found.value.rcvd.code, await quiet.recv()

    code, state = asyncio.run(shout())
    assert code == 1009
    assert '"step_count":0' in state


def test_a_large_frame_is_refused_where_the_outer_server_has_no_limit(local):
    with local().websocket_connect("ws://127.0.0.1:8000/ws") as socket:
        socket.send_text("x" * (MAX_BYTES + 1))
        with pytest.raises(WebSocketDisconnect) as found:
            socket.receive_json()
    assert found.value.code == 1009


def test_every_answer_has_the_security_headers(local):
    client = local()
    for path in ("/judge", "/static/style.css", "/nowhere", "/state", "/finops/schema"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
    assert client.post("/reset", content=TOO_MUCH).headers["x-content-type-options"] == "nosniff"


def test_a_bug_is_told_by_its_code_and_nothing_else(monkeypatch):
    from revops_ma.adapters import served
    from revops_ma.server.app import build

    def fail(*_):
        raise ZeroDivisionError("the secret of the house")

    client = TestClient(build(Settings()), "http://127.0.0.1:8000", raise_server_exceptions=False)
    client.post("/reset")
    monkeypatch.setattr(served, "breakdown", fail)
    found = client.post("/step", json=HIRE)
    assert refusal(found) == (500, "internal")
    assert "secret" not in found.text
    monkeypatch.undo()
    assert refusal(client.post("/step", json=HIRE)) == (409, "no_episode")
    assert client.post("/reset").status_code == 200


def test_nothing_secret_is_told(local, monkeypatch):
    monkeypatch.setenv("GEMINI_API_KEY", "key-of-the-house")
    client = local(token=TOKEN)
    right = {"Authorization": f"Bearer {TOKEN}", "X-Session-Id": "0123456789abcdef"}
    told = [
        client.request(method, path, headers=right).text
        for method, path in (
            *(("GET", path) for path in ("/metrics", "/metadata", "/openapi.json", "/schema")),
            *(("GET", path) for path in ("/judge", "/api/choices", "/state", "/nowhere")),
            ("POST", "/reset"),
        )
    ]
    assert not any(secret in text for secret in (TOKEN, "key-of-the-house") for text in told)


def test_settings_come_from_flags_then_variables_then_defaults():
    environment = {"REVOPS_MA_PORT": "9000", "REVOPS_MA_INSECURE": "yes", "REVOPS_MA_TOKEN": ""}
    settings = Settings.read({"host": None, "port": None}, environment)
    assert (settings.port, settings.insecure, settings.token) == (9000, True, "")
    assert Settings.read({"port": 9001}, environment).port == 9001
    for name, value in (("PORT", "many"), ("INSECURE", "perhaps"), ("IDLE_SECONDS", "0")):
        with pytest.raises(BadInput):
            Settings.read({}, {f"REVOPS_MA_{name}": value})


def test_a_space_lets_its_own_pages_call():
    settings = Settings.read({}, {"SPACE_HOST": "me-desk.hf.space"})
    assert settings.origins.endswith("https://me-desk.hf.space")


@pytest.mark.parametrize("origin", ["http://[::1", "http://[evil", "//", "http://"])
def test_an_origin_that_is_none_is_a_foreign_one(local, origin):
    found = local().post("/reset", headers={"Origin": origin})
    assert refusal(found) == (403, "foreign_origin")


def test_what_is_wrong_with_a_request_is_told_without_the_servers_own_paths(local):
    headers = {"X-Session-Id": "0123456789abcdef"}
    found = local().post("/api/auto", json={"agent": 7, "moves": 0}, headers=headers)
    assert refusal(found) == (422, "bad_input")
    assert "moves: Input should be greater than or equal to 1" in found.text
    assert ".py" not in found.text


def test_strangers_do_not_spend_the_hosts_money_on_language_models(local):
    asked = {"crisis": "gemini-crisis"}
    found = local(insecure=True).post("/reset", json=asked)
    assert refusal(found) == (422, "bad_input")
    assert "gemini-crisis" not in found.json()["error"]["message"].split("Known: ")[1]
    for open_to_them in (Settings(), Settings(token=TOKEN), Settings(insecure=True, open_models=1)):
        assert open_to_them.offers_models
    # Who runs the server may seat one for everybody.
    assert local(insecure=True, crisis="gemini-crisis").post("/reset").status_code == 200


def test_a_body_that_trickles_in_is_given_up(monkeypatch):
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.05)

    async def trickle():
        await asyncio.sleep(0.02)
        return {"type": "http.request", "body": b"x", "more_body": True}

    scope = {"type": "http", "method": "POST", "headers": []}
    with pytest.raises(Problem) as found:
        asyncio.run(guard._bounded(scope, trickle))
    assert found.value.code == "slow_request"


def test_a_client_that_leaves_within_its_body_ends_its_request():
    async def leave():
        return {"type": "http.disconnect"}

    scope = {"type": "http", "method": "POST", "headers": [(b"content-length", b"10")]}
    receive = asyncio.run(guard._bounded(scope, leave))
    assert asyncio.run(receive())["body"] == b""
