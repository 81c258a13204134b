"""The turn loop: views that close, replies that fit, and what is counted."""

import copy

import numpy as np
import pytest

from revops_ma import catalog
from revops_ma.errors import BadInput, ClosedView
from revops_ma.game import Refused, Reply
from revops_ma.table import Table, play
from tests.worlds.revops.helpers import players

SCENE = catalog.scenario("revops/normal")


@pytest.fixture
def table():
    return Table(SCENE.world, SCENE.settings, [5, 6, 7])


def do_nothing(view):
    return view.role.discrete(np.zeros((len(view), 2), np.int64))


def test_all_games_wait_for_the_pilot_first(table):
    (view,) = table.waiting()
    assert view.role.name == "pilot"
    assert view.rows.tolist() == [0, 1, 2]
    assert len(view) == len(table) == 3
    assert not table.is_over


@pytest.mark.parametrize("count", [0, 2, 4])
def test_a_reply_with_another_number_of_moves_is_refused_and_plays_nothing(table, count):
    (view,) = table.waiting()
    before = table.games.tobytes()
    reply = view.role.discrete(np.zeros((count, 2), np.int64))
    with pytest.raises(BadInput, match=f"moves of the pilot: got {count}; allowed: 3, one a game"):
        table.take(view, reply)
    assert table.games.tobytes() == before
    assert table.log == []
    table.take(view, do_nothing(view))  # the view is still open


@pytest.mark.parametrize(
    "look",
    [
        lambda view: view.numbers,
        lambda view: view.mask,
        lambda view: view.texts,
        lambda view: view.luck(0),
        lambda view: view.secrets(),
    ],
)
def test_a_view_closes_once_it_is_answered(table, look):
    (view,) = table.waiting()
    look(view)
    table.take(view, do_nothing(view))
    with pytest.raises(ClosedView, match="this view of the pilot was answered; take a new one"):
        look(view)


def test_a_view_is_made_once(table):
    (view,) = table.waiting()
    assert view.numbers is view.numbers
    assert view.texts is view.texts


def test_a_view_cannot_be_answered_twice(table):
    (view,) = table.waiting()
    reply = do_nothing(view)
    table.take(view, reply)
    with pytest.raises(ClosedView):
        table.take(view, reply)


def test_what_was_refused_untidy_or_fell_back_is_counted(table):
    (view,) = table.waiting()
    batch = do_nothing(view).batch
    reply = Reply(
        batch,
        refused={0: Refused("empty"), 2: Refused("ambiguous")},
        notes={1: ("fenced", "clamped")},
        fallbacks=frozenset({2}),
    )
    table.take(view, reply)
    assert table.refused.tolist() == [[1, 0], [0, 0], [1, 0]]
    assert table.fallbacks.tolist() == [[0, 0], [0, 0], [1, 0]]
    counted = {("pilot", code): 1 for code in ("empty", "ambiguous", "fenced", "clamped")}
    assert table.reasons == counted


def test_counts_go_to_the_games_not_to_the_positions(table):
    (view,) = table.waiting()
    table.games["turn"][0] = -1  # game 0 is over: positions 0 and 1 are games 1 and 2
    (view,) = table.waiting()
    table.take(view, Reply(do_nothing(view).batch, refused={1: Refused("empty")}))
    assert table.refused[:, 0].tolist() == [0, 0, 1]


def test_returns_and_steps_add_up_from_the_log(table):
    play(table, players("random", "random", SCENE))
    assert table.is_over
    returns, steps = np.zeros((3, 2)), np.zeros(3)
    for turn in table.log:
        returns[turn.rows] += turn.outcome.rewards
        steps[turn.rows] += turn.outcome.scored
    assert (returns == table.returns).all()
    assert (steps == table.steps).all()
    assert (table.returns.sum(axis=1) == 0.0).all()


def test_the_games_after_some_turns_are_replayed_to_the_same_bytes(table):
    states = [table.games.tobytes()]
    play(
        table,
        players("heuristic", "random", SCENE),
        lambda now: states.append(now.games.tobytes()),
    )
    assert [table.games_after(turns).tobytes() for turns in range(len(states))] == states
    assert table.games_after(len(table.log)) is table.games


@pytest.mark.parametrize("count", [1, 3])
def test_the_view_of_one_game_is_of_its_row_alone(count):
    table = Table(SCENE.world, SCENE.settings, range(count))
    for row in range(count):
        view = table.view_of(row)
        assert view.rows.tolist() == [row]
    table.games["turn"][0] = -1
    assert table.view_of(0) is None


def test_play_calls_back_after_every_turn(table):
    lengths = []
    play(table, players("heuristic", "none", SCENE), lambda now: lengths.append(len(now.log)))
    assert lengths == list(range(1, len(table.log) + 1))


def test_a_game_that_is_over_is_asked_no_more(table):
    play(table, players("do-nothing", "rule-based", SCENE))
    assert table.waiting() == []
    last = {}
    for turn in table.log:
        for row, ended in zip(turn.rows, turn.outcome.ended, strict=True):
            assert not last.get(row)
            last[row] = ended
    assert all(last.values())


def test_a_table_of_no_games_is_over():
    assert Table(SCENE.world, SCENE.settings, []).is_over


def test_a_finished_game_cannot_be_played_on(table):
    stale = table.waiting()[0]
    reply = do_nothing(stale)
    while views := table.waiting():
        for view in views:
            table.take(view, do_nothing(view))
    before, totals = table.games.tobytes(), table.returns.copy()
    with pytest.raises(ClosedView, match="another turn"):
        table.take(stale, reply)
    assert table.games.tobytes() == before
    assert (table.returns == totals).all()


def test_two_views_of_one_turn_are_answered_once(table):
    first, second = table.waiting()[0], table.waiting()[0]
    for _ in range(3):
        (view,) = table.waiting()
        table.take(view, do_nothing(view))
    assert table.waiting()[0].role.name == "crisis"
    for view in (first, second):
        with pytest.raises(ClosedView):
            table.take(view, do_nothing(view))


def test_a_view_of_another_table_is_refused(table):
    other = copy.deepcopy(table)
    (view,) = other.waiting()
    with pytest.raises(ClosedView):
        table.take(view, do_nothing(view))
