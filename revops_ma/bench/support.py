"""The support desk: its engine alone, and as other people's loops drive it."""

from __future__ import annotations

from itertools import cycle

from revops_ma import catalog
from revops_ma.bench.environments import turns_of
from revops_ma.bench.meter import Line, Subject, Work, measure
from revops_ma.table import Table, play
from revops_ma.worlds.finops.calls import Call, Disturbance
from revops_ma.worlds.finops.engine import serve

SCENARIO = "finops/task1"
SEED = 0
"""The fixed tasks deal the same ticket for every seed."""
_RUNS = 50
"""Runs of a ticket between two looks at the clock."""


def desk(seconds: float) -> list[Line]:
    """Tool calls of the reference solution, and turns of an environment."""
    return measure(
        [
            Subject(
                f"desk {SCENARIO}",
                "tool calls/s",
                "The four calls of the reference solution on a fresh copy of the desk each time:"
                " arguments checked, answer made, step paid and graded. One core.",
                engine_work,
            ),
            Subject(
                f"aec {SCENARIO}",
                "turns/s",
                "The same calls as JSON objects and the crisis side's pass; the observation is"
                " worked out of the whole call log for every turn.",
                _turns,
            ),
        ],
        seconds,
    )


def engine_work() -> Work:
    """Work that serves the calls of the reference solution; returns how many it served."""
    table = _solved()
    calls = [turn.batch[0] for turn in table.log if turn.role == 0]
    opened = table.world.deal(table.settings, [SEED])[0]

    def work() -> int:
        for _ in range(_RUNS):
            fresh = opened.copy()
            for call in calls:
                serve(fresh, call)
        return _RUNS * len(calls)

    return work


def _solved() -> Table:
    scenario = catalog.scenario(SCENARIO)
    names = {"pilot": "optimal", "crisis": "none"}
    players = {role: catalog.agent(name, role, scenario) for role, name in names.items()}
    return play(Table(scenario.world, scenario.settings, [SEED]), players)


def _turns() -> Work:
    from revops_ma.adapters.pettingzoo import aec_env

    env = aec_env(SCENARIO)
    env.reset(seed=SEED)
    moves = cycle([_as_object(turn.batch[0]) for turn in _solved().log])
    return turns_of(env, lambda _agent, _observation, _turn: next(moves))


def _as_object(move: Call | Disturbance) -> dict[str, object]:
    if isinstance(move, Call):
        return {"tool": move.tool, "args": move.args}
    return {"disturbance": move.kind, "target": move.target}
