"""The rule-of-thumb pilot (rulebook section 9): the first rule that applies decides."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from revops_ma.game import View
from revops_ma.jit import kernel
from revops_ma.worlds.revops.company import clip
from revops_ma.worlds.revops.kernel import PILOT_MOVE

(
    _INCREASE,
    _DECREASE,
    _HIRE,
    _FIRE,
    _DISCOUNT,
    _RAISE,
    _FEATURE,
    _CUT,
    _NEGOTIATE,
    _PIVOT,
) = range(10)


class Thresholds(NamedTuple):
    """Where the rules switch; q is the share of MRR spent on marketing."""

    run_em: float
    """Months of runway below which cash is an emergency."""
    q_em: float
    s_fire: float
    h_em: float
    """Churn above which losing customers is an emergency."""
    s_h: float
    r_h: float
    s_weak: float
    r_weak: float
    s_goal: float
    """Support quality that hiring aims at."""
    m_low: float
    """MRR below which discounts buy revenue."""
    c_hi: float
    """CAC that counts as high."""
    q_c: float
    r_piv: float
    m_piv: float
    r_low: float
    h_mid: float
    q_inc: float
    lc_inc: float
    """LTV/CAC above which more marketing pays."""
    h_price: float
    """Churn below which prices can rise."""
    s_mid: float
    r_feat: float


TUNED = Thresholds(
    3.5, 0.32, 0.83, 0.10, 0.64, 6.4, 0.70, 5.6, 0.95, 27000.0, 2000.0,
    0.29, 6.7, 36000.0, 8.0, 0.07, 0.26, 3.0, 0.04, 0.70, 7.0,
)  # fmt: skip
"""The `heuristic-tuned` card's thresholds: the tail of the planner's plans."""
PLAIN = Thresholds(
    3.0, 0.25, 0.70, 0.065, 0.5, 6.5, 0.72, 6.5, 1.0, 29000.0, 1800.0,
    0.35, 6.5, 34000.0, 6.0, 0.05, 0.35, 2.5, 0.035, 0.65, 8.0,
)  # fmt: skip
"""The `heuristic` card's thresholds: the hunter's model of a pilot."""


@kernel
def decide(c, p):
    """Action and magnitude of a company by the rules; reads only the dashboard figures."""
    share = c.marketing / max(c.mrr, 1.0)
    if c.runway < p.run_em:
        if share > p.q_em:
            return _DECREASE, 0.9
        return (_FIRE, 0.8) if c.support > p.s_fire else (_CUT, 1.0)
    if c.churn > p.h_em:
        return (_HIRE, 0.9) if (c.support < p.s_h) & (c.runway > p.r_h) else (_NEGOTIATE, 1.0)
    if (c.support < p.s_weak) & (c.runway > p.r_weak):
        return _HIRE, clip(3.0 * (p.s_goal - c.support), 0.1, 1.0)
    if c.mrr < p.m_low:
        return _DISCOUNT, 1.0
    if c.cac > p.c_hi:
        if share > p.q_c:
            return _DECREASE, 0.7
        return (_PIVOT, 0.8) if (c.runway > p.r_piv) & (c.mrr > p.m_piv) else (_CUT, 0.5)
    if c.runway < p.r_low:
        return _CUT, 0.8
    if c.churn > p.h_mid:
        return _NEGOTIATE, 0.8
    if (share < p.q_inc) & (c.ltv > p.lc_inc * c.cac):
        return _INCREASE, 0.6
    if c.churn < p.h_price:
        return _RAISE, 0.6
    if c.support < p.s_mid:
        return _HIRE, 0.5
    return (_FEATURE, 0.6) if c.runway > p.r_feat else (_NEGOTIATE, 0.5)


class _Figures(NamedTuple):
    mrr: float
    cac: float
    ltv: float
    churn: float
    runway: float
    marketing: float
    support: float


@kernel
def _decide_all(numbers, thresholds, moves):
    for j in range(len(moves)):
        n = numbers[j]
        figures = _Figures(n[0], n[1], n[2], n[3], n[4], n[5], n[6])
        moves[j].action, moves[j].magnitude = decide(figures, thresholds)


def heuristic(
    view: View,
    *,
    run_em: float,
    q_em: float,
    s_fire: float,
    h_em: float,
    s_h: float,
    r_h: float,
    s_weak: float,
    r_weak: float,
    s_goal: float,
    m_low: float,
    c_hi: float,
    q_c: float,
    r_piv: float,
    m_piv: float,
    r_low: float,
    h_mid: float,
    q_inc: float,
    lc_inc: float,
    h_price: float,
    s_mid: float,
    r_feat: float,
) -> Any:
    """Play the rules with the card's thresholds (see `Thresholds`)."""
    given = locals()
    thresholds = Thresholds(*(given[name] for name in Thresholds._fields))
    moves = np.zeros(len(view), PILOT_MOVE)
    _decide_all(view.numbers, thresholds, moves)
    return moves
