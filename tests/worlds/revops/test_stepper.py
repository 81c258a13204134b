"""The compiled month of vector environments plays the very games of the turn loop."""

import numpy as np
import pytest

from revops_ma import catalog
from revops_ma.worlds.revops import WORLD
from revops_ma.worlds.revops.kernel import PILOT_MOVE
from tests.worlds.revops.helpers import CRISIS_SEAT, PILOT_SEAT, ROW, crisis_move, games, players

SCENE = catalog.scenario("revops/normal")
COUNT, MONTHS = 12, 100


def moves():
    rng = np.random.default_rng(0)
    drawn = np.zeros((MONTHS, COUNT), PILOT_MOVE)
    drawn["action"] = rng.integers(0, 10, drawn.shape)
    drawn["magnitude"] = rng.uniform(0.1, 1.0, drawn.shape)
    return drawn


def one_by_one(column, orders, seed):
    """Rewards of each month and final games, seed after seed, by single turns."""
    game = games(seed)
    paid, finals = [], []
    for move in column:
        outcome = WORLD.apply(game, ROW, PILOT_SEAT, np.array([move]))
        if WORLD.to_move(game)[0] == CRISIS_SEAT:
            outcome = WORLD.apply(game, ROW, CRISIS_SEAT, orders)
        paid.append(outcome.rewards[0, 0])
        if outcome.ended[0]:
            finals.append((game.tobytes(), outcome.signals[0].tolist()))
            seed += COUNT
            game = games(seed)
    return paid, finals


@pytest.mark.parametrize(
    ("crisis", "orders"),
    [("rule-based", crisis_move(-2)), ("none", crisis_move(-1, 0.0, 0.0))],
)
def test_the_compiled_month_equals_single_turns_over_many_episodes(crisis, orders):
    step = WORLD.stepper(games(*range(COUNT)), PILOT_SEAT, players("random", crisis, SCENE))
    cycles = [step(batch) for batch in moves()]
    for row in range(COUNT):
        paid, finals = one_by_one(moves()[:, row], orders, row)
        assert [cycle.rewards[row] for cycle in cycles] == paid
        found = []
        for cycle in cycles:
            if cycle.ended[row]:
                at = int(cycle.ended[:row].sum())
                found.append((cycle.finals[at].tobytes(), cycle.signals[at].tolist()))
        assert found == finals
        assert finals
