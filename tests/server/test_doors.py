"""The stateful HTTP routes: the source's curl commands, sessions, and every way to ask wrongly."""

import shutil
import subprocess

import httpx
import pytest

pytestmark = pytest.mark.serve

HIRE = {"action_type": "hire_support", "magnitude": 0.8}


@pytest.fixture
def http(server, request):
    """A client with a session of its own."""
    headers = {"X-Session-Id": request.node.name[:100]}
    with httpx.Client(base_url=server.url, headers=headers, trust_env=False, timeout=60) as client:
        yield client


def code_of(response):
    body = response.json()
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "message"}
    return response.status_code, body["error"]["code"]


def test_the_curl_commands_of_the_source_play_an_episode(server):
    """No session is named: all of curl's calls go on with one game."""
    curl = shutil.which("curl")
    assert curl, "curl is one of the ways in that are promised"

    def run(path, *more):
        command = [curl, "-sS", *more, f"{server.url}{path}"]
        return httpx.Response(200, content=subprocess.check_output(command, timeout=60)).json()

    as_json = ("-H", "Content-Type: application/json")
    assert run("/reset", "-X", "POST")["done"] is False
    run("/reset", "-X", "POST", *as_json, "-d", '{"seed": 7}')
    done, steps = False, 0
    while not done:
        flat = '{"action_type": "negotiate_contracts", "magnitude": 0.8}'
        body = flat if steps % 2 else f'{{"action": {flat}}}'
        result = run("/step", "-X", "POST", *as_json, "-d", body)
        done, steps = result["done"], steps + 1
    assert result["observation"]["month"] == steps
    assert run("/state")["step_count"] == steps


def test_a_reset_without_a_body_deals_an_episode(http):
    frame = http.post("/reset").json()
    assert frame["reward"] is None
    assert frame["done"] is False
    assert frame["metadata"]["scenario"] == "revops/normal"
    assert isinstance(frame["metadata"]["seed"], int)


def test_the_observation_has_the_fields_of_the_source_and_the_parts_of_the_reward(http):
    http.post("/reset", json={"seed": 7})
    frame = http.post("/step", json=HIRE).json()
    seen = frame["observation"]
    figures = {"mrr", "cac", "ltv", "churn", "runway", "marketing", "support", "month"}
    assert figures | {"active_crisis", "ltv_cac_ratio", "reward_last_step"} <= set(seen)
    parts = frame["metadata"]["reward_breakdown"]
    assert list(parts) == ["ltv_cac", "growth", "burn", "survival", "death"]
    assert sum(parts.values()) == frame["reward"] == seen["reward_last_step"]
    assert round(frame["reward"], 3) == 0.906
    assert seen["metadata"] == frame["metadata"]
    assert not {"arpa", "slack", "k_cac", "key"} & set(seen)


def test_the_same_seed_and_moves_give_the_same_frames(http):
    frames = []
    for _ in range(2):
        http.post("/reset", json={"seed": 5, "episode_id": "same"})
        frames.append([http.post("/step", json=HIRE).json() for _ in range(3)])
    assert frames[0] == frames[1]


def test_sessions_do_not_share_a_game(http):
    other = {"X-Session-Id": "somebody-else"}
    http.post("/reset", json={"seed": 1})
    http.post("/reset", json={"seed": 2}, headers=other)
    mine = http.post("/step", json=HIRE).json()
    theirs = http.post("/step", json=HIRE, headers=other).json()
    assert (mine["metadata"]["seed"], theirs["metadata"]["seed"]) == (1, 2)
    assert http.get("/state").json()["step_count"] == 1


def test_the_crisis_engine_and_the_difficulty_can_be_chosen(http):
    frame = http.post("/reset", json={"difficulty": "hard", "crisis": "hunter", "seed": 3}).json()
    assert frame["metadata"]["scenario"] == "revops/hard"
    assert frame["metadata"]["opponents"] == {"crisis": "hunter"}
    steps = [http.post("/step", json=HIRE).json() for _ in range(3)]
    (event,) = steps[-1]["metadata"]["events"]
    assert event["source"] == "hunter"
    assert event["role"] == "crisis"
    assert steps[-1]["observation"]["active_crisis"] == event["kind"]


def test_the_crisis_seat_can_be_taken(http):
    asked = {"seat": "crisis", "pilot": "heuristic", "seed": 3}
    frame = http.post("/reset", json=asked).json()
    assert "Severity bank" in frame["observation"]["text"]
    assert len(frame["metadata"]["events"]) == 3
    action = {"crisis_type": "PRICE_WAR", "severity": 1.0, "description": "a rival halves prices"}
    frame = http.post("/step", json=action).json()
    assert [event["source"] for event in frame["metadata"]["events"]] == ["heuristic"] * 3


def test_the_desk_deals_its_three_tasks_in_turn_per_session(http):
    tasks = [http.post("/finops/reset").json()["observation"]["task_id"] for _ in range(4)]
    assert tasks == ["task1", "task2", "task3", "task1"]
    frame = http.post("/finops/reset", json={"task_id": "task3"}).json()
    assert frame["observation"]["task_id"] == "task3"
    assert len(frame["observation"]["available_tools"]) == 11


def test_a_ticket_is_solved_over_http(http):
    http.post("/finops/reset", json={"task_id": "task1"})
    calls = [
        {"tool": "search_customers", "args": {"name": "TechCorp"}},
        {"action": {"tool": "create_refund", "args": {"invoice_id": "inv_902"}}},
        {"tool": "submit", "args": {}},
    ]
    for call in calls:
        frame = http.post("/finops/step", json=call).json()
    assert frame["done"]
    assert frame["metadata"]["facts"]["score"] == 0.98
    assert frame["metadata"]["won"] is True


def test_a_step_before_a_reset_and_after_the_end_is_a_conflict(http):
    assert code_of(http.post("/step", json=HIRE)) == (409, "no_episode")
    http.post("/finops/reset", json={"task_id": "task1"})
    last = http.post("/finops/step", json={"tool": "submit", "args": {}}).json()
    state = http.get("/finops/state").json()
    again = http.post("/finops/step", json={"tool": "submit", "args": {}})
    assert last["done"]
    assert code_of(again) == (409, "episode_over")
    assert http.get("/finops/state").json() == state


def test_a_move_that_cannot_be_played_costs_the_turn_and_is_told(http):
    http.post("/reset", json={"seed": 7})
    frame = http.post("/step", json={"action_type": "buy_rival", "magnitude": 1}).json()
    assert frame["metadata"]["refused"] == "unknown_action"
    assert frame["observation"]["month"] == 1
    frame = http.post("/step", content=b'{"action_type": "cut_costs", "magnitude": NaN}').json()
    assert frame["metadata"]["refused"] == "non_finite"
    frame = http.post("/step", json={"action_type": "Hire Support ", "magnitude": "80%"}).json()
    assert frame["metadata"]["refused"] is None
    assert frame["metadata"]["notes"] == ["normalised", "normalised"]


NO_MOVES = [
    (b"", "protocol"),
    (b"[]", "protocol"),
    (b"7", "protocol"),
    (b'"hire_support"', "protocol"),
    (b"{}", "protocol"),
    (b'{"action": []}', "protocol"),
    (b'{"action": {"action": {"action_type": "cut_costs"}}}', "protocol"),
    (b'{"action_type": "cut_costs", "magnitude": 1, "z": 1}', "protocol"),
    (b"{", "bad_json"),
    (b"\xff\xfe", "bad_json"),
    (b"[" * 50_000, "bad_json"),
    (b"1" * 10_000, "bad_json"),
]


@pytest.mark.parametrize(("body", "code"), NO_MOVES, ids=range(len(NO_MOVES)))
def test_what_is_no_move_is_turned_down_and_nothing_is_played(http, body, code):
    http.post("/reset", json={"seed": 7})
    status, found = code_of(http.post("/step", content=body))
    assert (status, found) == ({"protocol": 422, "bad_json": 400}[code], code)
    assert http.get("/state").json()["step_count"] == 0


def test_a_malformed_envelope_of_the_desk_consumes_no_step(http):
    http.post("/finops/reset", json={"task_id": "task1"})
    for body in ({"args": {}}, {"tool": "submit", "args": {}, "more": 1}):
        assert code_of(http.post("/finops/step", json=body)) == (422, "protocol")
    assert http.get("/finops/state").json()["step_count"] == 0


BAD_RESETS = [
    {"seed": -1},
    {"seed": True},
    {"seed": 3.0},
    {"seed": 2**70},
    {"seed": "7"},
    {"crisis": "hunterr"},
    {"crisis": "/etc/passwd.toml"},
    {"scenario": "../secret.toml"},
    {"scenario": "finops/task1"},
    {"difficulty": "hard", "scenario": "revops/easy"},
    {"pilot": "heuristic"},
    {"seat": "banker"},
    {"sead": 7},
    {"crisis": 7},
    [],
    "seed",
]


@pytest.mark.parametrize("asked", BAD_RESETS, ids=str)
def test_a_wrong_reset_says_what_is_allowed_and_leaves_the_game_alone(http, asked):
    http.post("/reset", json={"seed": 7})
    http.post("/step", json=HIRE)
    assert code_of(http.post("/reset", json=asked)) == (422, "bad_input")
    assert http.get("/state").json()["step_count"] == 1


def test_the_error_of_a_misspelt_name_names_the_nearest(http):
    message = http.post("/reset", json={"crisis": "huntr"}).json()["error"]["message"]
    assert "did you mean 'hunter'?" in message


def test_texts_that_no_encoding_can_hold_are_told_all_the_same(http):
    http.post("/reset", json={"seed": 7})
    frame = http.post("/step", content=rb'{"action_type": "\ud800", "magnitude": 1}').json()
    assert frame["metadata"]["refused"] == "unknown_action"


def test_unknown_paths_and_methods_are_json_too(http):
    assert code_of(http.get("/nowhere")) == (404, "not_found")
    assert code_of(http.get("/step")) == (405, "wrong_method")
    assert code_of(http.get("/finops/nowhere")) == (404, "not_found")


def test_a_session_id_must_be_one(server):
    for name in ("", "x" * 200):
        found = httpx.get(f"{server.url}/state", headers={"X-Session-Id": name}, trust_env=False)
        assert code_of(found) == (422, "bad_input")


def test_metrics_count(http):
    http.post("/reset", json={"seed": 7})
    before = _counted(http, "steps_total")
    http.post("/step", json=HIRE)
    assert _counted(http, "steps_total") == before + 1
    assert _counted(http, "sessions_max") == 700


def _counted(http, name):
    lines = http.get("/metrics").text.splitlines()
    return float(next(line for line in lines if line.startswith(f"revops_ma_{name} ")).split()[1])
