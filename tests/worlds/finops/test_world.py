"""The world as the turn loop sees it: copies, luck, views, cards."""

import copy
import json
import pickle

import numpy as np
import pytest
from pydantic import ValidationError

from revops_ma import catalog
from revops_ma.errors import BadInput, ClosedView, HiddenState
from revops_ma.game import Reply
from revops_ma.table import Table
from revops_ma.worlds.finops.calls import Call, Disturbance
from revops_ma.worlds.finops.observation import CRISIS_FIELDS, PILOT_FIELDS
from revops_ma.worlds.finops.seen import Seen, observation
from revops_ma.worlds.finops.settings import Settings

from .helpers import ask, open_task, run_match

SCENARIOS = [card.name for card in catalog.scenarios() if card.world == "finops"]


def fresh(scenario: str, seeds: tuple[int, ...] = (0,)) -> Table:
    scene = catalog.scenario(scenario)
    return Table(scene.world, scene.settings, seeds)


def test_the_cards_of_the_issue_are_there() -> None:
    tasks = {f"finops/task{number}{storm}" for number in (1, 2, 3) for storm in ("", "-storm")}
    assert tasks | {"finops/refund", "finops/loyalty", "finops/crosscheck"} <= set(SCENARIOS)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_cards_say_what_they_are_comparable_with(scenario: str) -> None:
    settings = catalog.scenario(scenario).settings
    assert settings.severity_budget == (6 if scenario.endswith("-storm") else 0)
    fixed_and_calm = settings.task is not None and settings.severity_budget == 0
    assert settings.regression == ("score" if fixed_and_calm else "reachable")


@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"task": "task4"},
        {"task": "task1", "generate": {"family": "refund", "size": 8}},
        {"task": "task1", "severity_budget": -1},
        {"task": "task1", "crisis_every": 0},
        {"task": "task1", "regression": "none"},
        {"generate": {"family": "refund", "size": 3}},
        {"generate": {"family": "refund", "size": 8, "ceiling": 1.5}},
        {"task": "task1", "surprise": 1},
    ],
)
def test_rules_that_make_no_sense_are_refused(rules: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate(rules)


def test_a_card_can_bring_its_own_ticket() -> None:
    own = {
        "family": "crosscheck",
        "ticket": "Cross-reference our CRM with billing and cancel what is left.",
        "max_steps": 8,
        "crm_users": [{"id": "c1", "name": "Ann", "email": "a@x.io", "status": "cancelled"}],
        "subscriptions": [{"id": "s1", "email": "a@x.io", "plan": "team", "status": "active"}],
    }
    scene = catalog.scenario("finops/task3")
    table = Table(scene.world, Settings.model_validate({"own": own}), [0])
    pilot = catalog.agent("optimal", "pilot", scene)
    crisis = catalog.agent("none", "crisis", scene)
    while views := table.waiting():
        agent = pilot if views[0].role.name == "pilot" else crisis
        table.take(views[0], agent.act(views[0]))
    assert scene.world.won(table.games, [0])[0]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_observations_lie_in_their_spaces_from_first_to_last(scenario: str) -> None:
    scene = catalog.scenario(scenario)
    table = Table(scene.world, scene.settings, [0, 1])
    agents = {role: catalog.agent("random", role, scene) for role in ("pilot", "crisis")}
    while views := table.waiting():
        for view in views:
            space = view.role.observation_space
            assert all(space.contains(row) for row in view.numbers.astype(np.float32))
            assert view.mask.shape == (len(view), len(view.role.kinds()))
            assert all("Answer with one JSON object" in text for text in view.texts)
            table.take(view, agents[view.role.name].act(view))


def test_field_names_are_unique_and_none_is_the_score() -> None:
    for fields in (PILOT_FIELDS, CRISIS_FIELDS):
        names = [field.name for field in fields]
        assert len(names) == len(set(names))
        assert not any("score" in name or "reward" in name for name in names)


def test_what_the_pilot_is_told_does_not_depend_on_whether_its_work_is_right() -> None:
    """Two refunds, one right and one wrong, look alike but for the ids that were asked for."""
    right, wrong = fresh("finops/task1"), fresh("finops/task1")
    for table, found in ((right, "inv_904"), (wrong, "inv_909")):
        table.games[0].tables.invoices[found] = (
            table.games[0].tables.invoices[found]._replace(amount_cents=50_000)
        )
    right.games[0].golden = frozenset({"inv_904"})
    for table, found in ((right, "inv_904"), (wrong, "inv_909")):
        view = table.waiting()[0]
        table.take(view, Reply([Call("create_refund", {"invoice_id": found})]))
    views = [table.waiting()[0] for table in (right, wrong)]
    assert right.games[0].raw != wrong.games[0].raw
    assert views[0].numbers.tolist() == views[1].numbers.tolist()
    assert views[0].texts[0].replace("inv_904", "inv_909") == views[1].texts[0]


def test_the_observation_as_data_has_the_fields_of_the_source() -> None:
    desk = open_task("task1")
    ask(desk, "list_customers", status="all")
    seen = observation(desk)
    assert set(seen) == {
        *("task_id", "ticket", "last_response", "available_tools", "steps_taken", "max_steps"),
        *("done", "reward", "metadata"),
    }
    assert (seen["steps_taken"], seen["max_steps"], seen["done"]) == (1, 10, False)
    assert seen["metadata"] == {"cumulative_reward": -0.01, "task_id": "task1"}
    assert len(seen["available_tools"]) == 11
    json.dumps(seen, allow_nan=False)


def test_the_text_tells_ticket_manual_and_every_answer_so_far() -> None:
    table = fresh("finops/task1")
    table.take(table.waiting()[0], Reply([Call("list_invoices", {"customer_id": "cus_001"})]))
    text = table.waiting()[0].texts[0]
    for part in ("TechCorp Inc", "step 2 of 10", "create_refund(invoice_id)*", '"inv_902"'):
        assert part in text


def test_the_public_log_is_for_dashboard_players_and_closes_with_the_view() -> None:
    table = fresh("finops/task2-storm")
    view = table.waiting()[0].dashboard_only()
    shown = view.public(0)
    assert isinstance(shown, Seen)
    assert (shown.steps_taken, shown.log, shown.last_response) == (0, (), None)
    with pytest.raises(HiddenState):
        view.secrets()
    table.take(view, Reply([Call("list_customers")]))
    with pytest.raises(ClosedView):
        view.public(0)
    assert table.waiting()[0].public(0).last_response["ok"]


def test_games_do_not_depend_on_the_company_they_are_in() -> None:
    together = run_match("random", "random", "finops/loyalty-storm", range(12))
    for seed in (0, 5, 11):
        alone = run_match("random", "random", "finops/loyalty-storm", [seed])
        world = alone.world
        assert world.fingerprint(alone.games, 0) == world.fingerprint(together.games, seed)
        assert alone.returns[0].tolist() == together.returns[seed].tolist()


@pytest.mark.parametrize("how", ["deepcopy", "pickle", "fork"])
def test_a_copy_in_the_middle_of_a_game_has_the_same_future(how: str) -> None:
    table = fresh("finops/task2-storm", (3, 4))
    scene = catalog.scenario("finops/task2-storm")
    agents = {role: catalog.agent("random", role, scene) for role in ("pilot", "crisis")}
    agents["pilot"] = catalog.agent("careful", "pilot", scene)
    for _ in range(7):
        for view in table.waiting():
            table.take(view, agents[view.role.name].act(view))
    twin = copy.deepcopy(table)
    if how == "pickle":
        twin = pickle.loads(pickle.dumps(table))
    if how == "fork":
        twin.games = table.world.fork(table.games, np.array([0, 1]))
    middle = table.world.fingerprint(table.games, 0)
    for played in (table, twin):
        while views := played.waiting():
            for view in views:
                played.take(view, agents[view.role.name].act(view))
        assert table.world.fingerprint(played.games, 0) != middle
    assert table.returns.tolist() == twin.returns.tolist()
    ends = [played.world.fingerprint(played.games, 1) for played in (table, twin)]
    assert ends[0] == ends[1]


def test_a_copied_table_is_not_touched_by_the_original() -> None:
    table = fresh("finops/task2-storm")
    twin = copy.deepcopy(table)
    before = table.world.fingerprint(twin.games, 0)
    for _ in range(3):
        call = Call("apply_discount", {"customer_id": "cus_001", "percent": 10 + table.steps[0]})
        table.take(table.waiting()[0], Reply([call]))
    table.take(table.waiting()[0], Reply([Disturbance("late_invoice", "cus_008", 9_000)]))
    assert table.world.fingerprint(twin.games, 0) == before


def test_seats_have_luck_of_their_own_for_every_step_and_seed() -> None:
    world = catalog.scenario("finops/task1").world
    table = fresh("finops/task1", (1, 2))
    rows = np.array([0, 1])
    draws = [*world.luck(table.games, rows, 0, 0), *world.luck(table.games, rows, 1, 0)]
    draws += [*world.luck(table.games, rows, 0, 1)]
    table.take(table.waiting()[0], Reply([Call("list_customers")] * 2))
    draws += [*world.luck(table.games, rows, 0, 0)]
    assert len(set(draws)) == len(draws) == 8
    assert all(0 <= draw < 1 for draw in draws)


@pytest.mark.parametrize("seed", [-1, 2**63, True, 1.5])
def test_seeds_that_are_none_are_refused(seed: object) -> None:
    with pytest.raises(BadInput):
        fresh("finops/task1", (seed,))


def test_large_seeds_and_numpy_seeds_are_welcome() -> None:
    big = fresh("finops/refund", (2**63 - 1, np.int64(7)))
    assert big.games[0].ticket != big.games[1].ticket


def test_fingerprints_differ_exactly_where_the_state_does() -> None:
    desk = open_task("task2")
    twin = desk.copy()
    assert desk.fingerprint() == twin.fingerprint()
    ask(twin, "get_customer", customer_id="cus_001")
    assert desk.fingerprint() != twin.fingerprint()


def test_the_mask_of_the_crisis_side_shows_what_can_be_tried() -> None:
    table = fresh("finops/task3-storm")
    for _ in range(3):
        table.take(table.waiting()[0], Reply([Call("list_customers")]))
    view = table.waiting()[0]
    names = [name for name, ok in zip(view.role.kinds(), view.mask[0], strict=True) if ok]
    assert "late_invoice" not in names
    assert "status_change" in names
    outcome = table.take(view, Reply([Disturbance("status_change", "crm_b")]))
    assert outcome.played == [Disturbance("status_change", "crm_b")]
    calm = fresh("finops/task3")
    for _ in range(3):
        calm.take(calm.waiting()[0], Reply([Call("list_customers")]))
    assert not calm.waiting()[0].mask.any()
