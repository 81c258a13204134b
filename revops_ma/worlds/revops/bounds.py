"""What a company still earns at the least, whatever both players do: the proof behind pruning.

The bound follows one imagined company in which everything that can be bad is bad at once. Each
figure goes by its own worst case, month by month, with the luck that this game will really meet
(luck is keyed, so it is known), and an alive company pays at least

    0.35 * ltv_cac_signal(ltv / cac) + 0.20 * burn_signal(share, support)

a month, since the other two signals are never negative. Why each line is a bound, for a company
that was alive when the month began:

* Action. LTV falls at most to 0.88 and ARPA to 0.91 (discount), CAC rises at most to 1.04
  (negotiation), MRR falls at most to 0.875 (failed pivot), churn rises at most by 0.021 (prices
  at no support), support falls at most by 0.1 (firing), runway by 2.2 (hiring), and the marketing
  share rises at most to 1.4 times and never over the board's cap. One action cannot do all of
  that; the imagined company suffers all of it.
* Market. Each line of `drift` is monotone in what it reads: CAC goes 18 % of the way to a level
  that grows with the share; churn 14 % of the way to a level that grows with ARPA and falls with
  support; LTV half the way to margin * ARPA / churn; MRR loses churn and wins at the least nothing.
* Crisis. While strikes are left, every crisis turn hits with the worst of all eight at once.
* Death. Alive after a month means churn <= 0.20, MRR >= 20,000 and runway > 0: the imagined figures
  are brought back to these limits. In a month in which one of them may be crossed the game may also
  end with -2 and an LTV/CAC signal of its own; the bound is the least over all such ends.

Rounding is covered by SLACK, a million times the error that thirty additions can make.
"""

from __future__ import annotations

from typing import NamedTuple

from revops_ma.jit import kernel
from revops_ma.luck import bell
from revops_ma.worlds.revops.company import (
    ARPA_MAX,
    ARPA_MIN,
    CAC_MAX,
    CAC_MIN,
    CHURN_CEILING,
    CHURN_OF_BAD_SUPPORT,
    LTV_MAX,
    LTV_MIN,
    MARGIN,
    MARKETING_CAP,
    MRR_FLOOR,
    clip,
)
from revops_ma.worlds.revops.crises import MAX_SEVERITY
from revops_ma.worlds.revops.games import CRISIS_SEAT, MONTHS, OVER
from revops_ma.worlds.revops.market import (
    BURN_MAX,
    BURN_PACE,
    CAC_LANE,
    CAC_LEVEL_MIN,
    CAC_NOISE,
    CAC_OF_SPENDING,
    CAC_PULL,
    CHURN_FOR_LTV_MIN,
    CHURN_LANE,
    CHURN_NOISE,
    CHURN_OF_HIGH_PRICES,
    CHURN_PULL,
    COST_OF_REVENUE,
    COST_OF_SUPPORT,
    EASY_MARKETING,
    FAIR_ARPA,
    LTV_PULL,
    MRR_LANE,
    MRR_NOISE,
    RUNWAY_LANE,
    RUNWAY_NOISE,
    SAVING_MAX,
    SUPPORT_LANE,
    SUPPORT_LOAD,
    SUPPORT_NOISE,
    SUPPORT_WEAR,
)
from revops_ma.worlds.revops.rewards import (
    BURN_FREE,
    BURN_FULL,
    DEATH_PENALTY,
    LTV_CAC_GOOD,
    LTV_CAC_GREAT,
    SUPPORT_DECENT,
)

SLACK = 1e-9
"""Reward by which the bound is lowered, so that rounding cannot break it."""
ANY_FORCE, MENU_FORCE, NO_FORCE = MAX_SEVERITY, 1.0, 0.0
"""Severity of the strikes to come: of free play, of the menu that searches use, of none."""

_MOST_SUPPORT = 1.06
"""Support before the clamp at a month's end: at most 1 and the luck of one month."""
_MOST_WON = 0.33 * 1.35 * ARPA_MAX / CAC_MIN
"""New MRR as a share of MRR: saturated marketing at its cap, best demand, dearest cheap account."""
_LTV_OF_ACTION, _ARPA_OF_ACTION, _ARPA_RISE, _CAC_OF_ACTION, _MRR_OF_ACTION = (
    0.88,
    0.91,
    1.08,
    1.04,
    0.875,
)
_CHURN_OF_ACTION, _SUPPORT_OF_ACTION, _RUNWAY_OF_ACTION, _SHARE_OF_ACTION = 0.021, 0.1, 2.2, 1.4
"""The worst that one action can do to each figure: factors above, points here (share: a factor)."""


class Imagined(NamedTuple):
    """Bounds on the figures of a company: each by itself, as bad as it can be."""

    ltv: float
    """At least."""
    cac: float
    """At most."""
    arpa: float
    """At least."""
    arpa_high: float
    churn: float
    """At most."""
    mrr: float
    """At least."""
    runway: float
    """At least."""
    share: float
    """Marketing over MRR, at most."""
    support: float
    """At least."""


@kernel
def imagined(g):
    """The company of a record as it is."""
    share = g.marketing / max(g.mrr, 1.0)
    return Imagined(g.ltv, g.cac, g.arpa, g.arpa, g.churn, g.mrr, g.runway, share, g.support)


@kernel
def month_passed(w, g, month):
    """Action and market of one month; also LTV at the least if the company dies in it."""
    ltv, cac, arpa, arpa_high, churn, mrr, runway, share, support = w
    key = g.key
    ltv = max(LTV_MIN, ltv * _LTV_OF_ACTION)
    arpa = max(ARPA_MIN, arpa * _ARPA_OF_ACTION)
    arpa_high = min(ARPA_MAX, arpa_high * _ARPA_RISE)
    churn += _CHURN_OF_ACTION
    share = min(MARKETING_CAP, share * _SHARE_OF_ACTION)
    support = max(0.0, support - _SUPPORT_OF_ACTION)
    runway = max(0.0, runway - _RUNWAY_OF_ACTION)
    kept = (1 - churn) * (1 + MRR_NOISE * bell(key, month, MRR_LANE))
    mrr = mrr * _MRR_OF_ACTION * kept
    support = support - (SUPPORT_WEAR + SUPPORT_LOAD * _MOST_WON)
    support = max(0.0, support + SUPPORT_NOISE * bell(key, month, SUPPORT_LANE))
    gap = 1 - min(1.0, support)
    overpriced = max(0.0, arpa_high / FAIR_ARPA - 1)
    level = g.churn_factor * (
        g.k_churn + CHURN_OF_BAD_SUPPORT * (gap * gap) + CHURN_OF_HIGH_PRICES * overpriced
    )
    churn = churn + CHURN_PULL * (level - churn) + CHURN_NOISE * bell(key, month, CHURN_LANE)
    spending = max(CAC_LEVEL_MIN, 1 + CAC_OF_SPENDING * (share - EASY_MARKETING))
    cac = cac * _CAC_OF_ACTION
    cac = (cac + CAC_PULL * (g.k_cac * spending - cac)) * (
        1 + CAC_NOISE * bell(key, month, CAC_LANE)
    )
    worth = MARGIN * arpa
    dying_ltv = ltv + LTV_PULL * (worth / max(churn, CHURN_FOR_LTV_MIN) - ltv)
    alive_ltv = ltv + LTV_PULL * (worth / clip(churn, CHURN_FOR_LTV_MIN, CHURN_CEILING) - ltv)
    share = share / kept
    lowest = max(mrr, 1.0)
    cost = g.k_fix / lowest + COST_OF_REVENUE + share + COST_OF_SUPPORT * _MOST_SUPPORT
    runway = runway + clip(BURN_PACE * (MARGIN / cost - 1), -BURN_MAX, SAVING_MAX)
    runway = runway + RUNWAY_NOISE * bell(key, month, RUNWAY_LANE)
    cac = clip(cac, CAC_MIN, CAC_MAX)
    alive_ltv = clip(alive_ltv, LTV_MIN, LTV_MAX)
    dying_ltv = clip(dying_ltv, LTV_MIN, LTV_MAX)
    after = Imagined(alive_ltv, cac, arpa, arpa_high, churn, mrr, runway, share, support)
    return after, dying_ltv


@kernel
def struck(w, force):
    """The worst of all eight crises at once."""
    mrr_left = 1 - 0.20 * force
    return Imagined(
        w.ltv,
        min(CAC_MAX, w.cac * (1 + 0.6 * force)),
        w.arpa,
        w.arpa_high,
        w.churn + 0.04 * force,
        w.mrr * mrr_left,
        w.runway - 3.0 * force,
        w.share / mrr_left,
        max(0.0, w.support - 0.25 * force),
    )


@kernel
def may_die(w):
    """Whether some figure may have crossed its limit."""
    return (w.mrr < MRR_FLOOR) | (w.runway <= 0.0) | (w.churn > CHURN_CEILING)


@kernel
def alive(w):
    """The same bounds, knowing that no limit was crossed."""
    return Imagined(
        w.ltv,
        w.cac,
        w.arpa,
        w.arpa_high,
        min(w.churn, CHURN_CEILING),
        max(w.mrr, MRR_FLOOR),
        max(w.runway, 0.0),
        min(w.share, MARKETING_CAP),
        w.support,
    )


@kernel
def _ltv_cac_pay(ltv, cac):
    ratio = ltv / cac
    if ratio < 1:
        return 0.35 * (ratio - 1)
    if ratio < LTV_CAC_GOOD:
        return 0.35 * (0.375 * (ratio - 1))
    great = min(1.0, (ratio - LTV_CAC_GOOD) / (LTV_CAC_GREAT - LTV_CAC_GOOD))
    return 0.35 * (0.75 + 0.25 * great)


@kernel
def least_pay(w):
    """What an alive company's month pays at the least."""
    efficiency = 1 - clip((w.share - BURN_FREE) / (BURN_FULL - BURN_FREE), 0.0, 1.0)
    neglect = 0.5 * max(0.0, (SUPPORT_DECENT - w.support) / SUPPORT_DECENT)
    return _ltv_cac_pay(w.ltv, w.cac) + 0.20 * clip(efficiency - neglect, 0.0, 1.0)


@kernel
def least_of(g, force):
    """The least that a game still pays its pilot.

    `force` is the severity that strikes to come may have; 0 where none are left.
    """
    if g.turn == OVER:
        return 0.0
    w, month = imagined(g), g.month
    lowest, total = 1e300, 0.0
    is_scored = g.turn != CRISIS_SEAT
    dying_ltv = w.ltv
    while True:
        if is_scored:
            if month == MONTHS:
                break
            month += 1
            w, dying_ltv = month_passed(w, g, month)
        if month % g.crisis_every == 0:
            w = struck(w, force)
        if may_die(w):
            lowest = min(lowest, total + _ltv_cac_pay(dying_ltv, w.cac) - DEATH_PENALTY)
        w = alive(w)
        total += least_pay(w)
        is_scored = True
    return min(lowest, total) - SLACK


@kernel
def fill_least(games, rows, forces, out):
    """Write `least_of` of each row to `out`."""
    for j in range(len(rows)):
        out[j] = least_of(games[rows[j]], forces[j])
