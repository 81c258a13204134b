"""Games on Ray's workers: the same bits, whatever happens to the workers."""

import pytest

from revops_ma import catalog
from revops_ma.arena.match import play_match
from revops_ma.arena.tournament import play_tournament
from revops_ma.episode import FAILED
from revops_ma.rollout import EmbeddedPool, cluster, in_plan_order, open_pool, ray_pool, seat
from revops_ma.rollout.channel import REDOS
from revops_ma.rollout.ray_pool import RayPool
from revops_ma.rollout.verify import verify
from tests.run.common import files

pytestmark = pytest.mark.ray

GAMES = {
    "revops": ("revops/normal", {"pilot": "random", "crisis": "hunter"}),
    "planned": ("revops/hard", {"pilot": "planner", "crisis": "rule-based"}),
    "finops": ("finops/task3-storm", {"pilot": "careful", "crisis": "random"}),
}


def matchup(name, seeds=range(70, 130)):
    scenario, players = GAMES[name]
    return seat(catalog.scenario(scenario), players, seeds)


def played(pool, matchups, *, record=True):
    return [e for done in in_plan_order(pool.play(matchups, record=record)) for e in done.results]


@pytest.fixture(scope="module")
def alone():
    return {name: played(EmbeddedPool(), [matchup(name)]) for name in GAMES}


@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize("name", GAMES)
def test_any_number_of_workers_plays_the_same_episodes(pools, alone, name, workers):
    assert played(pools[workers], [matchup(name)]) == alone[name]


def test_unrecorded_episodes_are_the_same_too(pools):
    plan = [matchup("revops", range(700)), matchup("finops", range(5, 6))]
    assert played(pools[2], plan, record=False) == played(EmbeddedPool(), plan, record=False)


def test_the_pool_tells_what_each_worker_has_done(started):
    with RayPool(2) as pool:
        assert pool.timings[0].items == 0
        played(pool, [matchup("revops", range(100))])
        times = pool.timings
    assert [time.worker for time in times] == [0, 1]
    assert sum(time.games for time in times) == 100
    assert all(time.items and time.busy_seconds > 0 and not time.deaths for time in times)


def test_no_more_is_begun_than_a_few_items_ahead(started):
    with RayPool(1, games_per_table=16) as pool:
        plays = pool.play([matchup("revops", range(160))])
        assert next(plays).size == 16
        plays.close()
        assert pool.timings[0].items == 1


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """A tournament's run directory, written without Ray."""
    path = tmp_path_factory.mktemp("told") / "run"
    tournament(path, None)
    return path


def tournament(path, pool, episodes=60):
    crises = ["rule-based", "random"]
    play_tournament(["heuristic", "random"], crises, "revops/normal", episodes, 7, path, pool)


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_run_directories_are_equal_to_the_last_byte(pools, told, tmp_path, workers):
    tournament(tmp_path / "run", pools[workers])
    assert files(tmp_path / "run") == files(told)
    verdict = verify(told, pools[workers])
    assert (verdict.identical, verdict.mismatches) == (240, [])


class StopsAfter(EmbeddedPool):
    """A pool whose driver is interrupted."""

    def __init__(self, pool, items):
        super().__init__()
        self.pool, self.items = pool, items

    def play(self, matchups, *, record=False):
        for number, done in enumerate(self.pool.play(matchups, record=record)):
            if number == self.items:
                raise KeyboardInterrupt
            yield done


def test_a_run_goes_on_with_other_workers(pools, told, tmp_path):
    path = tmp_path / "run"
    for pool, items in ((pools[2], 3), (EmbeddedPool(), 2), (pools[4], 3)):
        with pytest.raises(KeyboardInterrupt):
            tournament(path, StopsAfter(pool, items))
    tournament(path, pools[1])
    assert files(path) == files(told)


def test_forged_episodes_are_found_by_workers_too(pools, told, tmp_path):
    from tests.rollout.test_verify import forged

    path = forged(told, tmp_path / "forged", lambda record: record["moves"].pop())
    here, there = verify(path), verify(path, pools[2])
    assert here.mismatches == there.mismatches != []


def test_a_worker_that_dies_leaves_no_trace(pools, card, tmp_path):
    players = {"pilot": card("fragile", mark=str(tmp_path / "mark"), months=12), "crisis": "none"}
    found = play_match(players, "revops/normal", 60, 5, tmp_path / "run", pools[2])
    assert (tmp_path / "mark").exists()
    here = play_match(players, "revops/normal", 60, 5, tmp_path / "here")
    assert found.result.failed == 0
    assert found.episodes == here.episodes
    assert files(tmp_path / "run") == files(tmp_path / "here")


def test_a_game_that_kills_every_worker_is_counted_and_the_others_are_played(
    run, started, card, monkeypatch
):
    monkeypatch.setattr(ray_pool, "REDOS", 0)
    asked = ("match", card("deadly", seed=8), "none", "-n", "12", "--seed", "3", "--json")
    there = run(*asked, "--backend", "ray", "--workers", "2")
    assert there.code == 0
    found = there.document
    assert (found["planned"], found["completed"], found["failed"]) == (12, 11, 1)
    assert found["survival"]["mean"] == pytest.approx(found["endings"].get("survived", 0) / 11)
    assert sum(found["endings"].values()) == 11
    assert run(*asked).document["completed"] == 12


def test_a_failed_game_has_a_reason_and_no_reward(pools, card, tmp_path):
    players = {"pilot": card("deadly", seed=8), "crisis": "none"}
    path = tmp_path / "run"
    before = pools[1].timings[0].deaths
    (bad,) = play_match(players, "revops/normal", 1, 8, path, pools[1]).episodes
    assert pools[1].timings[0].deaths - before == 1 + REDOS
    assert (bad.seed, bad.status, bad.returns, bad.facts) == (8, FAILED, {}, {})
    assert bad.reason.startswith("worker died: ")
    assert "\n" not in bad.reason
    verdict = verify(path, pools[1])
    assert (verdict.identical, verdict.failed, verdict.holds) == (0, 1, True)


def test_a_bug_of_a_player_is_a_crash_as_it_is_without_ray(pools, card):
    matchup = seat(
        catalog.scenario("revops/normal"), {"pilot": card("broken"), "crisis": "none"}, range(9)
    )
    for pool in (EmbeddedPool(), pools[2]):
        with pytest.raises(ZeroDivisionError, match=r"^a bug of the bot$"):
            played(pool, [matchup])


def test_every_player_can_be_sent_to_a_worker(pools):
    for name in ("revops/normal", "finops/task1-storm"):
        scene = catalog.scenario(name)
        first, second = (role.name for role in scene.world.roles)
        plan = [
            seat(scene, {first: pilot, second: crisis}, range(1))
            for pilot, crisis in pairs(scene, first, second)
        ]
        assert played(pools[2], plan) == played(EmbeddedPool(), plan)


def pairs(scene, first, second):
    """Every scripted agent of either side once, the slow ones left out."""
    quick = {card.name for card in catalog.agents() if card.kind == "scripted" and card.in_all} - {
        "exact"
    }
    for pilot in sorted(quick & set(catalog.fitting(first, scene.world))):
        yield pilot, "random"
    for crisis in sorted(quick & set(catalog.fitting(second, scene.world))):
        yield "random", crisis


def test_commands_take_backend_and_workers(run, started, tmp_path):
    ray = ("--backend", "ray", "--workers", "2")
    asked = ("--seed", "4", "-n", "40", "--json")
    for name, command in (
        ("match", ("match", "heuristic", "random", *asked)),
        ("many", ("tournament", "--pilots", "random", "--crises", "none,random", *asked)),
    ):
        here = run(*command, "--out", tmp_path / "here" / name)
        there = run(*command, "--out", tmp_path / "there" / name, *ray)
        assert (here.code, there.code) == (0, 0)
        cut = [text.out[: text.out.index('"run"')] for text in (here, there)]
        assert cut[0] == cut[1]
        assert files(tmp_path / "here" / name) == files(tmp_path / "there" / name)
    told = run("replay", tmp_path / "there" / "match", *ray, "--json")
    assert (told.code, told.document["identical"]) == (0, 40)


def test_ray_is_left_as_it_was_found(started):
    import ray

    with open_pool("ray", 1) as pool:
        list(pool.play([matchup("revops", range(3))]))
    assert ray.is_initialized()
    assert cluster.start(1) is False
