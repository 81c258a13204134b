"""Regret against the plain way: one game per alternative, played through a table."""

import numpy as np
import pytest

from revops_ma.arena import regret as regrets
from revops_ma.arena.match import play_match
from revops_ma.arena.recast import recast
from revops_ma.arena.regret import TooCostly, alternatives, regret
from revops_ma.errors import BadInput
from revops_ma.game import Reply
from revops_ma.run import Run
from revops_ma.table import Table


def played(tmp_path, pilot="heuristic", crisis="rule-based", seed=5, scenario="revops/normal"):
    path = tmp_path / "run"
    play_match({"pilot": pilot, "crisis": crisis}, scenario, 2, seed, path)
    run = Run(path)
    return recast(run, 1), list(run.episodes())[1]


def one_by_one(cast, episode, decision):
    """Returns of all alternatives at one decision of the pilot, each from a game of its own."""
    role = cast.scenario.world.roles[0]
    options = alternatives(role)
    returns = []
    for option in range(len(options.batch)):
        table = Table(cast.scenario.world, cast.scenario.settings, [episode.seed])
        at = made = 0
        while views := table.waiting():
            view = views[0]
            is_pilots = view.role_index == 0
            if is_pilots and made == decision:
                reply = Reply(options.batch[option : option + 1])
            elif made <= decision:
                reply = Reply(view.role.unpack([episode.moves[at][1]]))
            else:
                reply = cast.players[view.role.name].act(view)
            # After the fork the crisis engine chooses anew, in the very month of the decision.
            if not is_pilots and made > decision:
                reply = cast.players[view.role.name].act(view)
            made += is_pilots
            at += 1
            table.take(view, reply)
        returns.append(table.returns[0, 0])
    return np.array(returns)


@pytest.mark.parametrize(("pilot", "crisis"), [("heuristic", "rule-based"), ("random", "random")])
def test_the_best_alternative_is_that_of_one_game_each(tmp_path, pilot, crisis):
    cast, episode = played(tmp_path, pilot, crisis)
    found = regret(cast, episode)
    role = cast.scenario.world.roles[0]
    assert len(found.decisions) == episode.steps
    for number in (0, 2, len(found.decisions) - 1):
        returns = one_by_one(cast, episode, number)
        told = found.decisions[number]
        gain = returns.max() - episode.returns["pilot"]
        assert told.gain == max(gain, 0.0)
        if gain > 0:
            assert told.best == role.caption(alternatives(role).batch, int(returns.argmax()))
        assert told.step == number + 1


def test_gains_are_never_negative_and_the_last_month_can_gain_at_most_a_month(tmp_path):
    cast, episode = played(tmp_path)
    found = regret(cast, episode)
    assert all(decision.gain >= 0.0 for decision in found.decisions)
    assert found.decisions[-1].gain <= 3.35
    assert found.alternatives == 100
    assert found.to_json()["decisions"][0].keys() == {"step", "played", "best", "gain"}


def test_what_gains_nothing_names_the_played_move(tmp_path, monkeypatch):
    cast, episode = played(tmp_path)
    role = cast.scenario.world.roles[0]
    nothing = role.discrete(np.array([[10**6, 0]]))
    monkeypatch.setattr(regrets, "alternatives", lambda role: nothing)
    found = regret(cast, episode)
    assert {decision.gain for decision in found.decisions} == {0.0}
    assert all(decision.best == decision.played for decision in found.decisions)


def test_too_many_alternatives_are_left_out_where_time_is_limited(tmp_path, monkeypatch):
    cast, episode = played(tmp_path)
    monkeypatch.setattr(regrets, "MOST_GAMES", 100)
    with pytest.raises(TooCostly, match="100 alternatives each are too many"):
        regret(cast, episode, limited=True)
    assert regret(cast, episode).decisions


def test_slow_players_are_left_out_where_time_is_limited(tmp_path):
    cast, episode = played(tmp_path, "planner", "none")
    with pytest.raises(TooCostly, match="planner takes too long"):
        regret(cast, episode, limited=True)


def test_an_episode_without_moves_has_no_regret(tmp_path):
    cast, episode = played(tmp_path)
    bare = type(episode)(**{**episode.to_json(), "moves": []})
    with pytest.raises(BadInput, match="no recorded moves"):
        regret(cast, bare)


def test_a_support_desk_episode_has_regret_too(tmp_path):
    cast, episode = played(tmp_path, "careful", "none", scenario="finops/task1")
    role = cast.scenario.world.roles[0]
    few = role.discrete(np.array([[tool, 0] for tool in range(4)]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(regrets, "alternatives", lambda role: few)
        found = regret(cast, episode)
    assert len(found.decisions) == sum(index == 0 for index, _ in episode.moves)
