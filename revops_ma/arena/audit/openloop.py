"""The best fixed sequence of moves: how far a pilot gets that never looks.

A cross-entropy search (Rubinstein 1999) over the training space: sequences are drawn, played on
training seeds that change every round, and the best tenth teaches the next draw. Fresh seeds keep
a sequence from learning the luck of a few games by heart.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from revops_ma.arena.audit.lab import Laboratory
from revops_ma.arena.audit.measure import measure
from revops_ma.claims import Bound, Finding, OpenLoopCeiling, Score
from revops_ma.game import Agent, View

Sequences = NDArray[np.int64]
"""[sequences, turns, numbers of a move in the training space]"""

ROUNDS, QUICK_ROUNDS = 80, 12
DRAWN, QUICK_DRAWN = 256, 64
"""Sequences per round."""
SEEDS = 64
"""Training seeds per round."""
FINALISTS = 16
"""Sequences of each search that meet on fresh training seeds."""
FINAL_SEEDS = 400
ELITE = 0.1
"""Share of sequences that teaches the next round."""
LEARNING_RATE = 0.4
RETURN_WEIGHTS = (0.01, 1.0)
"""What a unit of return counts beside survival, one search each: for survival, and for return."""
_DICE = 20_250_102
"""Key of the search's own random numbers."""


@measure.register
def _(claim: OpenLoopCeiling, lab: Laboratory) -> Finding:
    role = lab.scenario.world.roles[0]
    engine = lab.seat("random", claim.crisis)[lab.scenario.world.roles[1].name]
    moves = best_sequence(lab, engine, claim.of)
    survival, returns = trial(lab, engine, moves[None], lab.held_out(claim.seeds))
    scores: dict[Score, float] = {"survival": float(survival[0]), "return": float(returns[0])}
    batch = role.discrete(moves).batch
    rows = [{"turn": turn + 1, "move": role.caption(batch, turn)} for turn in range(len(moves))]
    told = f"It survives {scores['survival']:.1%} and returns {scores['return']:.2f}."
    return Finding(scores[claim.of], Bound("<=", claim.limit), told, rows)


def best_sequence(lab: Laboratory, engine: Agent, of: Score) -> Sequences:
    """The sequence that scores best on training seeds: [turns, numbers of a move]."""
    if engine.identity not in lab.sequences:
        found = [search(lab, engine, weight) for weight in RETURN_WEIGHTS]
        lab.sequences[engine.identity] = np.concatenate(found)
    sequences = lab.sequences[engine.identity]
    seeds = lab.training(lab.scaled(FINAL_SEEDS), skip=ROUNDS * SEEDS)
    survival, returns = trial(lab, engine, sequences, seeds)
    return sequences[int((survival if of == "survival" else returns).argmax())]


def search(lab: Laboratory, engine: Agent, weight: float) -> Sequences:
    """The likeliest and the best sequences after the last round.

    `weight` is what a unit of return counts beside survival.
    """
    world = lab.scenario.world
    turns = world.most_turns(lab.scenario.settings, 0)
    rounds, drawn = (QUICK_ROUNDS, QUICK_DRAWN) if lab.quick else (ROUNDS, DRAWN)
    dice = np.random.default_rng(_DICE)
    odds = [np.full((turns, size), 1 / size) for size in world.roles[0].training_space.nvec]
    ranked: Sequences = np.zeros((0, turns, len(odds)), np.int64)
    for number in range(rounds):
        drawn_now = _draw(dice, odds, drawn)
        survival, returns = trial(lab, engine, drawn_now, lab.training(SEEDS, number * SEEDS))
        ranked = drawn_now[np.argsort(-(survival + weight * returns), kind="stable")]
        _learn(odds, ranked[: int(drawn * ELITE)])
    likeliest = np.stack([each.argmax(axis=1) for each in odds], axis=1)
    return np.concatenate((likeliest[None], ranked[: FINALISTS - 1]))


def trial(
    lab: Laboratory, engine: Agent, sequences: Sequences, seeds: range
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Survival and mean return of each sequence over the seeds, all games at once."""
    world, count = lab.scenario.world, len(seeds)
    dealt = world.deal(lab.scenario.settings, seeds)
    games = world.fork(dealt, np.tile(np.arange(count), len(sequences)))
    who = np.repeat(np.arange(len(sequences)), count)
    returns = np.zeros(len(who))
    pilot, turn = world.roles[0], 0
    while len(rows := np.flatnonzero(world.to_move(games) == 0)):
        moves = pilot.discrete(sequences[who[rows], turn]).batch
        returns[rows] += world.apply(games, rows, 0, moves).rewards[:, 0]
        turn += 1
        rows = np.flatnonzero(world.to_move(games) == 1)
        if len(rows):
            moves = engine.act(View(world, games, rows, 1)).batch
            returns[rows] += world.apply(games, rows, 1, moves).rewards[:, 0]
    won = world.won(games, np.arange(len(who)))
    shape = (len(sequences), count)
    return won.reshape(shape).mean(axis=1), returns.reshape(shape).mean(axis=1)


def _draw(dice: np.random.Generator, odds: list[NDArray[np.float64]], count: int) -> Sequences:
    columns = []
    for each in odds:
        edges = each.cumsum(axis=1)[None, :, :-1]
        columns.append((dice.random((count, len(each), 1)) > edges).sum(axis=2))
    return np.stack(columns, axis=2)


def _learn(odds: list[NDArray[np.float64]], elite: Sequences) -> None:
    for number, table in enumerate(odds):
        shown = elite[:, :, number, None] == np.arange(table.shape[1])
        np.add(table, LEARNING_RATE * (shown.mean(axis=0) - table), out=table)
