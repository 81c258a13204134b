"""The nouns of every game: Role, View, Reply, Refused, Outcome, World, Agent.

A World is stateless rules over N games at once; one game is N = 1. A Table (see `table.py`) holds
the games, offers Views that wait for a Reply, and takes the replies. An Agent turns a View into a
Reply and keeps no hidden state between calls. Nothing here knows a world, an adapter or a model.
"""

from revops_ma.game.agent import Agent, slow
from revops_ma.game.outcome import Cycle, Entry, Figure, Outcome, PlainOutcome
from revops_ma.game.reply import Refused, Reply
from revops_ma.game.role import Role
from revops_ma.game.values import OVER, Batch, Flags, Floats, Games, Rows
from revops_ma.game.view import History, Past, View
from revops_ma.game.world import Coast, World

__all__ = [
    "OVER",
    "Agent",
    "Batch",
    "Coast",
    "Cycle",
    "Entry",
    "Figure",
    "Flags",
    "Floats",
    "Games",
    "History",
    "Outcome",
    "Past",
    "PlainOutcome",
    "Refused",
    "Reply",
    "Role",
    "Rows",
    "View",
    "World",
    "slow",
]
