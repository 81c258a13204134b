"""The kernel: one compiled loop per kind of turn, the same for 1 game and for 65,536.

Each loop takes the record array, the rows to move, their moves, and an `OUT` record per row that it
fills. Games are independent, so any split over threads gives the same bits; loops release the GIL.
"""

from __future__ import annotations

import numpy as np

from revops_ma.jit import kernel
from revops_ma.worlds.revops.actions import (
    ACTIONS,
    MAGNITUDE_MAX,
    MAGNITUDE_MIN,
    NO_DECISION,
    act,
)
from revops_ma.worlds.revops.company import CHURN_CEILING, MRR_FLOOR, clip
from revops_ma.worlds.revops.crises import (
    CRISES,
    RULE_BASED,
    affordable,
    bank_after,
    rule_based_choice,
    strike,
)
from revops_ma.worlds.revops.games import (
    CRISIS_SEAT,
    MONTHS,
    OVER,
    PILOT_SEAT,
    company_of,
    deal_game,
    market_of,
    store,
)
from revops_ma.worlds.revops.market import drift
from revops_ma.worlds.revops.rewards import score_month

PILOT_MOVE = np.dtype([("action", "i8"), ("magnitude", "f8")])
"""Index into ACTIONS (or NO_DECISION) and magnitude."""
CRISIS_MOVE = np.dtype([("crisis", "i8"), ("r1", "f8"), ("r2", "f8"), ("is_delta", "i8")])
"""Index into CRISES (or PASS, RULE_BASED), component strengths, and whether they are free-form."""
OUT = np.dtype(
    [(name, "f8") for name in ("ltv_cac", "growth", "burn", "survival", "reward")]
    + [("scored", "i8"), ("ended", "i8"), ("crisis", "i8"), ("r1", "f8"), ("r2", "f8")]
)
"""What a turn did: raw signals and reward where `scored`, whether it ended, the blow that fell."""

BLOCK = 64
"""Games that go through a month together: their records and moves fit the first-level cache."""

_ACTION_COUNT, _CRISIS_COUNT = len(ACTIONS), len(CRISES)


@kernel
def _ending_of(c, month):
    if c.mrr < MRR_FLOOR:
        return 1
    if c.runway <= 0.0:
        return 2
    if c.churn > CHURN_CEILING:
        return 3
    return 0 if month >= MONTHS else -1


@kernel
def play_action(g, action, magnitude):
    """Stage 1: begin the month, remember the pilot's move and play it.

    An index that is no action is no decision; what is remembered stays within its bounds.
    """
    if (action < 0) | (action >= _ACTION_COUNT):
        action, magnitude = NO_DECISION, 0.0
    else:
        magnitude = clip(magnitude, MAGNITUDE_MIN, MAGNITUDE_MAX)
    g.month += 1
    g.active_crisis = -1
    if g.crisis_age >= 0:
        g.crisis_age += 1
    g.action_3, g.magnitude_3 = g.action_2, g.magnitude_2
    g.action_2, g.magnitude_2 = g.action_1, g.magnitude_1
    g.action_1, g.magnitude_1 = action, magnitude
    store(g, act(company_of(g), action, magnitude, g.key, g.month))


@kernel
def pass_month(g):
    """Stage 2: let the market month pass."""
    store(g, drift(company_of(g), market_of(g), g.key, g.month))


@kernel
def is_crisis_due(g):
    """Whether the crisis engine moves before the month is scored."""
    return g.month % g.crisis_every == 0


@kernel
def blow(g, move, out):
    """Stage 3: charge the bank, let the crisis hit and remember it."""
    c = company_of(g)
    crisis, r1, r2, is_delta = move.crisis, move.r1, move.r2, move.is_delta != 0
    if crisis == RULE_BASED:
        crisis, r1, r2, is_delta = rule_based_choice(c), 1.0, 1.0, False
    r1, r2, severity = affordable(r1, r2, is_delta, g.bank)
    if crisis < 0 or crisis >= _CRISIS_COUNT or severity <= 0.0:
        crisis, r1, r2, severity = -1, 0.0, 0.0, 0.0
    g.bank = bank_after(g.bank, severity)
    if crisis >= 0:
        store(g, strike(c, crisis, r1, r2))
        g.active_crisis = g.last_crisis = crisis
        g.crisis_age = 0
    out.crisis, out.r1, out.r2 = crisis, r1, r2


@kernel
def settle(g, out):
    """Stage 4: score the month and pass the turn, or end the game."""
    c = company_of(g)
    out.ltv_cac, out.growth, out.burn, out.survival, out.reward = score_month(
        c, g.previous_mrr, g.month
    )
    g.previous_mrr = c.mrr
    g.last_reward = out.reward
    g.ending = _ending_of(c, g.month)
    g.turn = OVER if g.ending >= 0 else PILOT_SEAT
    out.scored = 1
    out.ended = g.ending >= 0


@kernel
def pilot_turns(games, rows, moves, out):
    """Play one pilot move and the month after it in each of the rows.

    Where a crisis turn is due the month is not scored and no death is declared yet.
    """
    for j in range(len(rows)):
        g = games[rows[j]]
        play_action(g, moves[j].action, moves[j].magnitude)
        pass_month(g)
        if is_crisis_due(g):
            g.turn = CRISIS_SEAT
        else:
            settle(g, out[j])


@kernel
def crisis_turns(games, rows, moves, out):
    """Play one crisis move in each of the rows, then score the month."""
    for j in range(len(rows)):
        g = games[rows[j]]
        blow(g, moves[j], out[j])
        settle(g, out[j])


@kernel
def rule_based_moves(games, rows, moves):
    """Fill in the move of the rule-based engine at severity 1 for each of the rows."""
    for j in range(len(rows)):
        moves[j].crisis = rule_based_choice(company_of(games[rows[j]]))
        moves[j].r1 = moves[j].r2 = 1.0
        moves[j].is_delta = 0


@kernel
def autoreset_months(games, pilot_moves, crisis_moves, out, seed_stride):
    """Play a month in every game, its crisis turn included; deal ended games anew.

    The vector environment's whole step. A game that ends goes on with its seed + `seed_stride`, so
    N games that start on N neighbouring seeds and step by N never share one. `out` tells of the
    month that ended; the record already shows the new company.
    """
    for start in range(0, len(games), BLOCK):
        part = slice(start, start + BLOCK)
        _autoreset_block(games[part], pilot_moves[part], crisis_moves[part], out[part], seed_stride)


@kernel
def _autoreset_block(games, pilot_moves, crisis_moves, out, seed_stride):
    """Play the month stage by stage, not game by game.

    The market and the scoring have no branches, so their loops run several games per instruction.
    """
    for i in range(len(games)):
        play_action(games[i], pilot_moves[i].action, pilot_moves[i].magnitude)
    for i in range(len(games)):
        pass_month(games[i])
    for i in range(len(games)):
        if is_crisis_due(games[i]):
            blow(games[i], crisis_moves[i], out[i])
        else:
            out[i].crisis = -1
    for i in range(len(games)):
        settle(games[i], out[i])
    for i in range(len(games)):
        if games[i].ending >= 0:
            games[i].seed += seed_stride
            deal_game(games[i])
