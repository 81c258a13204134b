"""The parts of a league that need no torch: settings, opponents, mixtures, matrix, snapshots."""

import csv
import io
import os
import pickle
from dataclasses import replace

import numpy as np
import pytest

from revops_ma import catalog
from revops_ma.arena.statistics import Estimate, share
from revops_ma.errors import BadInput, CardError, RunFailed
from revops_ma.rollout import EmbeddedPool, Matchup
from revops_ma.training.league.evidence import FIRST_SEED, equal_iterations, gap
from revops_ma.training.league.mixing import pool_of, shares_of, sparring_pool
from revops_ma.training.league.opponents import Scripts, constants
from revops_ma.training.league.payoff import Payoff, fill
from revops_ma.training.league.settings import Settings
from revops_ma.training.league.snapshots import Snapshots
from revops_ma.training.sampling import Sampler
from revops_ma.training.trained import Trained
from tests.networks import agent, network

SCENE = catalog.scenario("revops/normal")
SCRIPTS = Scripts.of(["rule-based", "constants"], SCENE)


@pytest.mark.parametrize(
    "wrong",
    [
        {"rounds": 0},
        {"rounds": 91},
        {"seed": -1},
        {"seed": 100},
        {"responses": 0},
        {"responses": 10},
        {"games": 0},
        {"payoff_games": 0},
        {"mixing": "oldest"},
        {"scripts": ()},
        {"scripts_share": 1.0},
        {"parts": 0},
        {"parts": 10},
        {"parts": 4, "pilot_iterations": 3},
        {"sparring_iterations": -1},
        {"sparring_share": 0.8},
    ],
)
def test_settings_that_make_no_league_are_refused(wrong):
    with pytest.raises(BadInput):
        Settings(**wrong)


def test_no_training_seed_comes_twice():
    seeds = [
        Settings(seed=seed).training_seed(number, **who)
        for seed in (0, 1, 99)
        for number in range(92)
        for who in (
            *({"part": part} for part in range(9)),
            *({"response": one} for one in range(9)),
            *({"part": part, "partner": one} for part in range(9) for one in range(9)),
        )
    ]
    assert len(set(seeds)) == len(seeds)
    assert max(seeds) < FIRST_SEED


def test_the_parts_of_a_round_are_all_its_iterations():
    settings = Settings(parts=4, pilot_iterations=10)
    assert [settings.part_iterations(part) for part in range(4)] == [2, 3, 2, 3]


def test_there_is_one_constant_engine_per_kind_of_crisis():
    role = SCENE.world.roles[1]
    made = list(constants(role))
    assert [one.name for one in made][:2] == ["always-churn-spike", "always-cac-explosion"]
    assert len({one.identity for one in made}) == len(made) == len(role.kinds())
    assert pickle.loads(pickle.dumps(made)) == made


def test_a_constant_engine_strikes_with_nothing_else():
    engine = list(constants(SCENE.world.roles[1]))[3]
    pilot = catalog.agent("heuristic", "pilot", SCENE)
    matchup = Matchup(SCENE, {"pilot": pilot, "crisis": engine}, range(5))
    for done in EmbeddedPool().play([matchup], record=True):
        for episode in done.results:
            moves = [move for role, move in episode.moves if role == 1]
            assert moves
            assert all(move == moves[0] for move in moves)
            assert episode.matchup == f"heuristic vs {engine.name}"


def test_scripts_share_alike_by_name():
    assert sum(share for _, share in SCRIPTS.members) == pytest.approx(1)
    assert SCRIPTS.members[0][1] == 0.5
    assert SCRIPTS.members[1][1] == pytest.approx(0.5 / 8)
    with pytest.raises(CardError):
        Scripts.of(["heuristic"], SCENE)
    with pytest.raises(BadInput, match="no agent called"):
        Scripts.of(["nobody"], SCENE)


ROCK_PAPER_SCISSORS = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])


def test_uniform_mixing_forgets_nobody():
    assert shares_of("uniform", ROCK_PAPER_SCISSORS, [2]).tolist() == [1 / 3] * 3


def test_newest_mixing_knows_the_latest_round_only():
    assert shares_of("newest", np.zeros((2, 4)), [2, 3]).tolist() == [0, 0, 0.5, 0.5]


def test_nash_mixing_solves_the_matrix_game():
    np.testing.assert_allclose(shares_of("nash", ROCK_PAPER_SCISSORS, [2]), 1 / 3, atol=1e-6)
    harmless_and_harmful = np.array([[5.0, 1.0], [6.0, 2.0]])
    assert shares_of("nash", harmless_and_harmful, [0]).tolist() == [0, 1]


def test_a_pool_holds_scripts_partners_and_engines_by_their_shares():
    engines = [agent("crisis", "a"), agent("crisis", "b", seed=1), agent("crisis", "c", seed=2)]
    partners = [agent("crisis", "d", seed=3), agent("crisis", "e", seed=4)]
    settings, shares = Settings(scripts_share=0.4, sparring_share=0.2), np.array([0.75, 0.25, 0.0])
    alone = pool_of(settings, SCRIPTS, engines, shares).to_json()
    assert alone[engines[0].identity] == pytest.approx(0.45)
    assert alone[engines[1].identity] == pytest.approx(0.15)
    assert engines[2].identity not in alone
    assert sum(alone[one.identity] for one in SCRIPTS.agents) == pytest.approx(0.4)
    met = pool_of(settings, SCRIPTS, engines, shares, partners).to_json()
    assert [met[one.identity] for one in partners] == pytest.approx([0.1, 0.1])
    assert met[engines[0].identity] == pytest.approx(0.3)
    assert sum(met[one.identity] for one in SCRIPTS.agents) == pytest.approx(0.4)
    assert pool_of(settings, SCRIPTS, [], np.array([])).to_json().keys() == {
        one.identity for one in SCRIPTS.agents
    }


def test_a_partner_meets_the_newest_pilot_and_a_few_before_it():
    pilots = [agent("pilot", f"p{number}", seed=number) for number in range(7)]
    met = sparring_pool(pilots[:6], pilots[6]).to_json()
    assert met == {
        pilots[6].identity: pytest.approx(0.8),
        **{one.identity: pytest.approx(0.05) for one in pilots[2:6]},
    }
    assert sparring_pool([], pilots[0]).to_json() == {pilots[0].identity: 1.0}


@pytest.fixture(scope="module")
def filled():
    pilots = [catalog.agent(name, "pilot", SCENE) for name in ("heuristic", "random")]
    engines = [SCRIPTS.agents[0], agent("crisis", "small")]
    pairs = [(pilot, engine) for pilot in pilots for engine in engines]
    return pairs, *fill(SCENE, pairs, range(40), EmbeddedPool())


def test_the_matrix_has_a_cell_per_pair(filled):
    pairs, cells, _ = filled
    assert set(cells) == {(pilot.name, engine.name) for pilot, engine in pairs}
    assert all(cell.games == 40 for cell in cells.values())
    payoff = Payoff(cells)
    matrix = payoff.returns(["heuristic", "random"], ["rule-based", "small"])
    assert matrix.shape == (2, 2)
    assert matrix[0, 0] > matrix[1, 0]
    worst = payoff.worst("random", ["rule-based", "small"])
    assert cells["random", worst].wins == min(
        cells["random", engine].wins for engine in ("rule-based", "small")
    )
    assert (
        type(cells["heuristic", "small"]).from_json(cells["heuristic", "small"].to_json())
        == (cells["heuristic", "small"])
    )


def test_every_episode_names_who_played_it(filled):
    pairs, cells, text = filled
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 40 * len(pairs)
    identities = {(pilot.identity, engine.identity) for pilot, engine in pairs}
    assert {(row["pilot"], row["crisis"]) for row in rows} == identities
    wins = sum(int(row["won"]) for row in rows)
    assert wins == sum(cell.wins for cell in cells.values())


def test_an_opponent_keeps_its_seat_from_the_deal_to_the_end():
    asked = []

    class Watched:
        def __init__(self, inner):
            self.inner, self.name = inner, inner.name
            self.identity = inner.identity

        def act(self, view):
            games, rows = view.secrets()
            asked.extend((int(games["seed"][row]), self.name) for row in rows)
            return self.inner.act(view)

        def seated(self, scenario, players):
            return self

    scripts = Scripts([(Watched(one), 0.5) for one in SCRIPTS.agents[:2]])
    pool = pool_of(Settings(), scripts, [], np.array([]))
    opponents = pool.draw(60, 0.3)
    Sampler("pilot", pool, SCENE).sample(network("pilot"), range(60), opponents)
    seats = {seed: {name for of, name in asked if of == seed} for seed, _ in asked}
    assert len(seats) > 50
    for seed, names in seats.items():
        assert names == {pool.agents[opponents[seed]].name}


def trained(seed=0):
    return Trained(
        role="pilot",
        scenario="revops/normal",
        world="revops",
        against={"rule-based@1": 1.0},
        seed=seed,
        network=network("pilot", seed=seed),
        iterations=1,
        months=10,
        seconds=1.0,
        history=[],
        command="revops-ma selfplay",
    )


def test_a_snapshot_is_a_read_only_card_with_the_hash_of_its_weights(tmp_path):
    snapshots = Snapshots(tmp_path, SCENE)
    made = snapshots.add("pilot-00", trained())
    assert made.agent.identity.endswith(made.digest)
    again = snapshots.get("pilot-00", "pilot", made.digest)
    assert again.agent.identity == made.agent.identity
    card = tmp_path / "agents/league/pilot-00.toml"
    assert catalog.agent(card, "pilot", SCENE).network.digest == made.digest
    assert not os.stat(card).st_mode & 0o222
    assert not os.stat(card.with_suffix(".npz")).st_mode & 0o222


def test_a_snapshot_that_has_changed_is_refused(tmp_path):
    snapshots = Snapshots(tmp_path, SCENE)
    made = snapshots.add("pilot-00", trained())
    with pytest.raises(RunFailed, match="immutable"):
        snapshots.add("pilot-00", trained(seed=1))
    trained(seed=1).network.save(tmp_path / "agents/league/pilot-00.npz")
    with pytest.raises(RunFailed, match="immutable"):
        snapshots.get("pilot-00", "pilot", made.digest)


def test_a_kill_between_weights_and_card_is_mended(tmp_path):
    snapshots = Snapshots(tmp_path, SCENE)
    made = snapshots.add("pilot-00", trained())
    (tmp_path / "agents/league/pilot-00.toml").unlink()
    assert snapshots.add("pilot-00", trained()).digest == made.digest
    assert (tmp_path / "agents/league/pilot-00.toml").is_file()


def test_an_equal_budget_counts_responses_and_partners():
    settings = Settings(
        rounds=8, pilot_iterations=40, crisis_iterations=30, parts=4, sparring_iterations=6
    )
    assert equal_iterations(settings.to_json()) == 9 * (40 + 30) + 8 * 4 * 6


def test_a_gap_of_worst_cases_has_an_interval_that_holds_it():
    ours, theirs = share(650, 1000), share(450, 1000)
    found = gap(ours, theirs)
    assert found.mean == pytest.approx(0.2)
    assert found.low == pytest.approx(0.157, abs=0.003)
    assert found.high == pytest.approx(0.242, abs=0.003)
    assert gap(ours, ours).low < 0 < gap(ours, ours).high
    assert isinstance(found, Estimate)


def test_settings_are_told_whole():
    assert set(Settings().to_json()) == set(Settings.__dataclass_fields__)
    assert replace(Settings(), mixing="nash").to_json()["mixing"] == "nash"
