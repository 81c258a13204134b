"""Numeric agents: the same bits in any company, weights that are checked, dashboards only."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from revops_ma import catalog
from revops_ma.errors import CardError
from revops_ma.game import View
from revops_ma.policies import forward
from revops_ma.policies.network import FURTHEST, load
from revops_ma.table import Table, play
from revops_ma.testing import check_agent
from tests.networks import agent, network, write_card

SCENE = catalog.scenario("revops/normal")
CRISIS = SCENE.world.roles[1]
MANY = 4_096


@pytest.fixture(params=["pilot", "crisis"])
def role(request):
    return request.param


def table_at_turn_of(role, games, months=2):
    """A table whose games all wait for the role."""
    table = Table(SCENE.world, SCENE.settings, range(games))
    other = catalog.agent("heuristic", "pilot", SCENE)
    for _ in range(months + (role == "crisis")):
        (view,) = table.waiting()
        table.take(view, other.act(view))
    return table


def view_of(table, rows=None):
    (view,) = table.waiting()
    return view if rows is None else View(table.world, table.games, rows, view.role_index)


def packed(player, view):
    return np.array(view.role.pack(player.act(view).batch), object)


@pytest.mark.parametrize("decoding", ["sample", "greedy"])
def test_moves_are_the_same_alone_in_a_batch_and_in_any_order(role, decoding, tmp_path):
    card = write_card(tmp_path, network(role), role, decoding=decoding)
    player = catalog.agent(card, role, SCENE)
    table = table_at_turn_of(role, MANY)
    together = packed(player, view_of(table))
    for row in (0, 1, 17, MANY - 1):
        assert (packed(player, view_of(table, np.array([row])))[0] == together[row]).all()
    order = np.random.default_rng(0).permutation(MANY)
    assert (packed(player, view_of(table, order)) == together[order]).all()
    assert len({tuple(move) for move in together.tolist()}) > (10 if decoding == "sample" else 1)


def test_outputs_have_the_same_bits_alone_and_among_thousands(role):
    net = network(role, width=64)
    numbers = view_of(table_at_turn_of(role, MANY)).numbers
    inputs = net.normalise(numbers)
    outputs, values = net.logits(inputs), net.values(inputs)
    for rows in (slice(0, 1), slice(5, 12), slice(MANY - 1, MANY), slice(None, None, 3)):
        alone = np.ascontiguousarray(inputs[rows])
        assert net.logits(alone).tobytes() == outputs[rows].tobytes()
        assert net.values(alone).tobytes() == values[rows].tobytes()


def test_whole_games_are_the_same_alone_and_together(role):
    players = {"pilot": agent("pilot"), "crisis": agent("crisis")}
    together = play(Table(SCENE.world, SCENE.settings, range(64)), players)
    for seed in (0, 63):
        alone = play(Table(SCENE.world, SCENE.settings, [seed]), players)
        assert alone.games[0].tobytes() == together.games[seed].tobytes()


def test_outputs_are_those_of_a_matrix_product(role):
    net = network(role, width=64, spread=0.1)
    inputs = net.normalise(view_of(table_at_turn_of(role, 256)).numbers)
    w0, b0, w1, b1, w2, b2 = (layer.astype(np.float64) for layer in net.policy)
    expected = np.tanh(np.tanh(inputs @ w0 + b0) @ w1 + b1) @ w2 + b2
    np.testing.assert_allclose(net.logits(inputs), expected, atol=2e-6)


def test_a_card_keeps_the_contract_of_agents(role, tmp_path):
    card = write_card(tmp_path, network(role), role)
    check_agent(catalog.agent(card, role, SCENE), role, "revops/normal", seeds=range(4))


@pytest.mark.parametrize(("world", "role"), [("finops", "pilot"), ("finops", "crisis")])
def test_illegal_kinds_are_never_chosen(world, role):
    name = next(card.name for card in catalog.scenarios() if card.world == world)
    scene = catalog.scenario(name)
    net = network(role, world)
    check_agent(agent(role, world=world), role, scene, seeds=range(3))
    assert net.outputs == int(np.prod(net.sizes))


def test_a_numeric_agent_sees_the_dashboard_only(role):
    view = view_of(table_at_turn_of(role, 3))
    agent(role).act(view)
    assert not view.sees_all


def test_identity_changes_with_card_and_weights(tmp_path):
    first = catalog.agent(write_card(tmp_path, network()), "crisis", SCENE)
    again = catalog.agent(write_card(tmp_path, network()), "crisis", SCENE)
    other = catalog.agent(write_card(tmp_path, network(seed=1)), "crisis", SCENE)
    greedy = catalog.agent(write_card(tmp_path, network(), decoding="greedy"), "crisis", SCENE)
    assert first.identity == again.identity
    assert first.identity.startswith("small@")
    assert len({first.identity, other.identity, greedy.identity}) == 3


def test_equal_networks_give_equal_files(tmp_path):
    for name in ("a", "b"):
        network().save(tmp_path / f"{name}.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.npz", "b.npz"]


def test_an_agent_pickles_and_copies():
    player = agent()
    table = table_at_turn_of("crisis", 32)
    expected = packed(player, view_of(table))
    for twin in (pickle.loads(pickle.dumps(player)), copy.deepcopy(player)):
        assert twin.identity == player.identity
        assert (packed(twin, view_of(table)) == expected).all()


def test_observations_far_outside_are_cut_off():
    net = network()
    assert np.abs(net.normalise(np.full((1, net.inputs), 1e12))).max() == FURTHEST


def broken(**changes):
    """The arrays of a good network with some changed; None leaves one out."""
    arrays = {**network().arrays(), **changes}
    return {name: array for name, array in arrays.items() if array is not None}


def pickled():
    return np.array([{"a": 1}], object)


BROKEN = {
    "no policy": broken(policy_w1=None),
    "another role": network("pilot").arrays(),
    "wrong shape": broken(policy_w0=np.zeros((3, 8), np.float32)),
    "wrong type": broken(policy_b0=np.zeros(8)),
    "not finite": broken(policy_b2=np.full(40, np.nan, np.float32)),
    "no scale": broken(scale=np.zeros(network().inputs)),
    "half a critic": broken(critic_w2=None),
    "a pickle": broken(mean=pickled()),
    "no sizes": broken(sizes=np.array(3)),
}


@pytest.mark.parametrize("what", BROKEN)
def test_weights_that_do_not_fit_are_one_clear_card_error(what, tmp_path):
    np.savez(tmp_path / "bad.npz", **BROKEN[what])
    with pytest.raises(CardError, match=r"^weights .*bad\.npz: .+; expected: ") as raised:
        load(tmp_path / "bad.npz", CRISIS)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("content", [b"", b"garbage", b"PK\x03\x04broken", b"\x93NUMPY\x01"])
def test_a_file_that_is_no_npz_is_one_clear_card_error(content, tmp_path):
    (tmp_path / "bad.npz").write_bytes(content)
    with pytest.raises(CardError, match=r"bad\.npz"):
        load(tmp_path / "bad.npz", CRISIS)


def test_a_single_array_and_a_cut_file_are_card_errors(tmp_path):
    np.save(tmp_path / "one.npy", np.zeros(3))
    network().save(tmp_path / "whole.npz")
    (tmp_path / "cut.npz").write_bytes((tmp_path / "whole.npz").read_bytes()[:-300])
    for name in ("one.npy", "cut.npz", "missing.npz"):
        with pytest.raises(CardError, match=name):
            load(tmp_path / name, CRISIS)


def test_a_file_that_unpacks_to_too_much_is_a_card_error(tmp_path, monkeypatch):
    network().save(tmp_path / "large.npz")
    monkeypatch.setattr("revops_ma.policies.network.LARGEST_BYTES", 100)
    with pytest.raises(CardError, match="bytes of arrays; up to 100 are read"):
        load(tmp_path / "large.npz", CRISIS)


def test_a_card_without_its_weights_is_a_card_error(tmp_path):
    card = write_card(tmp_path, network())
    (tmp_path / "small.npz").unlink()
    with pytest.raises(CardError, match=r"small\.npz"):
        catalog.agent(card, "crisis", SCENE)


def test_a_card_sits_in_its_own_seat_only(tmp_path):
    card = write_card(tmp_path, network())
    with pytest.raises(CardError, match="plays role 'crisis', not 'pilot'"):
        catalog.agent(card, "pilot", SCENE)


@pytest.mark.parametrize("missing", ["role", "world"])
def test_a_card_must_name_its_seat(missing, tmp_path):
    card = write_card(tmp_path, network())
    text = "".join(
        line for line in card.read_text().splitlines(True) if not line.startswith(missing)
    )
    card.write_text(text)
    with pytest.raises(CardError, match=f"{missing}: Field required"):
        catalog.agent(card, "crisis", SCENE)


@given(st.floats(-20, 20, width=32))
def test_tanh_is_tanh_and_odd(x):
    assert abs(forward.tanh(np.float32(x)) - np.tanh(x)) < 5e-7
    assert forward.tanh(np.float32(-x)) == -forward.tanh(np.float32(x))


@given(st.floats(-700, 0))
def test_exp_is_exp_down_to_its_floor(x):
    assert forward.exp(x) == pytest.approx(np.exp(max(x, -60.0)), rel=1e-7)


def test_compiled_and_plain_python_give_the_same_bits():
    random = np.random.default_rng(1)
    x = random.normal(size=(3, 5)).astype(np.float32)
    layers = [
        random.normal(size=shape).astype(np.float32) for shape in ((5, 4), 4, (4, 4), 4, (4, 6), 6)
    ]
    outs = [np.empty((3, 6), np.float32) for _ in range(2)]
    for run, out in zip((forward.forward, forward.forward.py_func), outs, strict=True):
        run(x, *layers, out)
    assert outs[0].tobytes() == outs[1].tobytes()


def test_draws_follow_the_softmax_and_the_mask():
    logits = np.log(np.array([[0.1, 0.2, 0.3, 0.4]], np.float32)).repeat(20_000, 0)
    luck = (np.arange(20_000) + 0.5) / 20_000
    choices = np.empty(20_000, np.int64)
    forward.draw(logits, np.ones((20_000, 0), np.bool_), luck, choices)
    np.testing.assert_allclose(np.bincount(choices) / 20_000, [0.1, 0.2, 0.3, 0.4], atol=1e-3)
    legal = np.array([[True, False, False, True]]).repeat(20_000, 0)
    forward.draw(logits, legal, luck, choices)
    np.testing.assert_allclose(np.bincount(choices) / 20_000, [0.2, 0, 0, 0.8], atol=1e-3)


def test_playing_weights_needs_neither_torch_nor_ray(tmp_path):
    card = write_card(tmp_path, network())
    script = (
        "import sys; from revops_ma import catalog; scene = catalog.scenario('revops/normal');"
        f"catalog.agent({str(card)!r}, 'crisis', scene);"
        "print(sorted({'torch', 'ray'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
