"""One game as text, for environments that render."""

from __future__ import annotations

import numpy as np

from revops_ma.errors import BadInput
from revops_ma.game import OVER, Games, World

RENDER_MODES = ("human", "ansi")


def check_render_mode(mode: str | None) -> str | None:
    """Return the mode; BadInput if there is no such mode."""
    if mode is not None and mode not in RENDER_MODES:
        raise BadInput.of("render_mode", mode, "human, ansi, None")
    return mode


def screen(world: World, games: Games, row: int) -> str:
    """The text of the role to move, or how the game ended and its figures."""
    rows = np.array([row])
    role = int(world.to_move(games)[row])
    if role != OVER:
        return world.describe(games, rows, role)[0]
    figures = {**world.trace(games, rows), **world.facts(games, rows)}
    lines = [f"{name}: {float(column[0]):,.3f}" for name, column in figures.items()]
    return "\n".join([f"=== over: {world.endings(games, rows)[0]} ===", *lines])
