"""The pilot's whole month as one compiled loop over all games, for vector environments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from revops_ma.game import Agent, Cycle, Floats
from revops_ma.worlds.revops import kernel
from revops_ma.worlds.revops.games import CRISIS_SEAT, copy_games
from revops_ma.worlds.revops.moves import NO_CRISIS, RULE_BASED_CRISIS
from revops_ma.worlds.revops.threads import split_games

_STANDING = {"none": NO_CRISIS, "rule-based": RULE_BASED_CRISIS}
"""Crisis bots whose every move is the same order to the kernel."""


class MonthStepper:
    """Plays a pilot move and the month after it in all games, deals ended ones anew."""

    def __init__(
        self, games: Any, standing: tuple[Any, ...], weigh: Callable[[Any], Floats]
    ) -> None:
        """Step `games` in place; `standing` is the crisis engine's move of every turn."""
        self.weigh = weigh
        self.games = games
        self.crises = np.full(len(games), np.array(standing, kernel.CRISIS_MOVE))
        self.out: Any = np.zeros(len(games), kernel.OUT)

    def __call__(self, pilot_moves: Any) -> Cycle:
        """Play one month."""
        before = copy_games(self.games, slice(None))
        columns = (self.games, pilot_moves, self.crises, self.out)
        split_games(kernel.autoreset_months, columns, len(self.games))
        ended = self.out["ended"] != 0
        rows = np.flatnonzero(ended)
        finals = self._play_again(copy_games(before, rows), pilot_moves[rows], self.crises[rows])
        return Cycle(self.out["reward"].copy(), ended, finals, self.weigh(self.out[rows]))

    def _play_again(self, games: Any, pilot_moves: Any, crises: Any) -> Any:
        """The last month of ended games once more: the loop has put new games in their place."""
        out = np.zeros(len(games), kernel.OUT)
        kernel.pilot_turns(games, np.arange(len(games)), pilot_moves, out)
        due = np.flatnonzero(games["turn"] == CRISIS_SEAT)
        kernel.crisis_turns(games, due, crises[due], out[: len(due)])
        return games


def stepper(
    games: Any, opponents: Mapping[str, Agent], weigh: Callable[[Any], Floats]
) -> MonthStepper | None:
    """The loop against a crisis engine with a standing order, None against any other."""
    card: Any = getattr(opponents["crisis"], "card", None)
    standing = _STANDING.get(card.bot) if getattr(card, "kind", None) == "scripted" else None
    return None if standing is None else MonthStepper(games, standing, weigh)
