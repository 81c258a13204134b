"""The support desk behind the adapters: a world of calls and answers instead of numbers."""

import copy
import json
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from revops_ma import register
from revops_ma.adapters.gymnasium import SingleSeatEnv
from revops_ma.adapters.pettingzoo import aec_env
from revops_ma.adapters.vector import SeatVectorEnv

register()
CALM, STORM = "finops/task1", "finops/task2-storm"
FORMS = ("native", "discrete")
GET = {"tool": "get_invoice", "args": {"invoice_id": "inv_901"}}
SOLUTION = (
    {"tool": "search_customers", "args": {"name": "TechCorp Inc"}},
    {"tool": "list_invoices", "args": {"customer_id": "cus_001"}},
    {"tool": "create_refund", "args": {"invoice_id": "inv_902"}},
    {"tool": "submit", "args": {}},
)
ADVICE = (
    "We recommend agents to be named",
    "Action space for each agent probably should be",
    "Agents have different observation space sizes",
    "Observations are different shapes",
)
"""What PettingZoo's tests say about any game of two unlike seats."""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("scenario", [CALM, STORM])
def test_the_official_tests_pass(scenario, form, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # imports for PettingZoo's fixtures
        from pettingzoo.test import api_test, render_test, seed_test
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for words in ADVICE:
            warnings.filterwarnings("ignore", words, UserWarning)
        api_test(aec_env(scenario, actions=form), num_cycles=200)
        seed_test(lambda: aec_env(scenario, actions=form), num_cycles=200)
        render_test(lambda render_mode=None: aec_env(scenario, render_mode, form))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("scenario", [CALM, STORM])
@pytest.mark.parametrize(
    ("name", "other"),
    [("RevOps-Pilot-v0", {"crisis": "random"}), ("RevOps-Crisis-v0", {"pilot": "careful"})],
)
def test_gymnasiums_own_checks_pass_for_both_seats(scenario, form, name, other, capsys):
    check_env(gymnasium.make(name, scenario=scenario, actions=form, **other).unwrapped)


def started(scenario=CALM, seed=0, **arguments):
    env = aec_env(scenario, **arguments)
    env.reset(seed=seed)
    return env


def answer(env):
    return env.table.games[0].log[-1].response


@pytest.mark.parametrize(
    "action",
    [
        json.dumps(GET),
        f"```json\n{json.dumps(GET)}\n```",
        GET,
        {**GET, "args": json.dumps(GET["args"])},
        {"tool": np.int64(4), "args": '{"invoice_id": "inv_901"}'},
    ],
    ids=["text", "fenced text", "object", "object with arguments as text", "sample"],
)
def test_a_call_reaches_the_desk_as_text_as_object_and_as_sample(action):
    env = started()
    env.step(action)
    assert answer(env)["result"]["invoice"]["id"] == "inv_901"
    assert env.last()[4]["refused"] is None
    alone = SingleSeatEnv(CALM, "pilot", crisis="none")
    alone.reset(seed=0)
    assert alone.step(action)[1] == -0.01


def test_the_crisis_side_strikes_by_text_by_object_and_by_sample():
    kind = ("outage", "rate_limit", "pressure").index("pressure")
    moves = [{"disturbance": "pressure"}, '{"disturbance": "pressure"}', {"kind": kind, "slot": 0}]
    texts = set()
    for move in moves:
        env = started(STORM)
        for _ in range(3):
            env.step({"tool": "list_customers"})
        assert env.agent_selection == "crisis"
        env.step(move)
        assert answer(env)["events"] == [{"event": "ticket.updated"}]
        texts.add(env.table.games[0].ticket_text)
    assert len(texts) == 1


@pytest.mark.parametrize(
    ("action", "reason"),
    [("submit", "no_object"), (None, "not_an_object"), ({"args": {}}, "missing_tool")],
)
def test_what_is_no_call_is_refused_and_costs_an_error(action, reason):
    env = started()
    env.step(action)
    assert env.last()[4]["refused"] == reason
    assert env.rewards["pilot"] == pytest.approx(-0.11)
    assert answer(env)["ok"] is False


def test_the_reference_solution_pays_what_the_rules_say():
    env, paid = started(), []
    for call in SOLUTION:
        env.step(call)
        paid.append(env.rewards["pilot"])
        if env.agent_selection == "crisis" and not any(env.terminations.values()):
            env.step({"disturbance": "pass"})
    assert paid == [-0.01, -0.01, -0.01, pytest.approx(0.97)]
    assert env.terminations == {"pilot": True, "crisis": True}
    info = env.last()[4]
    assert (info["score"], info["steps"], info["won"]) == (0.98, 4, True)
    assert info["ending"] == "submitted"


def finish(env):
    heard = []
    for agent in env.agent_iter():
        _, reward, terminated, truncated, info = env.last()
        heard.append((agent, reward, terminated, truncated, dict(info)))
        move = {"tool": "list_customers"} if agent == "pilot" else {"disturbance": "status_change"}
        env.step(None if terminated else move)
    return heard


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("turns", [0, 2, 3, 4, 9])
def test_a_copy_in_the_middle_of_a_game_goes_on_identically(duplicate, turns):
    env = started(STORM, 5)
    for _ in range(turns):
        pilots = env.agent_selection == "pilot"
        env.step({"tool": "list_customers"} if pilots else {"disturbance": "outage"})
    twin = duplicate(env)
    assert finish(twin) == finish(env)
    world = env.world
    assert world.fingerprint(twin.table.games, 0) == world.fingerprint(env.table.games, 0)


class _NextSeed(gymnasium.Wrapper):
    """Deals the next game as the vector environment documents it: its seed + num_envs."""

    def reset(self, *, seed=None, options=None):
        self.seed = self.seed + 3 if seed is None else seed
        return self.env.reset(seed=self.seed, options=options)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "seat", [{"role": "pilot", "crisis": "random"}, {"role": "crisis", "pilot": "careful"}]
)
def test_the_vector_equals_gymnasiums_own_vector_of_single_environments(seat, form):
    arguments = {"scenario": "finops/refund-storm", "actions": form, **seat}
    ours = SeatVectorEnv(3, **arguments)
    make = lambda: _NextSeed(SingleSeatEnv(**arguments))  # noqa: E731
    theirs = SyncVectorEnv([make] * 3, autoreset_mode=AutoresetMode.SAME_STEP)
    assert np.array_equal(ours.reset(seed=40)[0], theirs.reset(seed=40)[0])
    ours.action_space.seed(1)
    ended = 0
    for _ in range(30):
        action = ours.action_space.sample()
        got, want = ours.step(action), theirs.step(copy.deepcopy(action))
        assert all(np.array_equal(one, two) for one, two in zip(got[:4], want[:4], strict=True))
        for row in np.flatnonzero(got[2]):
            for name in ("score", "steps", "ending", "won"):
                assert got[4]["final_info"][name][row] == want[4]["final_info"][name][row]
        ended += got[2].sum()
    assert ended
