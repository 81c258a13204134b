"""Random tool calls and disturbances for thousands of steps: nothing breaks, nothing leaks."""

import copy
import json
import pickle
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from revops_ma import catalog
from revops_ma.game import OVER, Outcome, Reply
from revops_ma.table import Table
from revops_ma.worlds.finops.calls import Call, Disturbance
from revops_ma.worlds.finops.desk import Desk
from revops_ma.worlds.finops.disturbances import KINDS, finished_rows, right_writes
from revops_ma.worlds.finops.grading import golden_set, raw_score, reported
from revops_ma.worlds.finops.oracle import next_call, solves
from revops_ma.worlds.finops.slots import options
from revops_ma.worlds.finops.storm import allows, changed_rows
from revops_ma.worlds.finops.tools import TOOL_NAMES

STORMS = [
    *("finops/task1-storm", "finops/task2-storm", "finops/task3-storm"),
    *("finops/refund-storm", "finops/loyalty-storm", "finops/crosscheck-storm"),
]

Storm = tuple[float, int | None]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=4,
)
FRACTION = st.floats(0, 1, exclude_max=True)
STORM = st.tuples(FRACTION, st.none() | st.integers(0, 63))
"""Which of the kinds that are allowed, at which target."""


class SupportDesk(RuleBasedStateMachine):
    """Plays one table and a twin that is copied anew from time to time."""

    table: Table
    twin: Table
    seed = 0

    @initialize(scenario=st.sampled_from(STORMS), seed=st.integers(0, 50))
    def open_case(self, scenario: str, seed: int) -> None:
        self.scenario = scenario
        self.deal(seed)

    def deal(self, seed: int) -> None:
        scene = catalog.scenario(self.scenario)
        self.seed = seed
        self.table = Table(scene.world, scene.settings, [seed])
        self.twin = copy.deepcopy(self.table)

    @property
    def desk(self) -> Desk:
        return self.table.games[0]

    @rule(tool=st.sampled_from(TOOL_NAMES), pick=FRACTION, storm=STORM)
    def make_a_sensible_call(self, tool: str, pick: float, storm: Storm) -> None:
        choices = options(tool, self.desk.ticket.text, self.desk.log)
        if not choices or (tool == "submit" and pick < 0.8):
            choices, tool = [{}], "list_customers"
        self.play(Call(tool, choices[int(len(choices) * pick)]), storm)

    @rule(storm=STORM)
    def do_what_the_oracle_does(self, storm: Storm) -> None:
        self.play(next_call(self.desk), storm)

    @rule(tool=st.sampled_from((*TOOL_NAMES, "nothing")), args=JSON, storm=STORM)
    def make_a_senseless_call(self, tool: str, args: Any, storm: Storm) -> None:
        self.play(Call(tool, args), storm)

    @rule(slot=st.integers(0, 12), tool=st.sampled_from(TOOL_NAMES), storm=STORM)
    def make_a_numbered_call(self, slot: int, tool: str, storm: Storm) -> None:
        self.play(Call(tool, {}, slot), storm)

    @rule(pick=FRACTION, percent=st.sampled_from([5, 10, 10.0]), storm=STORM)
    def write_to_any_row(self, pick: float, percent: float, storm: Storm) -> None:
        tables = self.desk.tables
        calls = [
            *(Call("create_refund", {"invoice_id": found}) for found in tables.invoices),
            *(
                Call("apply_discount", {"customer_id": found, "percent": percent})
                for found in tables.customers
            ),
            *(Call("cancel_subscription", {"subscription_id": s}) for s in tables.subscriptions),
        ]
        self.play(calls[int(len(calls) * pick)], storm)

    @rule(how=st.sampled_from(["deepcopy", "pickle"]))
    def copy_the_table(self, how: str) -> None:
        copied = copy.deepcopy(self.table)
        self.twin = copied if how == "deepcopy" else pickle.loads(pickle.dumps(self.table))

    def play(self, call: Call, storm: Storm) -> None:
        """Play the crisis side's turn if it is due, then the call; deal anew after an end."""
        if self.desk.crisis_due:
            before = self.desk.copy()
            self.take(self.disturbance(*storm))
            self.check_strike(before)
        before = self.desk.copy()
        self.check_call(before, self.take(call).detail[0])
        if self.table.is_over:
            assert self.desk.crisis_due is False
            self.deal(self.seed + 1)

    def disturbance(self, pick: float, slot: int | None) -> Disturbance:
        """Mostly a kind that may be tried now; at the end of the range any kind."""
        allowed = [name for name, kind in KINDS.items() if allows(self.desk, kind)]
        names = allowed if allowed and pick < 0.9 else list(KINDS)
        return Disturbance(names[int(len(names) * pick)], slot=slot)

    def take(self, move: Call | Disturbance) -> Outcome:
        view, twin_view = self.table.waiting()[0], self.twin.waiting()[0]
        packed = view.role.pack([move])
        outcome = self.table.take(view, Reply([move]))
        twin = self.twin.take(twin_view, Reply(twin_view.role.unpack(packed)))
        assert outcome.rewards.tolist() == twin.rewards.tolist()
        assert outcome.rewards.sum() == 0
        return outcome

    def check_call(self, before: Desk, step: Any) -> None:
        desk = self.desk
        json.dumps(step.response, allow_nan=False)
        assert desk.steps == before.steps + 1
        assert desk.golden == before.golden
        if not step.response["ok"]:
            assert desk.tables == before.tables
            assert desk.raw == before.raw
        changed = changed_rows(before, desk)
        assert len(changed) <= 1

    def check_strike(self, before: Desk) -> None:
        desk, turn = self.desk, self.desk.strikes[-1]
        if turn.played.kind == "pass":
            assert desk.tables == before.tables
            assert desk.max_steps == before.max_steps
            return
        assert solves(desk)
        assert right_writes(before) <= right_writes(desk)
        told = json.dumps(desk.log[-1].response.get("events", []))
        changed = changed_rows(before, desk)
        assert all(found in told for found in changed)
        if turn.played.kind == "status_change":
            assert turn.played.target not in finished_rows(before)

    @invariant()
    def the_books_are_in_order(self) -> None:
        desk = self.desk
        assert all(row.amount_cents > 0 for row in desk.tables.invoices.values())
        assert all(0 <= row.discount_percent <= 100 for row in desk.tables.customers.values())
        done = [
            (each.call.tool, json.dumps(each.call.args))
            for each in desk.log
            if each.response["ok"] and each.call.tool in ("create_refund", "cancel_subscription")
        ]
        assert len(done) == len(set(done))
        assert 0.02 <= reported(desk.raw) <= 0.98
        assert desk.raw == raw_score(desk)
        assert desk.golden == golden_set(desk)
        assert desk.steps == len(desk.log) <= desk.max_steps

    @invariant()
    def the_storm_keeps_its_rules(self) -> None:
        desk = self.desk
        kinds = [turn.played.kind for turn in desk.strikes if turn.played.kind != "pass"]
        assert all(a != b for a, b in pairwise(kinds))
        assert 0 <= desk.severity_left <= desk.rules.severity_budget

    @invariant()
    def copies_have_the_same_future_and_every_view_can_be_told(self) -> None:
        world, games = self.table.world, self.table.games
        assert world.fingerprint(games, 0) == world.fingerprint(self.twin.games, 0)
        role = int(world.to_move(games)[0])
        if role != OVER:
            view = self.table.waiting()[0]
            space = view.role.observation_space
            assert space.contains(view.numbers[0].astype(space.dtype))
            assert view.texts[0].encode()


TestSupportDesk = SupportDesk.TestCase
TestSupportDesk.settings = settings(max_examples=40, stateful_step_count=50)


@pytest.mark.slow
class TestSupportDeskForLong(SupportDesk.TestCase):
    settings = settings(max_examples=300, stateful_step_count=100)
