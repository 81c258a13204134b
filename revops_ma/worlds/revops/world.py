"""The company world as the turn loop sees it: records in, outcomes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from revops_ma.game import Agent, Coast, Cycle, Floats, Games, Outcome, Rows, World
from revops_ma.luck import check_seed, fill_uniform
from revops_ma.worlds.revops import kernel
from revops_ma.worlds.revops.actions import ACTIONS
from revops_ma.worlds.revops.bounds import ANY_FORCE, MENU_FORCE, NO_FORCE, fill_least
from revops_ma.worlds.revops.coast import coaster
from revops_ma.worlds.revops.company import DIFFICULTIES
from revops_ma.worlds.revops.crises import CRISES
from revops_ma.worlds.revops.figures import FIGURES
from revops_ma.worlds.revops.games import (
    CRISIS_SALT,
    GAME,
    MONTHS,
    PILOT_SALT,
    PILOT_SEAT,
    Ending,
    blank,
    copy_games,
    deal_games,
)
from revops_ma.worlds.revops.narration import (
    fenced,
    is_told,
    plain,
    plain_view,
    put_back,
    stories_of,
    with_stories,
)
from revops_ma.worlds.revops.observation import (
    CRISIS_NUMBERS,
    PILOT_NUMBERS,
    observe_crisis,
    observe_pilot,
)
from revops_ma.worlds.revops.outcome import MonthOutcome, weigh
from revops_ma.worlds.revops.own import OWN, OwnCompany
from revops_ma.worlds.revops.rewards import SIGNALS
from revops_ma.worlds.revops.roles import ROLES
from revops_ma.worlds.revops.stepper import stepper
from revops_ma.worlds.revops.text import crisis_text, hidden_text, pilot_text, plain_record
from revops_ma.worlds.revops.threads import split
from revops_ma.worlds.revops.wire import OBSERVATION_SCHEMA, observation


def _play(turns: Callable[..., None], games: Games, rows: Rows, batch: Any, out: Any) -> None:
    """Play one turn of a seat; a single game's is over before the work could be shared out."""
    if len(rows) == 1:
        turns(games, rows, batch, out)
    else:
        split(turns, games, rows, batch, out)


def _coast(loop: Coast, games: Games, rows: Rows, *more: Any) -> None:
    """Run a compiled loop on games of either form."""
    loop(*plain_view(games, rows), *more)


_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


def _observe(games: Games, rows: Rows, role: int, dtype: np.dtype[Any]) -> Any:
    """[n, d] numbers of a role; the kernels write either precision."""
    if role == PILOT_SEAT:
        numbers, look = PILOT_NUMBERS, observe_pilot
    else:
        numbers, look = CRISIS_NUMBERS, observe_crisis
    games, rows = plain_view(games, rows)
    out = np.zeros((len(rows), len(numbers)), dtype)
    look(games, rows, out)
    return out


class Settings(BaseModel):
    """The `[rules]` of a scenario card of this world."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    difficulty: Literal["easy", "normal", "hard"] = "normal"
    crisis_every: int = Field(default=3, ge=1, le=MONTHS)
    """Months from one crisis turn to the next."""
    company: OwnCompany | None = None
    """The company that every seed starts from; None: one is dealt by seed and difficulty."""
    narrative: bool | None = None
    """Whether the pilot reads what the crisis engine says about its crisis; False is None."""

    @field_validator("narrative")
    @classmethod
    def _leave_out_what_is_off(cls, narrative: bool | None) -> bool | None:
        return narrative or None

    @model_validator(mode="after")
    def _check_company(self) -> Self:
        if self.company is not None and self.difficulty != "normal":
            raise ValueError(
                f"difficulty {self.difficulty!r} changes dealt companies; leave it out beside"
                " [rules.company], whose figures say how hard it has it"
            )
        return self


class RevOpsWorld(World):
    """A B2B SaaS company steered month by month while a crisis engine strikes it."""

    name = "revops"
    version = 1
    roles = ROLES
    settings = Settings
    signals = (*SIGNALS, "death")
    success = "survival"
    facts_shown = ("final_mrr",)
    figures = FIGURES
    step_name = "month"

    def deal(self, settings: Settings, seeds: Sequence[int]) -> Games:
        games: Any = blank(len(seeds), GAME)
        games["seed"] = [check_seed(seed) for seed in seeds]
        games["difficulty"] = DIFFICULTIES.index(settings.difficulty)
        games["crisis_every"] = settings.crisis_every
        deal_games(games)
        if settings.company is not None:
            settings.company.settle(games)
        return with_stories(games) if settings.narrative else games

    def remarks(self, settings: Settings) -> Sequence[str]:
        return () if settings.company is None else settings.company.remarks()

    def to_move(self, games: Games) -> NDArray[np.int64]:
        return games["turn"]

    def observe(self, games: Games, rows: Rows, role: int) -> Floats:
        return _observe(games, rows, role, _FLOAT64)

    def observe32(self, games: Games, rows: Rows, role: int) -> NDArray[np.float32]:
        return _observe(games, rows, role, _FLOAT32)

    def legal(self, games: Games, rows: Rows, role: int) -> NDArray[np.bool_]:
        kinds = ACTIONS if role == PILOT_SEAT else CRISES
        return np.ones((len(rows), len(kinds)), np.bool_)

    def describe(self, games: Games, rows: Rows, role: int) -> list[str]:
        if role != PILOT_SEAT:
            return [crisis_text(games[row]) for row in rows]
        if is_told(games):
            return [pilot_text(games[row], fenced(games[row])) for row in rows]
        return [pilot_text(games[row]) for row in rows]

    def reveal(self, games: Games, rows: Rows, role: int) -> list[str]:
        return [hidden_text(games[row]) for row in rows]

    def luck(self, games: Games, rows: Rows, role: int, lane: int) -> Floats:
        picked = games[rows]
        salt = PILOT_SALT if role == PILOT_SEAT else CRISIS_SALT
        # The pilot is asked before its month begins, the crisis engine while the month is on.
        months = picked["month"] + 1 if role == PILOT_SEAT else picked["month"]
        out = np.empty(len(rows))
        fill_uniform(picked["key"], salt, months, lane, out)
        return out

    def apply(self, games: Games, rows: Rows, role: int, batch: Any) -> Outcome:
        out: Any = blank(len(rows), kernel.OUT)
        moves, told = plain(batch), is_told(games)
        played, numbers = plain_view(games, rows)
        turns = kernel.pilot_turns if role == PILOT_SEAT else kernel.crisis_turns
        _play(turns, played, numbers, moves, out)
        if told:
            struck = out["crisis"] >= 0
            put_back(played, games, rows, "" if role == PILOT_SEAT else stories_of(batch, struck))
        return MonthOutcome(rows, out, batch if role == PILOT_SEAT else None)

    def won(self, games: Games, rows: Rows) -> NDArray[np.bool_]:
        return games["ending"][rows] == Ending.SURVIVED

    def endings(self, games: Games, rows: Rows) -> list[str]:
        return [Ending(ending).name.lower() for ending in games["ending"][rows]]

    def facts(self, games: Games, rows: Rows) -> dict[str, Floats]:
        return {"final_mrr": games["mrr"][rows]}

    def trace(self, games: Games, rows: Rows) -> dict[str, Floats]:
        picked = games[rows]
        shown = ("mrr", "runway", "churn", "cac", "ltv", "support", "marketing")
        return {name: picked[name] for name in shown}

    def info(self, games: Games, row: int) -> dict[str, Any]:
        game = games[row]
        active, last = int(game["active_crisis"]), int(game["last_crisis"])
        return {
            "month": int(game["month"]),
            "arpa": float(game["arpa"]),
            "bank": float(game["bank"]),
            "active_crisis": CRISES[active] if active >= 0 else None,
            "last_crisis": CRISES[last] if last >= 0 else None,
            "crisis_age": int(game["crisis_age"]),
        }

    def observation(self, games: Games, row: int, role: int) -> dict[str, Any]:
        if role != PILOT_SEAT:
            return super().observation(games, row, role)
        game = plain_record(games[row])
        said = fenced(games[row]) if is_told(games) else ()
        return observation(game, pilot_text(game, said))

    def observation_schema(self, role: int) -> dict[str, Any]:
        return OBSERVATION_SCHEMA if role == PILOT_SEAT else super().observation_schema(role)

    def most_turns(self, settings: Settings, role: int) -> int:
        return MONTHS if role == PILOT_SEAT else MONTHS // settings.crisis_every

    def least(self, games: Games, rows: Rows, strikes: Rows | None = None) -> Floats:
        forces = np.full(len(rows), ANY_FORCE)
        if strikes is not None:
            forces = np.where(strikes > 0, MENU_FORCE, NO_FORCE)
        out = np.empty(len(rows))
        fill_least(*plain_view(games, rows), forces, out)
        return out

    def fork(self, games: Games, rows: Rows) -> Games:
        return copy_games(games, rows)

    def stepper(
        self, games: Games, role: int, opponents: Mapping[str, Agent]
    ) -> Callable[[Any], Cycle] | None:
        # The compiled loop deals ended games anew by itself: it knows only dealt companies.
        if role != PILOT_SEAT or is_told(games) or (games["difficulty"] == OWN).any():
            return None
        return stepper(games, opponents, weigh)

    def secrets(self, games: Games, rows: Rows) -> tuple[Games, Rows]:
        return plain_view(games, rows)

    def coaster(self, agent: Agent) -> Coast | None:
        loop = coaster(agent)
        return loop and partial(_coast, loop)

    def fingerprint(self, games: Games, row: int) -> bytes:
        return games[row].tobytes()


WORLD = RevOpsWorld()
