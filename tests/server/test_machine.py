"""Two clients do whatever they like over sockets: the server answers or hangs up; it stays up."""

import json
from contextlib import ExitStack
from socket import SHUT_RDWR

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from revops_ma.adapters.menu import Menu
from revops_ma.adapters.served import ServedGame

pytestmark = pytest.mark.serve

ACTIONS = ("cut_costs", "hire_support", "negotiate_contracts", "raise_prices")
NO_FRAMES = ("", "{", "[]", "null", '"step"', '{"type": "step"', "\ufeff{}", '{"type": "fly"}', "7")
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)
SEATS = st.sampled_from([0, 1])


class Client:
    """A socket, and the same game in this process."""

    def __init__(self, url):
        self.url = url
        self.begin()

    def begin(self):
        self.stack = ExitStack()
        opened = connect(self.url, proxy=None, compression=None, open_timeout=60)
        self.socket = self.stack.enter_context(opened)
        self.twin = ServedGame(Menu(["revops/normal"]))

    def ask(self, text):
        self.socket.send(text)
        return json.loads(self.socket.recv(30))


class Clients(RuleBasedStateMachine):
    url = ""

    def __init__(self):
        super().__init__()
        self.clients = [Client(self.url), Client(self.url)]

    @rule(seat=SEATS, seed=st.integers(0, 2**31))
    def reset(self, seat, seed):
        client = self.clients[seat]
        told = client.ask(json.dumps({"type": "reset", "data": {"seed": seed}}))
        mine = client.twin.reset(seed=seed)
        assert told["data"]["observation"]["mrr"] == mine["observation"]["mrr"]

    @rule(seat=SEATS, action=st.sampled_from(ACTIONS), magnitude=st.floats(0.1, 1))
    def step(self, seat, action, magnitude):
        client, move = self.clients[seat], {"action_type": action, "magnitude": magnitude}
        told = client.ask(json.dumps({"type": "step", "data": move}))
        if client.twin.seat is None or client.twin.is_over:
            assert told["type"] == "error"
            return
        mine = client.twin.step(move)
        assert told["data"]["reward"] == mine["reward"]
        assert told["data"]["done"] == mine["done"]

    @rule(seat=SEATS, frame=st.sampled_from(NO_FRAMES))
    def send_what_is_no_frame(self, seat, frame):
        assert self.clients[seat].ask(frame)["type"] == "error"

    @rule(seat=SEATS, data=JUNK)
    def step_with_junk(self, seat, data):
        client = self.clients[seat]
        told = client.ask(json.dumps({"type": "step", "data": data}))
        if told["type"] == "observation":  # an object that names no action costs the month
            mine = client.twin.step(data)
            assert told["data"]["reward"] == mine["reward"]

    @rule(seat=SEATS, data=JUNK)
    def reset_with_junk(self, seat, data):
        client = self.clients[seat]
        told = client.ask(json.dumps({"type": "reset", "data": data}))
        if told["type"] == "observation":
            client.twin.reset(seed=told["data"]["metadata"]["seed"])

    @rule(seat=SEATS)
    def state(self, seat):
        client = self.clients[seat]
        told = client.ask('{"type": "state"}')["data"]
        assert told["step_count"] == client.twin.state["step_count"]

    @rule(seat=SEATS, size=st.integers(300_000, 400_000))
    def send_a_huge_frame(self, seat, size):
        client = self.clients[seat]
        with pytest.raises(ConnectionClosed) as found:
            client.ask("x" * size)
        assert found.value.rcvd is None or found.value.rcvd.code == 1009
        client.stack.close()
        client.begin()

    @rule(seat=SEATS)
    def leave_without_a_word(self, seat):
        client = self.clients[seat]
        client.socket.socket.shutdown(SHUT_RDWR)
        client.stack.close()
        client.begin()

    def teardown(self):
        for client in self.clients:
            client.stack.close()


def explore(server, examples, steps):
    run_state_machine_as_test(
        type("Here", (Clients,), {"url": server.socket}),
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    assert server.process.poll() is None
    assert server.lines == []


def test_two_clients_do_whatever_they_like(server):
    explore(server, 12, 30)


@pytest.mark.slow
def test_two_clients_do_whatever_they_like_for_long(server):
    explore(server, 300, 60)
