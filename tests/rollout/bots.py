"""Pilots that take their worker with them. They spare the process that the test runs in."""

import os
from pathlib import Path
from typing import Annotated

from pydantic import Field

from revops_ma.game import View
from revops_ma.worlds.revops.bots import pilot_random

Pid = Annotated[int, Field(ge=1)]


def die(driver):
    if os.getpid() != driver:
        os._exit(1)


def deadly(view: View, *, driver: Pid, seed: int, months: int = 0):
    """Kill every worker that plays this seed, once so many months are over."""
    games, rows = view.secrets()
    if ((games["seed"][rows] == seed) & (games["month"][rows] >= months)).any():
        die(driver)
    return pilot_random(view)


def fragile(view: View, *, driver: Pid, mark: str, months: int = 0):
    """Kill the first worker that gets so far."""
    games, rows = view.secrets()
    if (games["month"][rows] >= months).any() and not Path(mark).exists():
        Path(mark).touch()
        die(driver)
    return pilot_random(view)


def broken(view: View):
    """Have a bug."""
    raise ZeroDivisionError("a bug of the bot")
