"""Matchups in, episodes out; seats to hold, sessions out. One interface, `RolloutPool`.

Backends differ only in where the work is done: `embedded` in this process, `ray` in worker
processes here or on a cluster. Results are the same to the last bit.
"""

from revops_ma.rollout.backends import BACKENDS, open_pool
from revops_ma.rollout.board import Told, Waiting
from revops_ma.rollout.embedded import EmbeddedPool
from revops_ma.rollout.held import Held, Spec, hold
from revops_ma.rollout.matchup import Matchup, seat
from revops_ma.rollout.pool import RolloutPool
from revops_ma.rollout.recorded import play_again, rules_of
from revops_ma.rollout.sessions import Sessions
from revops_ma.rollout.work import Done, WorkerTime, in_plan_order

__all__ = [
    "BACKENDS",
    "Done",
    "EmbeddedPool",
    "Held",
    "Matchup",
    "RolloutPool",
    "Sessions",
    "Spec",
    "Told",
    "Waiting",
    "WorkerTime",
    "hold",
    "in_plan_order",
    "open_pool",
    "play_again",
    "rules_of",
    "seat",
]
