"""The two seats: spaces, levels, captions, packing, and objects from samples or JSON."""

import json

import numpy as np
import pytest

from revops_ma.worlds.revops import WORLD
from revops_ma.worlds.revops.actions import ACTIONS, NO_DECISION
from revops_ma.worlds.revops.crises import CRISES, PASS, RULE_BASED
from tests.worlds.revops.helpers import CRISIS, PILOT, crisis_move, pilot_move

BOTH = pytest.mark.parametrize("role", WORLD.roles, ids=lambda role: role.name)


def test_the_seats_are_the_pilot_and_the_crisis():
    assert [role.name for role in WORLD.roles] == ["pilot", "crisis"]
    assert [WORLD.role_index(role.name) for role in WORLD.roles] == [0, 1]


@BOTH
def test_spaces_are_made_once(role):
    assert role.space is role.space
    assert role.training_space is role.training_space
    assert role.observation_space is role.observation_space


@BOTH
def test_every_sample_of_the_native_space_is_read_as_it_is(role):
    role.space.seed(0)
    samples = [role.space.sample() for _ in range(200)]
    reply = role.objects(samples)
    assert not reply.refused
    strengths = [float(np.float64(s.get("magnitude", s.get("severity")))) for s in samples]
    struck = np.array(strengths) > 0
    kinds = np.array([int(s["kind"]) for s in samples])
    assert role.strength_of(reply.batch) == pytest.approx(np.clip(strengths, 0, 1.5), rel=1e-6)
    assert (role.kind_of(reply.batch) == np.where(struck, kinds, -1)).all()


@pytest.mark.parametrize("kind", [0, np.int64(7), -1, 10, 8, True, np.int32(3), 2.0, None, "3"])
@pytest.mark.parametrize(
    "strength",
    [
        *(0.0, 0.05, 0.1, 0.7, 1.0, 1.2, 1.5, 9.0, -1.0, 1, float("nan"), float("inf"), "0.5"),
        *(np.array(0.3, np.float32), np.array(0.3), np.array([0.3]), np.array(1)),
        *(np.float32(0.3), None),
    ],
)
@BOTH
def test_a_sample_is_read_like_the_object_that_gets_the_closer_look(role, kind, strength):
    sample = {"kind": kind, role.fields[1]: strength}
    (one, other) = (role.objects([move]) for move in (sample, {**sample, "reasoning": ""}))
    assert one.batch.tobytes() == other.batch.tobytes()
    assert (one.refused, one.notes) == (other.refused, other.notes)


def test_the_pilots_training_space_has_ten_magnitudes_of_ten_actions():
    assert PILOT.training_space.nvec.tolist() == [10, 10]
    grid = np.array([(kind, level) for kind in range(10) for level in range(10)])
    batch = PILOT.discrete(grid).batch
    assert batch["action"].tolist() == grid[:, 0].tolist()
    assert batch["magnitude"].tolist() == [(level + 1) / 10 for level in grid[:, 1]]


def test_the_crisis_training_space_has_five_severities_of_eight_crises():
    assert CRISIS.training_space.nvec.tolist() == [8, 5]
    batch = CRISIS.discrete(np.array([(3, level) for level in range(5)])).batch
    assert batch["crisis"].tolist() == [3] * 5
    assert batch["r1"].tolist() == batch["r2"].tolist() == [0.0, 0.5, 1.0, 1.25, 1.5]
    assert not batch["is_delta"].any()


@pytest.mark.parametrize(
    ("role", "fallback"),
    [(PILOT, (NO_DECISION, 0.0)), (CRISIS, (RULE_BASED, 1.0, 1.0, 0))],
    ids=["pilot", "crisis"],
)
def test_integers_outside_the_training_space_are_refused_one_by_one(role, fallback):
    high = int(role.training_space.nvec[1])
    actions = np.array([[2, 1], [-1, 0], [99, 0], [0, high], [0, -1], [3, 2]])
    reply = role.discrete(actions)
    assert sorted(reply.refused) == [1, 2, 3, 4]
    assert {refused.reason for refused in reply.refused.values()} == {"out_of_range"}
    assert [reply.batch[position].item() for position in reply.refused] == [fallback] * 4
    assert (reply.batch[[0, 5]] == role.discrete(actions[[0, 5]]).batch).all()


@BOTH
def test_packed_moves_come_back_to_the_same_bits(role):
    rng = np.random.default_rng(0)
    batch = np.zeros(50, role.record)
    for name in role.record.names:
        whole = role.record[name].kind == "i"
        batch[name] = rng.integers(-2, 8, 50) if whole else rng.uniform(0, 1.5, 50)
    again = role.unpack(json.loads(json.dumps(role.pack(batch))))
    assert again.tobytes() == batch.tobytes()


@pytest.mark.parametrize(
    ("role", "move", "caption", "kind", "strength"),
    [
        (PILOT, pilot_move("hire_support", 0.8), "hire_support 0.80", 2, 0.8),
        (PILOT, pilot_move(NO_DECISION, 0.0), "no decision", -1, 0.0),
        (PILOT, pilot_move(10), "no decision", -1, 0.5),
        (CRISIS, crisis_move("PRICE_WAR", 0.2, 1.25, 1), "PRICE_WAR 1.25", 4, 1.25),
        (CRISIS, crisis_move("PRICE_WAR", 0.0, 0.0), "pass", PASS, 0.0),
        (CRISIS, crisis_move(PASS, 1.0), "pass", PASS, 1.0),
        (CRISIS, crisis_move(RULE_BASED), "rule-based 1.00", -1, 1.0),
        (CRISIS, crisis_move(8), "pass", PASS, 1.0),
    ],
)
def test_moves_are_told_in_a_few_words(role, move, caption, kind, strength):
    assert role.caption(move, 0) == caption
    assert role.kind_of(move)[0] < 0 if kind < 0 else role.kind_of(move)[0] == kind
    assert role.strength_of(move)[0] == strength


@BOTH
def test_every_name_in_the_schema_is_read(role):
    (field,) = [name for name in role.schema["properties"] if name.endswith("_type")]
    names = role.schema["properties"][field]["enum"]
    strength = {"action_type": "magnitude", "crisis_type": "severity"}[field]
    reply = role.objects([{field: name, strength: 0.5} for name in names])
    assert not reply.refused
    assert not reply.notes
    assert set(ACTIONS if field == "action_type" else CRISES) <= set(names)


def test_one_answer_that_cannot_be_read_leaves_the_others_alone():
    reply = PILOT.texts(["", '{"action_type": "cut_costs", "magnitude": 0.4}', "no"])
    assert sorted(reply.refused) == [0, 2]
    assert reply.batch[1].item() == (7, 0.4)


@BOTH
def test_nothing_to_read_is_an_empty_batch(role):
    for reply in (role.texts([]), role.objects([]), role.discrete(np.zeros((0, 2), np.int64))):
        assert len(reply.batch) == 0
        assert reply.batch.dtype == role.record


@pytest.mark.parametrize(
    ("role", "line", "caption"),
    [
        (PILOT, "2 0.8", "hire_support 0.80"),
        (PILOT, "hire 80%", "hire_support 0.80"),
        (PILOT, "hire_support", "hire_support 0.50"),
        (PILOT, '{"action_type": "cut_costs", "magnitude": 1}', "cut_costs 1.00"),
        (PILOT, "99 1", "no decision"),
        (PILOT, "9" * 5_000, "no decision"),
        (PILOT, "", "no decision"),
        (CRISIS, "3", "CASH_CRUNCH 1.00"),
        (CRISIS, "talent 1.5", "TALENT_WAR 1.50"),
        (CRISIS, "pass", "pass"),
        (CRISIS, "c 1", "rule-based 1.00"),  # three crises begin with a c
    ],
)
def test_a_person_can_type_short_forms(role, line, caption):
    assert role.caption(role.typed(line).batch, 0) == caption
