"""Training of numeric agents by RLlib's PPO: one seat learns against a weighted pool of agents.

    pool = Pool.of({"heuristic": 2.0, "planner": 1.0}, "crisis", scenario)  # by card names, or
    pool = Pool([(agent, 0.4), (earlier.agent("crisis-3"), 0.6)])           # any agents
    trained = train("crisis", pool, scenario, budget=Budget(seconds=60), seed=0)
    trained.network                  # NumPy weights; warm_start=trained.network goes on from them
    trained.agent("newest")          # a NumericAgent: plays anywhere, may stand in the next pool
    trained.save(folder, "newest")   # newest.toml and newest.npz: a card of the catalog
    trained.history                  # a dict of figures per iteration

`train(role, opponents, scenario, *, budget, seed=0, warm_start=None, out=None, recipe=None,
backend="embedded", workers=2) -> Trained`. The learning seat plays whole games; each game has one
opponent from its deal to its end, drawn by the weights of the pool, and figures are told for each
of them. With `out` (a directory) the same call goes on after a kill. `evaluate(agent, role, pool,
scenario, seeds)` gives one `Score` per opponent. torch and ray are imported when training begins,
never by this package.
"""

from revops_ma.training.evaluation import Score, evaluate
from revops_ma.training.loop import train
from revops_ma.training.pool import Pool
from revops_ma.training.recipe import Budget, Recipe
from revops_ma.training.trained import Trained

__all__ = ["Budget", "Pool", "Recipe", "Score", "Trained", "evaluate", "train"]
