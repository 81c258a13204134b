"""The support desk as the turn loop sees it: lists of calls in, outcomes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revops_ma.game import OVER, Entry, Figure, Floats, Games, Outcome, PlainOutcome, Rows, World
from revops_ma.luck import check_seed
from revops_ma.worlds.finops import grading
from revops_ma.worlds.finops.desk import CRISIS_SALT, PILOT_SALT, Desk, open_desk
from revops_ma.worlds.finops.disturbances import KINDS
from revops_ma.worlds.finops.engine import SIGNALS, Step, serve
from revops_ma.worlds.finops.generator import ticket_for
from revops_ma.worlds.finops.narration import told
from revops_ma.worlds.finops.observation import (
    CRISIS_FIELDS,
    PILOT_FIELDS,
    crisis_numbers,
    pilot_numbers,
)
from revops_ma.worlds.finops.roles import ROLES
from revops_ma.worlds.finops.seen import OBSERVATION_SCHEMA, Seen, observation, seen
from revops_ma.worlds.finops.settings import Settings
from revops_ma.worlds.finops.storm import allows, strike
from revops_ma.worlds.finops.terminal import pilot_screen
from revops_ma.worlds.finops.text import crisis_text, pilot_text
from revops_ma.worlds.finops.tools import TOOL_NAMES

PILOT_SEAT = 0
"""Index of the pilot in `roles`."""

_SALTS = (PILOT_SALT, CRISIS_SALT)


FIGURES = {
    "score": Figure("Score"),
    "steps": Figure("Steps"),
    "budget": Figure("Step budget"),
    "errors": Figure("Failed calls"),
    "severity_left": Figure("Severity left"),
}
"""How the figures of `facts` and `trace` are titled."""


class FinOpsWorld(World):
    """A billing support desk worked through eleven tools while a crisis side disturbs it."""

    name = "finops"
    version = 1
    roles = ROLES
    settings = Settings
    signals = SIGNALS
    success = "solved"
    facts_shown = ("score", "steps")
    figures = FIGURES
    lost_on_the_way = False

    def deal(self, settings: Settings, seeds: Sequence[int]) -> Games:
        return [deal_desk(settings, check_seed(seed)) for seed in seeds]

    def to_move(self, games: Games) -> NDArray[np.int64]:
        return np.array([_to_move(desk) for desk in games], np.int64)

    def observe(self, games: Games, rows: Rows, role: int) -> Floats:
        tell, fields = (
            (pilot_numbers, PILOT_FIELDS) if role == PILOT_SEAT else (crisis_numbers, CRISIS_FIELDS)
        )
        numbers = [tell(games[row]) for row in rows]
        return np.array(numbers, np.float64).reshape(len(rows), len(fields))

    def legal(self, games: Games, rows: Rows, role: int) -> NDArray[np.bool_]:
        if role == PILOT_SEAT:
            return np.ones((len(rows), len(TOOL_NAMES)), np.bool_)
        masks = [[allows(games[row], kind) for kind in KINDS.values()] for row in rows]
        return np.array(masks, np.bool_).reshape(len(rows), len(KINDS))

    def describe(self, games: Games, rows: Rows, role: int) -> list[str]:
        tell = pilot_text if role == PILOT_SEAT else crisis_text
        return [tell(games[row]) for row in rows]

    def public(self, games: Games, row: int, role: int) -> Seen | None:
        return seen(games[row]) if role == PILOT_SEAT else None

    def observation(self, games: Games, row: int, role: int) -> dict[str, Any]:
        if role != PILOT_SEAT:
            return super().observation(games, row, role)
        shown = observation(games[row])
        # What every environment tells beside the observation is not told twice.
        told = {name: shown[name] for name in shown if name not in ("done", "reward", "metadata")}
        return {**told, "text": self.describe(games, np.array([row]), role)[0]}

    def observation_schema(self, role: int) -> dict[str, Any]:
        return OBSERVATION_SCHEMA if role == PILOT_SEAT else super().observation_schema(role)

    def brief(self, games: Games, row: int) -> str:
        desk = games[row]
        return f"{desk.ticket_text}\n\nStep budget {desk.max_steps}."

    def narrate(self, games: Games, role: int, outcome: Outcome, position: int) -> Entry | None:
        return told(games[outcome.rows[position]], outcome.detail[position])

    def screen(self, games: Games, row: int, role: int) -> str:
        return pilot_screen(games[row]) if role == PILOT_SEAT else crisis_text(games[row])

    def luck(self, games: Games, rows: Rows, role: int, lane: int) -> Floats:
        return np.array([games[row].uniform(_SALTS[role], lane) for row in rows], np.float64)

    def apply(self, games: Games, rows: Rows, role: int, batch: Any) -> Outcome:
        if role == PILOT_SEAT:
            return _pilot_turns(games, rows, batch)
        turns = [strike(games[row], move) for row, move in zip(rows, batch, strict=True)]
        nothing = np.zeros(len(rows), np.bool_)
        return PlainOutcome(
            rows,
            np.zeros((len(rows), 2)),
            nothing,
            nothing.copy(),
            turns,
            [turn.played for turn in turns],
            weigh,
        )

    def won(self, games: Games, rows: Rows) -> NDArray[np.bool_]:
        return np.array([games[row].raw == 1.0 for row in rows], np.bool_)

    def endings(self, games: Games, rows: Rows) -> list[str]:
        return [str(games[row].ending or "") for row in rows]

    def facts(self, games: Games, rows: Rows) -> dict[str, Floats]:
        picked = [games[row] for row in rows]
        return {
            "score": np.array([grading.reported(desk.raw) for desk in picked]),
            "steps": np.array([float(desk.steps) for desk in picked]),
            "budget": np.array([float(desk.max_steps) for desk in picked]),
        }

    def trace(self, games: Games, rows: Rows) -> dict[str, Floats]:
        picked = [games[row] for row in rows]
        return {
            "score": np.array([grading.reported(desk.raw) for desk in picked]),
            "errors": np.array([float(_errors(desk)) for desk in picked]),
            "severity_left": np.array([float(desk.severity_left) for desk in picked]),
        }

    def fork(self, games: Games, rows: Rows) -> Games:
        return [games[row].copy() for row in rows]

    def fingerprint(self, games: Games, row: int) -> bytes:
        return games[row].fingerprint()

    def info(self, games: Games, row: int) -> dict[str, Any]:
        desk = games[row]
        return {
            "task_id": desk.ticket.task_id,
            "steps_taken": desk.steps,
            "max_steps": desk.max_steps,
            "writes": len(desk.writes),
            "last_disturbance": desk.last_kind or None,
        }


def deal_desk(settings: Settings, seed: int) -> Desk:
    """Deal one game."""
    desk = open_desk(ticket_for(settings, seed), settings.rules, seed)
    grading.refresh(desk)
    return desk


def weigh(detail: Sequence[Any]) -> Floats:
    """[n, signals] of a batch of turns; the crisis side's turns weigh nothing."""
    parts = [turn[3:] if isinstance(turn, Step) else (0.0,) * len(SIGNALS) for turn in detail]
    return np.array(parts, np.float64).reshape(len(detail), len(SIGNALS))


def _to_move(desk: Desk) -> int:
    if desk.ending is not None:
        return OVER
    return 1 - PILOT_SEAT if desk.crisis_due else PILOT_SEAT


def _errors(desk: Desk) -> int:
    return sum(not exchange.response["ok"] for exchange in desk.log)


def _pilot_turns(games: Games, rows: Rows, batch: Any) -> Outcome:
    desks = [games[row] for row in rows]
    open_before = np.array([desk.ending is None for desk in desks], np.bool_)
    steps = [serve(desk, call) for desk, call in zip(desks, batch, strict=True)]
    rewards = np.empty((len(desks), 2))
    rewards[:, 0] = [step.reward for step in steps]
    np.negative(rewards[:, 0], out=rewards[:, 1])
    ended = np.array([desk.ending is not None for desk in desks], np.bool_)
    return PlainOutcome(
        rows, rewards, open_before, ended, steps, [step.call for step in steps], weigh
    )


WORLD = FinOpsWorld()
