"""The company world: its kernel, a match through the turn loop, and the two searching players."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import numpy as np

from revops_ma import catalog
from revops_ma.bench.meter import Line, Subject, Work, measure
from revops_ma.game import View
from revops_ma.table import Table, play
from revops_ma.worlds.revops.actions import ACTIONS
from revops_ma.worlds.revops.crises import RULE_BASED
from revops_ma.worlds.revops.kernel import CRISIS_MOVE, OUT, PILOT_MOVE, autoreset_months
from revops_ma.worlds.revops.threads import split_games

SCENARIO = "revops/normal"
FIRST_SEED = 1_000_000

SIZES = (1, 64, 4_096, 65_536)
THREADS = (1, 2)
_STEPS_PER_WORK = 20_000
"""Company-steps between two looks at the clock."""
_BATCHES = 8
"""Different random moves that take turns, so the branch predictor cannot learn a game's action."""
_DECISIONS = 32
"""Games that a searching player decides for at once: enough to use two threads."""
_EPISODES = 2_000

_KERNEL_NOTES = {
    1: "Nearly all of it is the call from Python, about 0.9 us; the month itself takes 0.1 us.",
    64: "One block of games a call; the call from Python is a quarter of the time.",
    4_096: "One core took 98 ns a step with a call per rule, 78 with all rules inlined, and 47"
    " stage by stage over blocks of 64 games: market and scoring run four games an instruction.",
    65_536: "Limited by divisions (28 ns for a choice of the rule-based engine), the ten-way branch"
    " of the pilot's action and the way records are gathered into vectors, not by memory.",
}


def kernel(seconds: float) -> list[Line]:
    """Months with rewards, the rule-based engine and autoreset, by number of games and threads."""
    return measure(
        [
            Subject(
                f"kernel N={size} threads={threads}",
                "company-steps/s",
                _kernel_note(size, threads),
                lambda size=size, threads=threads: months(size, threads),
            )
            for size in SIZES
            for threads in THREADS
        ],
        seconds,
    )


def _kernel_note(size: int, threads: int) -> str:
    if threads == 1:
        return _KERNEL_NOTES[size]
    if size < 4_096:
        return "Waking the second thread costs more than it saves; the world itself never does."
    return "The second thread holds no lock that the first needs; below 2 x 4,096 games it idles."


def months(size: int, threads: int) -> Work:
    """Work that plays months of random pilots; every step counted is a living company's.

    `autoreset_months` deals an ended game anew within the step, so none is ever over before one.
    """
    games = _deal(size)
    rng = np.random.default_rng(0)
    batches = cycle([_random_moves(rng, size) for _ in range(_BATCHES)])
    crises: Any = np.zeros(size, CRISIS_MOVE)
    crises["crisis"] = RULE_BASED
    out = np.zeros(size, OUT)
    calls = max(1, _STEPS_PER_WORK // size)

    def work() -> int:
        for _ in range(calls):
            columns = (games, next(batches), crises, out)
            split_games(autoreset_months, columns, size, threads=threads)
        return calls * size

    return work


def _deal(size: int) -> Any:
    scenario = catalog.scenario(SCENARIO)
    return scenario.world.deal(scenario.settings, range(FIRST_SEED, FIRST_SEED + size))


def _random_moves(rng: np.random.Generator, size: int) -> Any:
    moves: Any = np.zeros(size, PILOT_MOVE)
    moves["action"] = rng.integers(0, len(ACTIONS), size)
    moves["magnitude"] = rng.uniform(0.1, 1.0, size)
    return moves


def match(seconds: float) -> list[Line]:
    """A whole match through the turn loop, its log included."""
    note = (
        f"{_EPISODES:,} episodes of heuristic against rule-based. The kernel takes a third; dealing"
        " the seeds and the columns between the turns take the rest."
    )
    return measure([Subject("match through the table", "company-steps/s", note, _match)], seconds)


def _match() -> Work:
    scenario = catalog.scenario(SCENARIO)
    players = {
        "pilot": catalog.agent("heuristic", "pilot", scenario),
        "crisis": catalog.agent("rule-based", "crisis", scenario),
    }
    seeds = range(FIRST_SEED, FIRST_SEED + _EPISODES)
    return lambda: int(play(Table(scenario.world, scenario.settings, seeds), players).steps.sum())


def search(seconds: float) -> list[Line]:
    """The players that play the company to its end before they decide."""
    plan = "About 500 imagined episodes a decision; games are shared out over the cores."
    hunt = "864 imagined episodes a decision, more with a full bank; shared out over the cores."
    return measure(
        [
            Subject("planner", "decisions/s", plan, lambda: _decisions("planner", "pilot", 0)),
            Subject("hunter", "decisions/s", hunt, lambda: _decisions("hunter", "crisis", 3)),
        ],
        seconds,
    )


def _decisions(agent: str, role: str, months_before: int) -> Work:
    scenario = catalog.scenario(SCENARIO)
    view = _view_after(scenario, months_before)
    player = catalog.agent(agent, role, scenario)

    def work() -> int:
        player.act(view)
        return len(view)

    return work


def _view_after(scenario: catalog.Scenario, months: int) -> View:
    seeds = range(FIRST_SEED, FIRST_SEED + _DECISIONS)
    table = Table(scenario.world, scenario.settings, seeds)
    idle = catalog.agent("do-nothing", "pilot", scenario)
    for _ in range(months):
        (view,) = table.waiting()
        table.take(view, idle.act(view))
    (view,) = table.waiting()
    return view
