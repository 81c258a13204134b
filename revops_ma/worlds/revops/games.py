"""N companies in one NumPy record array: plain data that pickles, copies and forks by indexing."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from revops_ma.jit import kernel
from revops_ma.luck import key_of
from revops_ma.worlds.revops.company import Company, Market, deal_company
from revops_ma.worlds.revops.crises import BANK_START, PASS

MONTHS = 30
"""Decisions of one episode."""
PILOT_SEAT, CRISIS_SEAT, OVER = 0, 1, -1
PILOT_SALT = np.uint64(0xA5A5A5A55A5A5A5A)
CRISIS_SALT = np.uint64(0xC3C3C3C33C3C3C3C)
"""Turn the game's key into each seat's own, so that the market never depends on who plays."""

_FLOATS = (*Company._fields, "k_cac", "k_churn", "k_fix", "churn_factor", "previous_mrr", "bank")
_MEMORY = ("action_1", "action_2", "action_3")
_MAGNITUDES = ("magnitude_1", "magnitude_2", "magnitude_3")

GAME = np.dtype(
    [(name, "f8") for name in (*_FLOATS, *_MAGNITUDES, "last_reward")]
    + [(name, "i8") for name in _MEMORY]
    + [
        ("seed", "i8"),
        ("key", "u8"),
        ("month", "i8"),
        ("turn", "i8"),
        ("crisis_every", "i8"),
        ("difficulty", "i8"),
        ("active_crisis", "i8"),
        ("last_crisis", "i8"),
        ("crisis_age", "i8"),
        ("ending", "i8"),
    ]
)
"""One game. Every field has 8 bytes, so there is no padding and equal games are equal bytes.

`month` counts months begun (0..30); `turn` is the seat to move (OVER when ended); `action_1` is the
pilot's latest action (NO_DECISION where none); `active_crisis` struck in the month just ended and
shows until the next action; `last_crisis` stays, `crisis_age` months old; both are -1 before the
first.
"""


class Ending(IntEnum):
    """Why a game is over."""

    NONE = -1
    SURVIVED = 0
    """All 30 months played, alive."""
    MRR_COLLAPSED = 1
    """Monthly recurring revenue fell below $20,000."""
    BANKRUPT = 2
    """Cash runway reached zero."""
    CHURNED_OUT = 3
    """Monthly churn rose above 20 %."""


_RECORD = np.dtype((np.void, GAME.itemsize))
"""A game as one lump of bytes: NumPy copies a lump much faster than field by field."""


def blank(count, dtype):
    """Zeroed records; NumPy's own zeros take three times as long for one record of many fields."""
    return np.ndarray(count, dtype, bytearray(count * dtype.itemsize))


def copy_games(games, rows):
    """Copies of some games (an index array, a mask or a slice), which go on by themselves."""
    lump = _RECORD if games.itemsize == GAME.itemsize else np.dtype((np.void, games.itemsize))
    picked = np.ndarray(len(games), lump, games)[rows]
    return np.ndarray(
        len(picked), games.dtype, picked.copy() if isinstance(rows, slice) else picked
    )


@kernel
def company_of(g):
    """The nine moving figures of a record."""
    return Company(g.mrr, g.cac, g.ltv, g.churn, g.runway, g.marketing, g.support, g.arpa, g.slack)


@kernel
def market_of(g):
    """The constants of a record."""
    return Market(g.k_cac, g.k_churn, g.k_fix, g.churn_factor)


@kernel
def store(g, c):
    """Write the nine figures into a record."""
    g.mrr, g.cac, g.ltv, g.churn, g.runway = c.mrr, c.cac, c.ltv, c.churn, c.runway
    g.marketing, g.support, g.arpa, g.slack = c.marketing, c.support, c.arpa, c.slack


@kernel
def deal_game(g):
    """Deal a record anew from its seed, difficulty and crisis rhythm; all else is overwritten."""
    g.key = key_of(np.uint64(g.seed))
    company, market = deal_company(g.key, g.difficulty)
    store(g, company)
    g.k_cac, g.k_churn, g.k_fix = market.cac, market.churn, market.fixed_cost
    g.churn_factor = market.churn_factor
    g.previous_mrr = company.mrr
    g.bank = BANK_START
    g.magnitude_1 = g.magnitude_2 = g.magnitude_3 = 0.0
    g.action_1 = g.action_2 = g.action_3 = -1
    g.last_reward = 0.0
    g.month, g.turn, g.ending = 0, PILOT_SEAT, -1
    g.active_crisis = g.last_crisis = PASS
    g.crisis_age = -1


@kernel
def deal_games(games):
    """Deal every record of the array."""
    for i in range(len(games)):
        deal_game(games[i])
