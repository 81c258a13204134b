"""Evidence: tables of cards on test seeds, habits, pictures, plans, guards of accelerators."""

import json
import sys

import pytest

from revops_ma import catalog
from revops_ma.errors import BadInput
from revops_ma.rollout import open_pool
from revops_ma.training.pilot_grpo import ClonePlan, Credit, LoraPlan, Plan, Recipe, dryrun
from revops_ma.training.pilot_grpo.accelerators import use_unsloth, use_vllm
from revops_ma.training.pilot_grpo.evidence import AFTER, BEFORE, compare
from revops_ma.training.pilot_grpo.habits import habits_of

pytestmark = pytest.mark.grpo
SCENARIO = "revops/normal"


@pytest.fixture(scope="module")
def table():
    with open_pool() as pool:
        return compare(
            "random", "heuristic", {"rule-based": "rule-based"}, SCENARIO, 60, pool, references=()
        )


def test_before_and_after_are_paired_on_the_same_test_seeds(table):
    assert table.seeds == range(1_000_000, 1_000_060)
    gain = table.gain("rule-based")["survival"]
    before, after = (table.survival(each, "rule-based").mean for each in (BEFORE, AFTER))
    assert gain.mean == pytest.approx(after - before)
    assert gain.low > 0
    json.dumps(table.to_json(), allow_nan=False)


def test_habits_tell_what_is_done_after_which_strike():
    scene = catalog.scenario(SCENARIO)
    pilot = catalog.agent("heuristic", "pilot", scene)
    crisis = catalog.agent("rule-based", "crisis", scene)
    found = habits_of(pilot, crisis, scene, "pilot", range(20))
    assert "none" in found.by_strike
    assert len(found.by_strike) > 2
    for shares in found.by_strike.values():
        assert sum(shares.values()) == pytest.approx(1.0)
    assert all(0.1 <= strength <= 1.0 for strength in found.strength.values())
    assert 0 < found.states["LTV/CAC above 3"] < 1


def test_pictures_are_drawn(table, tmp_path):
    pytest.importorskip("matplotlib")
    from revops_ma.training.pilot_grpo.figures import draw_comparison, draw_curves

    line = {"iteration": 1, "survival": 0.1, "return": 1.0}
    history = [line, {**line, "iteration": 2, "validation": {"survival": 0.2, "return": 2.0}}]
    for path in (draw_curves(tmp_path, {"seed 0": history}), draw_comparison(tmp_path, table)):
        assert path.read_bytes()[:4] == b"\x89PNG"


def test_the_plan_is_told_without_loading_anything():
    told = dryrun.told(Plan(), 3)
    assert told["model"]["parameters"] == pytest.approx(130_000, rel=0.05)
    assert told["per_rollout"]["rows"] == 1024
    assert told["versions"]["trl"] != "not installed"
    assert told["expected_cpu_seconds"] > 0
    assert told["warning"] == ""
    assert "trap" not in json.dumps(told)
    bandit = dryrun.told(Plan(recipe=Recipe(credit=Credit.BANDIT)), 1)
    assert "gets worse" in bandit["warning"]


def test_an_adapter_needs_less_memory_and_four_bits_still_less():
    full, lora, four = (
        dryrun.memory_mb(Plan(model="smollm2", lora=each), 134_515_008)
        for each in (None, LoraPlan(), LoraPlan(four_bits=True))
    )
    assert full > lora > four


@pytest.mark.parametrize(
    "plan",
    [
        Plan(against=()),
        Plan(against=("nobody",)),
        Plan(clone=ClonePlan(teacher="nobody")),
        Plan(clone=ClonePlan(teacher="")),
        Plan(width=63),
    ],
)
def test_wrong_names_are_refused_before_anything_starts(plan):
    with pytest.raises(BadInput):
        plan.check()


def test_unsloth_is_left_out_unless_it_is_asked_for():
    assert use_unsloth("off") is False
    assert use_unsloth("auto") is False
    with pytest.raises(BadInput, match="--unsloth on"):
        use_unsloth("on")
    with pytest.raises(BadInput, match="auto, on, off"):
        use_unsloth("perhaps")


def test_unsloth_never_comes_after_trl(monkeypatch):
    from revops_ma.training.pilot_grpo import accelerators

    monkeypatch.setattr(accelerators.importlib.util, "find_spec", lambda name: object())
    monkeypatch.setitem(sys.modules, "trl", object())
    with pytest.raises(BadInput, match="imported before"):
        use_unsloth("on")
    with pytest.warns(UserWarning, match="left out"):
        assert use_unsloth("auto") is False


def test_vllm_is_refused_where_it_cannot_run():
    assert use_vllm(False) is False
    with pytest.raises(BadInput, match="vllm"):
        use_vllm(True)


def test_the_command_tells_its_plan(capsys):
    from revops_ma.cli import main

    with pytest.raises(SystemExit) as ended:
        main(["train", "pilot", "--dry-run", "--json", "--against", "rule-based,random"])
    assert ended.value.code == 0
    told = json.loads(capsys.readouterr().out)
    assert told["plan"]["against"] == ["rule-based", "random"]


def test_the_command_refuses_an_unknown_credit(capsys):
    from revops_ma.cli import main

    with pytest.raises(SystemExit) as ended:
        main(["train", "pilot", "--credit", "luck", "--dry-run"])
    assert ended.value.code == 2
    assert "return_to_go" in capsys.readouterr().err
