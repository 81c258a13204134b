"""Contract tests for worlds and agents, ours and other people's.

    from revops_ma.testing import check_agent, check_world

    check_world("revops/normal")
    check_agent("agents/mine.toml", "pilot", "revops/normal")

Both play a few games and raise ContractBroken at the first promise that does not hold. They need no
test framework; inside one, a call is a test.
"""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from revops_ma import catalog
from revops_ma.catalog import Scenario
from revops_ma.errors import ClosedView, HiddenState
from revops_ma.game import OVER, Agent, Reply, Role, View, World
from revops_ma.table import Table, Turn, play

SEEDS = range(6)
MAX_TURNS = 10_000
"""Turns after which a game counts as one that never ends."""
LOOK_EVERY = 4
"""An agent is cross-examined on every so many-th view: slow agents play too."""

GARBAGE_TEXTS = ("", "{", "I would rather not.", "[]", '{"x": 1}', "<think>", "{}{}", "\ufeff{}")
GARBAGE_OBJECTS = (None, 7, "text", [], {}, {"x": float("nan")}, {10**5000: [[]]}, {"kind": 1e999})


class ContractBroken(AssertionError):
    """A world or an agent does not keep what `revops_ma.game` promises: what, got, expected."""


def check_world(scenario: str | Scenario, seeds: Sequence[int] = SEEDS) -> None:
    """Check that the world of a scenario keeps the contract of `World` and `Role`.

    Deals, shapes, bounds, rewards, endings; the same bits alone and in a batch, in any order, in
    copies and forks and from packed moves; and readers that refuse garbage without raising.
    """
    lab = _Lab(_scene(scenario), list(seeds))
    for check in (
        _check_deal,
        _check_turns,
        _check_endings,
        _check_alone_and_in_any_order,
        _check_copies,
        _check_packed_moves,
        _check_garbage,
    ):
        check(lab)


def check_agent(
    agent: str | Path | Agent,
    role: str,
    scenario: str | Scenario,
    seeds: Sequence[int] = SEEDS,
) -> None:
    """Check that an agent keeps the contract of `Agent` in one seat of a scenario.

    It answers every view with that many finite, legal moves, changes no game, keeps no hidden state
    (the same view twice, some of its rows, a copy: the same answer), and reads the full state only
    if its card says so.
    """
    scene = _scene(scenario)
    if isinstance(agent, (str, Path)):
        agent = catalog.agent(agent, role, scene)
    lab = _Lab(scene, list(seeds))
    players = lab.players | {role: agent}
    seated = {name: player.seated(scene, players) for name, player in players.items()}
    table, looked = lab.table(), 0
    for view in _views(table):
        if view.role.name != role:
            table.take(view, seated[view.role.name].act(view))
            continue
        if looked % LOOK_EVERY == 0:
            _check_answers(seated[role], view, table)
        looked += 1
        _check_outcome(table.world, table.take(view, _answer(seated[role], view)))
    _expect(looked > 0, f"views of the {role}", looked, "at least one in the games")


@dataclass(frozen=True)
class _Wanderer:
    """Plays any point of the training space, by the role's own luck: no state, no order."""

    name = identity = "wanderer"

    def act(self, view: View) -> Reply:
        sizes = view.role.training_space.nvec
        drawn = np.stack([view.luck(lane) for lane in range(len(sizes))], axis=1)
        return view.role.discrete((drawn * sizes).astype(np.int64))

    def seated(self, scenario: Any, players: Mapping[str, Agent]) -> Agent:
        return self


@dataclass(frozen=True)
class _Lab:
    """A scenario with seeds to try it on."""

    scene: Scenario
    seeds: list[int]

    @property
    def players(self) -> dict[str, Agent]:
        return {role.name: _Wanderer() for role in self.scene.world.roles}

    def table(self, seeds: Sequence[int] | None = None) -> Table:
        given = self.seeds if seeds is None else seeds
        return Table(self.scene.world, self.scene.settings, given)

    def played(self, seeds: Sequence[int] | None = None) -> Table:
        return play(self.table(seeds), self.players)


def _check_deal(lab: _Lab) -> None:
    world, games = lab.scene.world, lab.table().games
    _equal(len(games), len(lab.seeds), "games of a deal")
    turns = np.asarray(world.to_move(games))
    _equal(turns.shape, (len(games),), "shape of to_move")
    fits = ((turns >= 0) & (turns < len(world.roles))).all()
    _expect(fits, "to_move of fresh games", turns.tolist(), f"0 to {len(world.roles) - 1}")
    _equal(_prints(world, lab.table().games), _prints(world, games), "the same deal dealt twice")


def _check_turns(lab: _Lab) -> None:
    table = lab.table()
    for view in _views(table):
        _check_view(view)
        resting = np.setdiff1d(np.arange(len(table)), view.rows)
        before = _prints(table.world, table.games, resting)
        outcome = table.take(view, _Wanderer().act(view))
        _check_outcome(table.world, outcome)
        over = np.asarray(table.world.to_move(table.games))[view.rows] == OVER
        _equal(outcome.ended.tolist(), over.tolist(), "ended of an outcome, against to_move")
        after = _prints(table.world, table.games, resting)
        _equal(after, before, "games that did not move, after others moved")


def _check_view(view: View) -> None:
    role, n = view.role, len(view)
    numbers, mask, texts = view.numbers, view.mask, view.texts
    _equal(numbers.shape, (n, *role.observation_space.shape), f"shape of the {role.name}'s numbers")
    _equal(numbers.dtype, np.dtype(np.float64), f"dtype of the {role.name}'s numbers")
    rounded = view.world.observe32(*view.secrets(), view.role_index)
    _equal(rounded.dtype, np.dtype(np.float32), f"dtype of the {role.name}'s observe32")
    _equal(rounded.tolist(), numbers.astype(np.float32).tolist(), f"the {role.name}'s observe32")
    for line in rounded:
        fits = role.observation_space.contains(line)
        _expect(fits, f"numbers of the {role.name}", line.tolist(), "inside observation_space")
    _equal(mask.shape, (n, len(role.kinds())), f"shape of the {role.name}'s mask")
    _equal(mask.dtype, np.dtype(np.bool_), f"dtype of the {role.name}'s mask")
    named = len(texts) == n and all(isinstance(text, str) and text.strip() for text in texts)
    _expect(named, f"texts of the {role.name}", texts, f"{n} texts")
    luck = view.luck(0)
    fits = luck.shape == (n,) and ((luck >= 0) & (luck < 1)).all()
    _expect(fits, f"luck of the {role.name}", luck, f"{n} numbers in [0, 1)")


def _check_outcome(world: World, outcome: Any) -> None:
    n = len(outcome.rows)
    rewards, signals = outcome.rewards, outcome.signals
    _equal(rewards.shape, (n, len(world.roles)), "shape of rewards")
    _expect(np.isfinite(rewards).all(), "rewards", rewards.tolist(), "finite numbers")
    paid = [outcome.paid(position) for position in range(n)]
    _equal(paid, rewards.tolist(), "paid of each position, against rewards")
    if len(world.roles) == 2:
        _equal(rewards.sum(axis=1).tolist(), [0.0] * n, "sum of both roles' rewards")
    for name in ("scored", "ended"):
        flags = getattr(outcome, name)
        _equal((flags.shape, flags.dtype), ((n,), np.dtype(np.bool_)), f"shape and dtype of {name}")
    unpaid = rewards[~outcome.scored]
    _expect(not unpaid.any(), "rewards where nothing was scored", unpaid.tolist(), "zeros")
    _equal(signals.shape, (n, len(world.signals)), "shape of signals")
    total = np.zeros(n)
    for part in signals.T:
        total = total + part
    _equal(total.tolist(), rewards[:, 0].tolist(), "signals, summed left to right")
    _equal(len(outcome.played), n, "moves played")


def _check_endings(lab: _Lab) -> None:
    table = lab.played()
    world, rows = table.world, np.arange(len(lab.seeds))
    endings = world.endings(table.games, rows)
    named = all(isinstance(name, str) and name not in ("", "none") for name in endings)
    _expect(named, "endings of games that are over", endings, "a name each")
    _equal(np.asarray(world.won(table.games, rows)).dtype, np.dtype(np.bool_), "dtype of won")
    facts = world.facts(table.games, rows)
    missing = [name for name in world.facts_shown if name not in facts]
    _expect(not missing, "facts that `facts_shown` names", sorted(facts), f"also {missing}")
    for name, values in {**facts, **world.trace(table.games, rows)}.items():
        fits = np.shape(values) == rows.shape and np.isfinite(values).all()
        _expect(fits, f"figure {name}", values, f"{len(rows)} finite numbers")
    _expect((table.steps > 0).all(), "scored steps", table.steps.tolist(), "at least one a game")


def _check_alone_and_in_any_order(lab: _Lab) -> None:
    together, backwards = lab.played(), lab.played(lab.seeds[::-1])
    for row, seed in enumerate(lab.seeds):
        known = _story(together, row)
        _equal(_story(lab.played([seed]), 0), known, f"game of seed {seed}, alone")
        mirrored = len(lab.seeds) - 1 - row
        _equal(_story(backwards, mirrored), known, f"game of seed {seed}, in another order")
    shuffled = lab.table()
    for view in _views(shuffled):
        turned = View(view.world, shuffled.games, view.rows[::-1].copy(), view.role_index)
        shuffled.take(turned, _Wanderer().act(turned))
    for row in range(len(lab.seeds)):
        _equal(_story(shuffled, row), _story(together, row), "a game, its rows taken backwards")


def _check_copies(lab: _Lab) -> None:
    table = lab.table()
    for turn, view in enumerate(_views(table)):
        if turn in (1, 3, 9):
            _check_copies_of(lab, table)
        table.take(view, _Wanderer().act(view))


def _check_copies_of(lab: _Lab, table: Table) -> None:
    world, rows = table.world, np.arange(len(table))
    before = _prints(world, table.games)
    forked = copy.deepcopy(table)
    forked.games = world.fork(table.games, rows)
    twins = {
        "a deep copy": copy.deepcopy(table),
        "a pickled copy": pickle.loads(pickle.dumps(table)),  # noqa: S301 (pickled a moment ago)
        "a fork": forked,
    }
    ends = [_prints(world, play(twin, lab.players).games) for twin in twins.values()]
    _equal(_prints(world, table.games), before, "a game whose copies were played on")
    original = _prints(world, lab.played().games)
    for what, end in zip(twins, ends, strict=True):
        _equal(end, original, f"the end of {what} taken in the middle of a game")


def _check_packed_moves(lab: _Lab) -> None:
    table, again = lab.played(), lab.table()
    for turn in table.log:
        role = table.world.roles[turn.role]
        packed = role.pack(turn.batch)
        _equal(len(packed), len(turn.rows), f"packed moves of the {role.name}")
        batch = role.unpack(json.loads(_strict_json(packed, role)))
        view = View(again.world, again.games, turn.rows, turn.role)
        try:
            again.take(view, Reply(batch))
        except ClosedView as error:
            raise ContractBroken(f"games replayed from packed moves: {error}") from None
    ends = _prints(table.world, table.games)
    _equal(_prints(table.world, again.games), ends, "games replayed from packed moves")


def _check_garbage(lab: _Lab) -> None:
    for index, role in enumerate(lab.scene.world.roles):
        sizes = role.training_space.nvec
        outside = np.array([sizes, sizes * 0 - 1, sizes * 0 + 2**40])
        _check_reader(lab, index, "discrete", outside)
        for reader, garbage in (("texts", GARBAGE_TEXTS), ("objects", GARBAGE_OBJECTS)):
            reply = _check_reader(lab, index, reader, garbage)
            what = f"positions that {role.name}.{reader} refuses of {len(garbage)} that are no move"
            _equal(sorted(reply.refused), list(range(len(garbage))), what)


def _check_reader(lab: _Lab, index: int, reader: str, garbage: Any) -> Reply:
    role = lab.scene.world.roles[index]
    try:
        reply: Reply = getattr(role, reader)(garbage)
    except Exception as error:
        raise ContractBroken(
            f"{role.name}.{reader} of what is no move: raised {error!r}; expected: a Refused"
        ) from error
    _check_read(lab, index, reply, len(garbage))
    return reply


def _check_read(lab: _Lab, index: int, reply: Reply, count: int) -> None:
    """Check a reply to garbage, then play it."""
    role = lab.scene.world.roles[index]
    _equal(len(reply.batch), count, f"moves of the {role.name} read")
    kinds, strengths = role.kind_of(reply.batch), role.strength_of(reply.batch)
    fits = (kinds < len(role.kinds())).all() and np.isfinite(strengths).all()
    _expect(fits, f"kinds and strengths of the {role.name}", (kinds, strengths), "known, finite")
    for position in range(count):
        caption = role.caption(reply.batch, position)
        _expect(bool(caption), f"caption of a move of the {role.name}", caption, "a few words")
    table = lab.table(range(count))
    for view in _views(table):
        if view.role_index == index and len(view) == count:
            _check_outcome(table.world, table.take(view, reply))
            return
        table.take(view, _Wanderer().act(view))


def _check_answers(agent: Agent, view: View, table: Table) -> None:
    """Ask an agent several times about the same games."""
    role, games = view.role, table.games
    before = _prints(view.world, games)

    def ask(who: Agent, rows: Any) -> list[Any]:
        asked = View(view.world, games, rows, view.role_index)
        return role.pack(_answer(who, asked).batch)

    answers = ask(agent, view.rows)
    _strict_json(answers, role)
    _equal(ask(agent, view.rows), answers, f"{agent.name}'s answer to the same view, asked again")
    some = np.arange(len(view))[::2]
    expected = [answers[position] for position in some]
    _equal(ask(agent, view.rows[some]), expected, f"{agent.name}'s answer to some of the rows")
    _equal(ask(copy.deepcopy(agent), view.rows), answers, f"the answer of a copy of {agent.name}")
    pickled = pickle.loads(pickle.dumps(agent))  # noqa: S301 (pickled a moment ago)
    _equal(ask(pickled, view.rows), answers, f"the answer of {agent.name}, pickled")
    _equal(pickled.identity, agent.identity, f"identity of {agent.name}, pickled")
    _equal(_prints(view.world, games), before, f"the games that {agent.name} looked at")


def _answer(agent: Agent, view: View) -> Reply:
    card = getattr(agent, "card", None)
    if getattr(card, "sees", "everything") == "dashboard":
        view.dashboard_only()
    try:
        reply = agent.act(view)
    except HiddenState as error:
        raise ContractBroken(f"{agent.name} asked for more than it sees: {error}") from None
    role = view.role
    _equal(len(reply.batch), len(view), f"moves of {agent.name}")
    kinds, strengths = role.kind_of(reply.batch), role.strength_of(reply.batch)
    _expect(np.isfinite(strengths).all(), f"moves of {agent.name}", strengths, "finite strengths")
    known = np.flatnonzero(kinds >= 0)
    legal = view.mask[known, kinds[known]].all()
    _expect(legal, f"moves of {agent.name}", kinds.tolist(), "kinds that the view's mask allows")
    return reply


def _views(table: Table) -> Iterator[View]:
    """Views of a table until its games are over; each must be answered before the next."""
    for _ in range(MAX_TURNS):
        views = table.waiting()
        if not views:
            return
        yield from views
    raise ContractBroken(f"games go on after {MAX_TURNS} turns; expected: an end")


def _story(table: Table, row: int) -> list[Any]:
    """What happened in one game: seat, move and pay of every turn, and its last state."""
    told: list[Any] = []
    for turn in table.log:
        for position in np.flatnonzero(turn.rows == row):
            told.append(_line(table, turn, position))
    return [*told, table.returns[row].tolist(), _prints(table.world, table.games, [row])]


def _line(table: Table, turn: Turn, position: Any) -> tuple[Any, ...]:
    move = table.world.roles[turn.role].pack(turn.batch)[position]
    return turn.role, move, turn.outcome.rewards[position].tolist()


def _prints(world: World, games: Any, rows: Any = None) -> list[bytes]:
    picked = range(len(games)) if rows is None else rows
    return [world.fingerprint(games, int(row)) for row in picked]


def _strict_json(packed: list[Any], role: Role) -> str:
    try:
        return json.dumps(packed, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ContractBroken(
            f"packed moves of the {role.name}: {error}; expected: strict JSON, finite numbers"
        ) from None


def _scene(scenario: str | Scenario) -> Scenario:
    return catalog.scenario(scenario) if isinstance(scenario, str) else scenario


def _equal(got: Any, expected: Any, what: str) -> None:
    _expect(got == expected, what, got, repr(expected)[:300])


def _expect(holds: Any, what: str, got: Any, expected: str) -> None:
    if not holds:
        raise ContractBroken(f"{what}: got {str(got)[:300]}; expected: {expected}")
