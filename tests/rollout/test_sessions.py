"""Sessions are a Table that is played elsewhere: the same turns, the same records, to the bit."""

import numpy as np
import pytest

from revops_ma import catalog
from revops_ma.episode import episodes_of
from revops_ma.errors import BadInput, ClosedView
from revops_ma.rollout import EmbeddedPool, Spec, hold
from revops_ma.table import Table

SEEDS = [7, 7, 7, 8, 8, 9, 2, 11]
SEATS = [
    ("revops/normal", "pilot", "rule-based"),
    ("revops/hard", "crisis", "heuristic"),
    ("finops/task3-storm", "pilot", "random"),
    ("finops/task3-storm", "crisis", "careful"),
]
POOLS = [
    "embedded",
    *(pytest.param(workers, marks=pytest.mark.ray) for workers in (1, 2, 4)),
]


def held_of(scenario, role, opponent):
    scene = catalog.scenario(scenario)
    (other,) = {each.name for each in scene.world.roles} - {role}
    return hold(scene, role, {other: opponent}, holder="random")


class Alone:
    """The same games at one table in this process: what sessions must equal."""

    def __init__(self, held, seeds):
        world = held.scenario.world
        self.held, self.table = held, Table(world, held.scenario.settings, seeds)
        self.owed = np.zeros(len(seeds))
        self.host()

    def host(self):
        while views := [v for v in self.table.waiting() if v.role_index != self.held.index]:
            for view in views:
                self.take(view, self.held.players[view.role.name].act(view))

    def take(self, view, reply):
        outcome = self.table.take(view, reply)
        self.owed[outcome.rows] += outcome.rewards[:, self.held.index]

    @property
    def view(self):
        (view,) = self.table.waiting() or [None]
        return view


@pytest.fixture
def pool(request):
    if request.param == "embedded":
        return EmbeddedPool()
    return request.getfixturevalue("pools")[request.param]


@pytest.mark.parametrize("pool", POOLS, indirect=True)
@pytest.mark.parametrize("seat", SEATS)
def test_sessions_are_a_table_played_directly(pool, seat):
    held = held_of(*seat)
    alone = Alone(held, SEEDS)
    player = catalog.agent("random", held.role, held.scenario)
    with pool.open([Spec(held, seed) for seed in SEEDS]) as sessions:
        while len(waiting := sessions.waiting):
            view = alone.view
            assert waiting.ids.tolist() == view.rows.tolist()
            assert waiting.texts == view.texts
            assert waiting.numbers.tobytes() == view.numbers.tobytes()
            assert np.array_equal(waiting.mask, view.mask)
            reply = player.act(view)
            alone.take(view, reply)
            alone.host()
            told = sessions.step(waiting.ids, reply)
            assert told.rewards.tobytes() == alone.owed[waiting.ids].tobytes()
            alone.owed[:] = 0.0
            assert not told.failed.any()
            over = alone.table.world.to_move(alone.table.games)[waiting.ids] < 0
            assert np.array_equal(told.ended, over)
        assert sessions.episodes == episodes_of(alone.table, held.name, record=True)


@pytest.mark.parametrize("pool", POOLS, indirect=True)
def test_any_order_and_any_part_of_the_sessions_may_be_answered(pool):
    held = held_of(*SEATS[0])
    with pool.open([Spec(held, seed) for seed in SEEDS]) as sessions:
        rng, rewards = np.random.default_rng(3), np.zeros(len(SEEDS))
        while len(waiting := sessions.waiting):
            ids = rng.permutation(waiting.ids)[: 1 + rng.integers(len(waiting))]
            told = sessions.step(ids, [answer(sessions, each) for each in ids])
            rewards[told.ids] += told.rewards
        got = sessions.episodes
    assert [episode.returns["pilot"] for episode in got] == pytest.approx(rewards)
    assert got[0].digest == got[1].digest == got[2].digest != got[3].digest
    assert all(episode.refused["pilot"] for episode in got)
    with EmbeddedPool().open([Spec(held, seed) for seed in SEEDS]) as plain:
        while len(waiting := plain.waiting):
            plain.step(waiting.ids, [answer(plain, each) for each in waiting.ids])
        assert plain.episodes == got


def answer(sessions, session):
    """A text that depends on what the session sees, and on nothing else."""
    waiting = sessions.waiting
    text = waiting.texts[waiting.ids.tolist().index(session)]
    return "what?" if len(text) % 3 == 0 else '{"action_type": "cut_costs", "magnitude": 0.4}'


@pytest.mark.parametrize("pool", POOLS, indirect=True)
def test_opponents_and_scenarios_may_differ_from_session_to_session(pool):
    helds = [held_of("revops/normal", "pilot", "random"), held_of("revops/hard", "pilot", "hunter")]
    specs = [Spec(helds[number % 2], number // 2) for number in range(8)]
    with pool.open(specs) as sessions:
        while len(waiting := sessions.waiting):
            sessions.step(waiting.ids, ["{}"] * len(waiting))
        names = [(episode.matchup, episode.seed) for episode in sessions.episodes]
    assert names[:3] == [("random vs random", 0), ("random vs hunter", 0), ("random vs random", 1)]


def test_the_pool_counts_the_games_of_sessions():
    pool = EmbeddedPool()
    with pool.sessions("revops/normal", "crisis", {"pilot": "do-nothing"}, range(5)) as sessions:
        while len(waiting := sessions.waiting):
            sessions.step(waiting.ids, ["{}"] * len(waiting))
    assert pool.timings[0].games == 5
    assert [episode.matchup for episode in sessions.episodes] == ["do-nothing vs caller"] * 5


def test_wrong_steps_are_refused_and_play_nothing():
    pool = EmbeddedPool()
    sessions = pool.sessions("finops/task1-storm", "pilot", {"crisis": "none"}, [1, 2])
    before = sessions.waiting
    for ids, replies, words in (
        ([0, 0], ["{}", "{}"], "each one once"),
        ([2], ["{}"], "id of a session: got 2; allowed: 0 to 1"),
        ([-1], ["{}"], "id of a session: got -1"),
        ([0, 1], ["{}"], "moves: got 1; allowed: 2"),
    ):
        with pytest.raises(BadInput, match=words):
            sessions.step(ids, replies)
    assert sessions.waiting.texts == before.texts
    assert len(sessions.step([], []).ids) == 0
    while len(sessions.waiting):
        sessions.step(sessions.waiting.ids, ["no"] * len(sessions.waiting))
    with pytest.raises(ClosedView, match="session 0 has ended"):
        sessions.step([0], ["{}"])
    sessions.close()
    with pytest.raises(ClosedView, match="were closed"):
        sessions.step([0], ["{}"])


@pytest.mark.parametrize(
    ("role", "opponents", "seeds", "words"),
    [
        ("boss", {"crisis": "none"}, [1], "role: got 'boss'"),
        ("pilot", {}, [1], "opponents of the pilot: got 'none'"),
        ("pilot", {"crisis": "hunte"}, [1], "did you mean 'hunter'"),
        ("pilot", {"crisis": "none"}, [-1], "seed"),
        ("pilot", {"crisis": "none"}, [], "seats of the sessions: got 'none'"),
    ],
)
def test_wrong_seats_are_refused(role, opponents, seeds, words):
    with pytest.raises(BadInput, match=words):
        EmbeddedPool().sessions("revops/normal", role, opponents, seeds)


def test_sessions_of_two_worlds_are_refused():
    specs = [Spec(held_of(*SEATS[0]), 1), Spec(held_of(*SEATS[2]), 1)]
    with pytest.raises(BadInput, match="one role of one world"):
        EmbeddedPool().open(specs)
