"""Golden sets by rule, raw scores, and the best that is still reachable."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from revops_ma.worlds.finops import grading
from revops_ma.worlds.finops.calls import Call
from revops_ma.worlds.finops.desk import Desk
from revops_ma.worlds.finops.engine import serve
from revops_ma.worlds.finops.grading import Tally, best_raw, golden_set, reported, score_of
from revops_ma.worlds.finops.oracle import next_call, solves
from revops_ma.worlds.finops.tickets import Family, fixed_tasks

from .helpers import GOLDEN_OF_TASK2, GOLDEN_OF_TASK3, ask, mixed_ticket, open_task, opened


@pytest.mark.parametrize(
    ("task", "key"), [("task1", "refund_one_of"), ("task2", "discount"), ("task3", "cancel")]
)
def test_the_rule_gives_the_pinned_golden_set(task: str, key: str) -> None:
    pinned = fixed_tasks()[task].golden[key]
    assert sorted(golden_set(open_task(task))) == pinned


@pytest.mark.parametrize("task", ["task1", "task2", "task3"])
def test_the_golden_set_does_not_depend_on_what_the_pilot_writes(task: str) -> None:
    desk = open_task(task)
    before = golden_set(desk)
    for found in sorted(before):
        ask(desk, "create_refund", invoice_id=found)
        ask(desk, "apply_discount", customer_id=found, percent=10)
        ask(desk, "cancel_subscription", subscription_id=found)
    assert golden_set(desk) == before


def refund(*ids: str) -> list[Call]:
    return [Call("create_refund", {"invoice_id": found}) for found in ids]


def discount(*ids: str, percent: float = 10) -> list[Call]:
    return [Call("apply_discount", {"customer_id": found, "percent": percent}) for found in ids]


def cancel(*ids: str) -> list[Call]:
    return [Call("cancel_subscription", {"subscription_id": found}) for found in ids]


ACTIVE_OF_TASK2 = (*GOLDEN_OF_TASK2, "cus_008", "cus_010")

FIGURES = [
    ("task1", refund("inv_901"), 0.98),
    ("task1", refund("inv_902"), 0.98),
    ("task1", refund("inv_901", "inv_902"), 0.50),
    ("task1", refund("inv_907"), 0.02),
    ("task1", refund("inv_901", "inv_907"), 0.02),
    ("task1", refund("inv_901") + discount("cus_001"), 0.02),
    ("task1", [], 0.02),
    ("task2", discount(*GOLDEN_OF_TASK2), 0.98),
    ("task2", discount(*GOLDEN_OF_TASK2[:4]), 0.788),
    ("task2", discount(*ACTIVE_OF_TASK2), 0.02 + 0.96 * 12 / 14),
    ("task2", discount(*GOLDEN_OF_TASK2[:5]) + discount("cus_018", percent=15), 0.50),
    ("task2", discount("cus_010"), 0.02),
    ("task3", cancel(*GOLDEN_OF_TASK3), 0.98),
    ("task3", cancel(*GOLDEN_OF_TASK3[:3]), 0.02 + 0.96 * 6 / 7),
    ("task3", cancel(*GOLDEN_OF_TASK3, "sub_201"), 0.788),
    ("task3", cancel("sub_201"), 0.02),
    ("task3", cancel(*GOLDEN_OF_TASK3, "sub_205"), 0.98),
]


@pytest.mark.parametrize(("task", "calls", "score"), FIGURES)
def test_work_scores_what_the_rulebook_says(task: str, calls: list[Call], score: float) -> None:
    desk = open_task(task)
    for call in calls:
        serve(desk, call)
    assert ask(desk, "submit").score == pytest.approx(score, abs=1e-12)


def test_published_figures_are_those_of_the_rulebook_when_rounded() -> None:
    rounded = {round(score, 4) for _, _, score in FIGURES}
    assert {0.8429, 0.788, 0.5, 0.02, 0.98} <= rounded


def test_a_discount_of_fifteen_then_ten_percent_ends_at_the_full_score() -> None:
    desk = open_task("task2", "reachable")
    steps = [serve(desk, call) for call in discount("cus_001", percent=15)]
    steps += [serve(desk, call) for call in discount(*GOLDEN_OF_TASK2)]
    assert ask(desk, "submit").score == 0.98
    assert all(step.reward == -0.01 for step in steps)


@pytest.mark.parametrize(
    ("family", "own", "foreign", "score"),
    [
        (Family.REFUND, refund("inv_1"), discount("cus_1"), 0.0),
        (Family.REFUND, refund("inv_1"), cancel("sub_1"), 0.0),
        (Family.LOYALTY, discount("cus_1"), refund("inv_1"), 2 / 3),
        (Family.LOYALTY, discount("cus_1"), cancel("sub_1"), 2 / 3),
        (Family.CROSSCHECK, cancel("sub_1"), refund("inv_1"), 2 / 4),
        (Family.CROSSCHECK, cancel("sub_1"), discount("cus_1"), 2 / 4),
    ],
)
def test_a_write_outside_the_scope_is_one_false_positive(
    family: Family, own: list[Call], foreign: list[Call], score: float
) -> None:
    desk = opened(mixed_ticket(family))
    serve(desk, own[0])
    assert desk.raw == 1.0
    serve(desk, foreign[0])
    assert desk.raw == pytest.approx(score)


def test_emails_of_crm_and_billing_match_in_any_case() -> None:
    assert golden_set(opened(mixed_ticket(Family.CROSSCHECK))) == {"sub_1"}


@pytest.mark.parametrize("family", list(Family))
def test_without_a_right_write_the_raw_score_is_nought(family: Family) -> None:
    assert score_of(family, Tally(0, 0, 0, 0)) == 0.0
    assert score_of(family, Tally(0, 3, 2, 0)) == 0.0


@given(
    family=st.sampled_from(list(Family)),
    counts=st.tuples(*[st.integers(0, 30)] * 4),
)
def test_reported_scores_stay_between_the_floor_and_the_top(
    family: Family, counts: tuple[int, int, int, int]
) -> None:
    assert 0.02 <= reported(score_of(family, Tally(*counts))) <= 0.98


WRITES = st.one_of(
    st.builds(lambda i: refund(i)[0], st.sampled_from(["inv_1", "inv_2", "inv_3"])),
    st.builds(
        lambda i, p: discount(i, percent=p)[0],
        st.sampled_from(["cus_1", "cus_2"]),
        st.sampled_from([10, 15]),
    ),
    st.builds(lambda i: cancel(i)[0], st.sampled_from(["sub_1", "sub_2"])),
    st.just(Call("list_customers")),
)


def best_by_search(desk: Desk) -> float:
    """The best raw score by trying every order of useful writes: what `best_raw` must equal."""
    if desk.ending is not None:
        return desk.raw
    best = desk.raw
    useful = {
        Family.REFUND: refund("inv_1", "inv_2"),
        Family.LOYALTY: discount("cus_1", "cus_2"),
        Family.CROSSCHECK: cancel("sub_1"),
    }[desk.ticket.family]
    for call in [*useful, Call("list_customers")]:
        after = desk.copy()
        serve(after, call)
        best = max(best, best_by_search(after))
    return best


@given(
    family=st.sampled_from(list(Family)),
    calls=st.lists(WRITES, max_size=4),
    left=st.integers(1, 4),
    outage=st.integers(0, 3),
)
def test_the_best_reachable_score_is_what_a_search_over_all_futures_finds(
    family: Family, calls: list[Call], left: int, outage: int
) -> None:
    desk = opened(mixed_ticket(family, max_steps=len(calls) + left + 1))
    for call in calls:
        serve(desk, call)
    desk.max_steps = desk.steps + left
    if outage:
        desk.weather.outages[grading.WRITING_TOOL[family]] = desk.steps + outage
    assert best_raw(desk) == pytest.approx(best_by_search(desk))
    assert solves(desk) == (best_raw(desk) == 1.0)


@pytest.mark.parametrize(("task", "steps"), [("task1", 2), ("task2", 7), ("task3", 5)])
def test_the_oracle_needs_one_step_per_write_and_one_to_submit(task: str, steps: int) -> None:
    desk = open_task(task)
    while desk.ending is None:
        serve(desk, next_call(desk))
    assert (desk.steps, desk.raw) == (steps, 1.0)


def test_the_oracle_gives_up_on_what_cannot_be_mended() -> None:
    desk = open_task("task1")
    assert solves(desk)
    serve(desk, refund("inv_907")[0])
    assert not solves(desk)
    assert desk.steps == 1
