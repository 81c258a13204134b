"""The environment for TRL's `environment_factory`: tools, schemas, calls, rewards."""

import pytest

pytest.importorskip("trl", reason="needs the grpo extra")

from revops_ma.adapters.trl import OVER, environment_factory, tool_names, tool_schemas
from revops_ma.errors import BadInput

pytestmark = pytest.mark.grpo


def test_a_company_is_one_tool_with_its_enum_and_its_number():
    environment = environment_factory("revops/normal", opponents={"crisis": "none"})()
    assert tool_names(environment) == ["move"]
    (schema,) = tool_schemas(environment)
    fields = schema["function"]["parameters"]["properties"]
    assert "cut_costs" in fields["action_type"]["enum"]
    assert fields["magnitude"]["type"] == "number"
    assert sorted(schema["function"]["parameters"]["required"]) == ["action_type", "magnitude"]


def test_every_tool_of_a_support_desk_is_a_tool():
    environment = environment_factory("finops/task1", opponents={"crisis": "none"})()
    names = tool_names(environment)
    assert {"search_customers", "create_refund", "submit"} <= set(names)
    told = {schema["function"]["name"]: schema["function"] for schema in tool_schemas(environment)}
    assert set(told) == set(names)
    assert told["get_customer"]["parameters"]["required"] == ["customer_id"]
    assert "name contains" in told["search_customers"]["description"]
    assert "required" not in told["list_customers"]["parameters"]


def test_a_whole_game_is_played_by_calls_and_its_reward_added_up():
    from revops_ma.adapters.facade import RevOpsEnv

    environment = environment_factory("revops/normal", opponents={"crisis": "none"})()
    told = environment.reset(seed=7, prompt="left alone")
    assert "month 1 of 30" in told
    other = RevOpsEnv(crisis_every=30, difficulty="normal")
    other.reset(seed=7)
    total, calls = 0.0, 0
    while told != OVER:
        told = environment.move(action_type="hire_support", magnitude=0.5)
        calls += 1
    assert calls <= 30
    total = environment.get_reward()
    assert environment.move(action_type="hire_support", magnitude=0.5) == OVER
    assert environment.get_reward() == total != 0.0


def test_a_refused_call_says_why_and_the_game_goes_on():
    environment = environment_factory("revops/normal", opponents={"crisis": "none"})()
    environment.reset(seed=1)
    told = environment.move(action_type="fly", magnitude=0.5)
    assert told.startswith("Refused (unknown_action)")
    assert "month 2 of 30" in told


def test_a_case_is_worked_by_calls():
    environment = environment_factory("finops/task1", opponents={"crisis": "none"})()
    environment.reset(seed=3)
    told = environment.search_customers(name="TechCorp")
    assert "cus_" in told
    environment.submit()
    assert environment.search_customers(name="TechCorp") == OVER


def test_the_same_seed_deals_the_same_game_and_an_environment_is_used_again():
    one, two = (
        environment_factory("revops/normal", opponents={"crisis": "random"})() for _ in "ab"
    )
    for _ in range(2):
        assert one.reset(seed=5) == two.reset(seed=5)
        moves = [each.move(action_type="cut_costs", magnitude=0.3) for each in (one, two)]
        assert moves[0] == moves[1]


def test_unknown_opponents_are_an_error_before_training():
    with pytest.raises(BadInput):
        environment_factory("revops/normal", opponents={"crisis": "nobody"})
