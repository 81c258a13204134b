"""An episode as the page draws it: figures after every step, rewards, and every move in words.

Told from the log of a table by playing it again on the side, so nothing has to be kept up to date.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from revops_ma.adapters.served import kind_name, words_of
from revops_ma.game import OVER, Figure, Games, World
from revops_ma.table import Table, Turn

Story = dict[str, Any]


def tell(
    table: Table,
    players: Mapping[str, str],
    scenario: str,
    *,
    viewer: int = 0,
    hands: Sequence[str] = (),
) -> Story:
    """Tell the only game of a table.

    `players` names who plays, by role; `hands` who made each move of the seat `viewer`, where it
    changed. While the game goes on no figure is told that the first role is not shown.
    """
    world = table.world
    teller = _Teller(table, {world.role_index(role): who for role, who in players.items()})
    teller.play(viewer, hands)
    over = bool(world.to_move(table.games)[0] == OVER)
    story: Story = {
        "scenario": scenario,
        "world": world.name,
        "step_name": world.step_name,
        "success": world.success,
        "seed": table.seeds[0],
        "players": dict(players),
        "roles": [role.name for role in world.roles],
        "signals": list(world.signals),
        "figures": {name: figure_of(world, name) for name in teller.series},
        "series": teller.series,
        "rewards": teller.rewards,
        "turns": teller.turns,
        "steps": int(table.steps[0]),
        "max_steps": world.observation(table.games, 0, 0).get("max_steps"),
        "brief": world.brief(table.games, 0),
        "text": world.describe(table.games, table.rows, viewer)[0],
        "return": float(table.returns[0, 0]),
        "refused": dict(zip([r.name for r in world.roles], table.refused[0].tolist(), strict=True)),
        "over": over,
    }
    if over:
        facts = world.facts(table.games, table.rows)
        story |= {
            "ending": world.endings(table.games, table.rows)[0],
            "won": bool(world.won(table.games, table.rows)[0]),
            "facts": {name: float(values[0]) for name, values in facts.items()},
        }
    return story


class _Teller:
    """Plays the log of a table again and notes what the page shows."""

    def __init__(self, table: Table, players: Mapping[int, str]) -> None:
        self.table, self.world, self.players = table, table.world, players
        self.is_over = bool(self.world.to_move(table.games)[0] == OVER)
        self.series: dict[str, list[float]] = {}
        self.rewards: list[dict[str, float]] = []
        self.turns: list[dict[str, Any]] = []

    def play(self, viewer: int, hands: Sequence[str]) -> None:
        """Play the game and note everything."""
        games = self.world.deal(self.table.settings, self.table.seeds)
        self._look(games)
        step, movers = 0, iter(hands)
        for turn in self.table.log:
            outcome = self.world.apply(games, turn.rows, turn.role, turn.batch)
            scored = bool(outcome.scored[0])
            step += scored
            # A first move that is not paid yet begins a step; others belong to the one before.
            told = self._turn(games, turn, outcome, step + (not scored and turn.role == 0))
            usual = self.players[turn.role]
            told["by"] = next(movers, usual) if turn.role == viewer else usual
            self.turns.append(told)
            if scored:
                signals = outcome.signals[0].tolist()
                self.rewards.append(dict(zip(self.world.signals, signals, strict=True)))
                self._look(games)

    def _look(self, games: Games) -> None:
        """Note the figures after a step."""
        traced = self.world.trace(games, self.table.rows)
        shown = self.world.observation(games, 0, 0)
        figures = {name: float(column[0]) for name, column in traced.items()}
        figures |= {name: shown[name] for name in self.world.figures if name in shown}
        for name, value in figures.items():
            if self.is_over or name in shown:
                self.series.setdefault(name, []).append(value)

    def _turn(self, games: Games, turn: Turn, outcome: Any, step: int) -> dict[str, Any]:
        role = self.world.roles[turn.role]
        entry = self.world.narrate(games, turn.role, outcome, 0)
        scored = bool(outcome.scored[0])
        return {
            "role": turn.role,
            "step": step,
            "move": role.caption(outcome.played, 0),
            "kind": kind_name(role, outcome.played),
            "strength": float(role.strength_of(outcome.played)[0]),
            "text": words_of(role, turn.batch),
            "reward": float(outcome.rewards[0, 0]) if scored else None,
            "mark": entry.mark if entry else "",
            "answer": entry.answer if entry else "",
            "tone": entry.tone if entry else "plain",
            "full": entry.full if entry else "",
        }


def figure_of(world: World, name: str) -> dict[str, Any]:
    """How a figure is titled and drawn."""
    figure = world.figures.get(name, Figure(name.replace("_", " ").capitalize()))
    return {"title": figure.title, "unit": figure.unit, "limits": list(figure.limits)}
