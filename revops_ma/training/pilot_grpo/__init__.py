"""GRPO for pilots that are language models: episodes they play alone, credit to every turn.

    plan = Plan(model="tiny", against=("rule-based",), seed=0)
    with open_pool() as pool:
        trained = train(plan, Path("runs/grpo-0"), pool)

Nothing here scores single answers, except to show what that does (`credit = "bandit"`). torch, trl
and transformers are imported when training begins, never by this package.
"""

from revops_ma.training.pilot_grpo.credit import Credit
from revops_ma.training.pilot_grpo.plan import ClonePlan, LoraPlan, Plan
from revops_ma.training.pilot_grpo.recipe import Recipe

__all__ = ["ClonePlan", "Credit", "LoraPlan", "Plan", "Recipe"]
