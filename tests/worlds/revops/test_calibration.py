"""The rulebook's calibration figures, exact to the printed digit: the rules are deterministic."""

import csv
from pathlib import Path

import numpy as np
import pytest

from revops_ma import catalog
from revops_ma.cards import ScriptedCard
from revops_ma.policies import scripted
from revops_ma.worlds.revops import WORLD
from revops_ma.worlds.revops.bots.constant import worst_constant
from revops_ma.worlds.revops.crises import CRISES
from tests.worlds.revops.helpers import match

SEEDS = range(1_000_000, 1_002_000)
"""The test seeds of section 10."""
DEV_SEEDS = range(2_000)

TABLE = Path(__file__).with_name("calibration.csv").read_text(encoding="utf-8")
LINES = list(csv.DictReader(TABLE.splitlines()))


def figures(table):
    rows = np.arange(len(table))
    return {
        "survived": str(WORLD.won(table.games, rows).sum()),
        "reward_per_step": f"{(table.returns[:, 0] / table.steps).mean():.6f}",
        "episode_return": f"{table.returns[:, 0].mean():.6f}",
        "final_mrr": f"{WORLD.facts(table.games, rows)['final_mrr'].mean():.2f}",
        "steps": str(table.steps.sum()),
    }


def always(crisis):
    card = ScriptedCard(
        name=f"always-{crisis}",
        about="One crisis at full strength, every quarter.",
        kind="scripted",
        bot="constant",
        params={"crisis": crisis},
    )
    return scripted.make(card, "crisis", WORLD)


def survival_and_return(pilot, crisis, seeds):
    table = match(pilot, crisis, "normal", seeds)
    survived = WORLD.won(table.games, np.arange(len(table))).mean()
    return f"{survived:.2%}", round(float(table.returns[:, 0].mean()), 6)


def test_the_table_has_all_rows():
    assert len(LINES) == 23


@pytest.mark.parametrize(
    "line", LINES, ids=lambda line: "/".join((line["pilot"], line["crisis"], line["difficulty"]))
)
def test_a_match_comes_out_as_calibrated(line):
    played = match(line["pilot"], line["crisis"], line["difficulty"], SEEDS)
    assert figures(played) == {name: line[name] for name in figures(played)}
    assert (played.returns.sum(axis=1) == 0.0).all()


@pytest.mark.parametrize(
    ("pilot", "expected"),
    [("heuristic", ("50.95%", 11.863395)), ("heuristic-tuned", ("62.60%", 14.496002))],
)
def test_a_support_crisis_every_quarter_is_the_best_constant(pilot, expected):
    assert survival_and_return(pilot, "best-constant", SEEDS) == expected
    assert survival_and_return(pilot, always("SUPPORT_CRISIS"), SEEDS) == expected


def test_a_churn_spike_every_quarter_on_the_dev_seeds():
    survived, mean_return = survival_and_return("heuristic", always("CHURN_SPIKE"), DEV_SEEDS)
    assert survived == "36.60%"
    assert f"{mean_return:.2f}" == "13.84"


def test_the_best_constant_has_the_lowest_return_on_the_dev_seeds():
    scene = catalog.scenario("revops/normal")
    pilot = catalog.agent("heuristic", "pilot", scene)
    found = worst_constant(pilot, scene, len(DEV_SEEDS))
    returns = [survival_and_return(pilot, always(name), DEV_SEEDS)[1] for name in CRISES]
    assert found == int(np.argmin(returns)) == CRISES.index("SUPPORT_CRISIS")
