"""The contract of worlds."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Sequence

import numpy as np

from revops_ma.catalog import Scenario
from revops_ma.errors import ClosedView
from revops_ma.game import OVER, Reply, View
from revops_ma.table import Table, play
from revops_ma.testing.expect import ContractBroken, equal, expect, strict_json
from revops_ma.testing.lab import SEEDS, Lab, Wanderer, prints_of, scene_of, story_of, views_of
from revops_ma.testing.readers import check_garbage
from revops_ma.testing.turns import check_outcome, check_view


def check_world(scenario: str | Scenario, seeds: Sequence[int] = SEEDS) -> None:
    """Check that the world of a scenario keeps the contract of `World` and `Role`.

    Deals, shapes, bounds, rewards, endings; the same bits alone and in a batch, in any order, in
    copies and forks and from packed moves; and readers that refuse garbage without raising.
    """
    lab = Lab(scene_of(scenario), list(seeds))
    for check in (
        _check_deal,
        _check_turns,
        _check_endings,
        _check_alone_and_in_any_order,
        _check_copies,
        _check_packed_moves,
        check_garbage,
    ):
        check(lab)


def _check_deal(lab: Lab) -> None:
    world, games = lab.scene.world, lab.table().games
    equal(len(games), len(lab.seeds), "games of a deal")
    turns = np.asarray(world.to_move(games))
    equal(turns.shape, (len(games),), "shape of to_move")
    fits = ((turns >= 0) & (turns < len(world.roles))).all()
    expect(fits, "to_move of fresh games", turns.tolist(), f"0 to {len(world.roles) - 1}")
    equal(prints_of(world, lab.table().games), prints_of(world, games), "the same deal dealt twice")


def _check_turns(lab: Lab) -> None:
    table = lab.table()
    for view in views_of(table):
        check_view(view)
        resting = np.setdiff1d(np.arange(len(table)), view.rows)
        before = prints_of(table.world, table.games, resting)
        outcome = table.take(view, Wanderer().act(view))
        check_outcome(table.world, outcome)
        over = np.asarray(table.world.to_move(table.games))[view.rows] == OVER
        equal(outcome.ended.tolist(), over.tolist(), "ended of an outcome, against to_move")
        after = prints_of(table.world, table.games, resting)
        equal(after, before, "games that did not move, after others moved")


def _check_endings(lab: Lab) -> None:
    table = lab.played()
    world, rows = table.world, np.arange(len(lab.seeds))
    endings = world.endings(table.games, rows)
    named = all(isinstance(name, str) and name not in ("", "none") for name in endings)
    expect(named, "endings of games that are over", endings, "a name each")
    equal(np.asarray(world.won(table.games, rows)).dtype, np.dtype(np.bool_), "dtype of won")
    facts = world.facts(table.games, rows)
    missing = [name for name in world.facts_shown if name not in facts]
    expect(not missing, "facts that `facts_shown` names", sorted(facts), f"also {missing}")
    for name, values in {**facts, **world.trace(table.games, rows)}.items():
        fits = np.shape(values) == rows.shape and np.isfinite(values).all()
        expect(fits, f"figure {name}", values, f"{len(rows)} finite numbers")
    expect((table.steps > 0).all(), "scored steps", table.steps.tolist(), "at least one a game")


def _check_alone_and_in_any_order(lab: Lab) -> None:
    together, backwards = lab.played(), lab.played(lab.seeds[::-1])
    for row, seed in enumerate(lab.seeds):
        known = story_of(together, row)
        equal(story_of(lab.played([seed]), 0), known, f"game of seed {seed}, alone")
        mirrored = len(lab.seeds) - 1 - row
        equal(story_of(backwards, mirrored), known, f"game of seed {seed}, in another order")
    shuffled = lab.table()
    for view in views_of(shuffled):
        turned = View(view.world, shuffled.games, view.rows[::-1].copy(), view.role_index)
        shuffled.take(turned, Wanderer().act(turned))
    for row in range(len(lab.seeds)):
        equal(story_of(shuffled, row), story_of(together, row), "a game, its rows taken backwards")


def _check_copies(lab: Lab) -> None:
    table = lab.table()
    for turn, view in enumerate(views_of(table)):
        if turn in (1, 3, 9):
            _check_copies_of(lab, table)
        table.take(view, Wanderer().act(view))


def _check_copies_of(lab: Lab, table: Table) -> None:
    world, rows = table.world, np.arange(len(table))
    before = prints_of(world, table.games)
    forked = copy.deepcopy(table)
    forked.games = world.fork(table.games, rows)
    twins = {
        "a deep copy": copy.deepcopy(table),
        "a pickled copy": pickle.loads(pickle.dumps(table)),  # noqa: S301 (pickled a moment ago)
        "a fork": forked,
    }
    ends = [prints_of(world, play(twin, lab.players).games) for twin in twins.values()]
    equal(prints_of(world, table.games), before, "a game whose copies were played on")
    original = prints_of(world, lab.played().games)
    for what, end in zip(twins, ends, strict=True):
        equal(end, original, f"the end of {what} taken in the middle of a game")


def _check_packed_moves(lab: Lab) -> None:
    table, again = lab.played(), lab.table()
    for turn in table.log:
        role = table.world.roles[turn.role]
        packed = role.pack(turn.batch)
        equal(len(packed), len(turn.rows), f"packed moves of the {role.name}")
        batch = role.unpack(json.loads(strict_json(packed, role)))
        view = View(again.world, again.games, turn.rows, turn.role)
        try:
            again.take(view, Reply(batch))
        except ClosedView as error:
            raise ContractBroken(f"games replayed from packed moves: {error}") from None
    ends = prints_of(table.world, table.games)
    equal(prints_of(table.world, again.games), ends, "games replayed from packed moves")
