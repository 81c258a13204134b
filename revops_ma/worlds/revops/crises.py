"""The eight crises, the five weakness scores and the rule-based engine (rulebook section 6)."""

from __future__ import annotations

import math

import numpy as np

from revops_ma.jit import kernel
from revops_ma.worlds.revops.company import CHURN_CEILING, Company, clamp, is_dead

CRISES = (
    "CHURN_SPIKE",
    "CAC_EXPLOSION",
    "SUPPORT_CRISIS",
    "CASH_CRUNCH",
    "PRICE_WAR",
    "REGULATORY_HIT",
    "ENTERPRISE_CHURN",
    "TALENT_WAR",
)
PASS = -1
"""No crisis this quarter."""
RULE_BASED = -2
"""Let the rule-based engine choose: the fallback of a crisis move that was refused."""

COMPONENTS = {
    "CHURN_SPIKE": (("churn_pts", 4.0), ("mrr_pct", -8.0)),
    "CAC_EXPLOSION": (("cac_pct", 60.0),),
    "SUPPORT_CRISIS": (("support_pts", -25.0), ("churn_pts", 2.0)),
    "CASH_CRUNCH": (("runway_months", -3.0),),
    "PRICE_WAR": (("mrr_pct", -12.0), ("cac_pct", 30.0)),
    "REGULATORY_HIT": (("runway_months", -2.0), ("cac_pct", 20.0)),
    "ENTERPRISE_CHURN": (("mrr_pct", -20.0),),
    "TALENT_WAR": (("runway_months", -2.5), ("support_pts", -10.0)),
}
"""What each crisis touches at strength 1, in the units of a free-form move (percent, points,
months)."""

MAX_SEVERITY = 1.5
BANK_START, BANK_INCOME, BANK_MAX = 1.0, 1.0, 2.25
"""Severity bank: a turn of severity s costs s*s, then the income comes in, up to the maximum."""

METRICS = ("churn", "cac", "support", "runway", "mrr")
"""The five weaknesses, in the order that breaks ties."""
CAC_ALARM = 5_000.0
"""Dollars per customer at which the engine counts CAC as fully broken."""
RUNWAY_ALARM = 12.0
"""Months of runway below which the engine sees a weakness."""
MRR_ALARM = 40_000.0
"""Dollars of MRR below which the engine sees a weakness."""
SIDE_DAMAGE = 0.001
"""Weight of the damage to the other metrics: it only breaks ties."""
KILL_BONUS = 10.0
"""Damage points of a blow that kills: more than any other can have."""

_CANDIDATES = np.array([[0, 2, -1], [1, 4, 5], [2, 7, -1], [3, 5, 7], [0, 4, 6]])
"""Row per metric: the crises that touch it, in table order; -1 pads."""


@kernel
def strike(c, crisis, r1, r2):
    """Let a crisis (index into CRISES) hit with component strengths r1, r2 in [0, 1.5]."""
    mrr, cac, ltv, churn, runway, marketing, support, arpa, slack = c
    if crisis == 0:  # CHURN_SPIKE
        churn += 0.04 * r1
        mrr *= 1 - 0.08 * r2
    elif crisis == 1:  # CAC_EXPLOSION
        cac *= 1 + 0.6 * r1
    elif crisis == 2:  # SUPPORT_CRISIS
        support -= 0.25 * r1
        churn += 0.02 * r2
    elif crisis == 3:  # CASH_CRUNCH
        runway -= 3 * r1
    elif crisis == 4:  # PRICE_WAR
        mrr *= 1 - 0.12 * r1
        cac *= 1 + 0.3 * r2
    elif crisis == 5:  # REGULATORY_HIT
        runway -= 2 * r1
        cac *= 1 + 0.2 * r2
    elif crisis == 6:  # ENTERPRISE_CHURN
        mrr *= 1 - 0.20 * r1
    elif crisis == 7:  # TALENT_WAR
        runway -= 2.5 * r1
        support -= 0.10 * r2
    return clamp(Company(mrr, cac, ltv, churn, runway, marketing, support, arpa, slack))


@kernel
def weakness(c, metric):
    """Score of one weakness (index into METRICS): 0 healthy, 1 fully broken, CAC up to 1.2."""
    if metric == 0:
        return c.churn / CHURN_CEILING
    if metric == 1:
        return c.cac / CAC_ALARM
    if metric == 2:
        return 1 - c.support
    if metric == 3:
        return max(0.0, (RUNWAY_ALARM - c.runway) / RUNWAY_ALARM)
    return max(0.0, (MRR_ALARM - c.mrr) / MRR_ALARM)


@kernel
def weakest(c):
    """Index of the first metric with the highest weakness score."""
    worst, worst_score = 0, weakness(c, 0)
    for metric in range(1, 5):
        score = weakness(c, metric)
        if score > worst_score:
            worst, worst_score = metric, score
    return worst


@kernel
def damage(before, after, metric):
    """How bad a strike was: for the metric, a little for the rest, a lot where it kills."""
    side = (after.churn - before.churn) / CHURN_CEILING
    side = side + (after.cac - before.cac) / CAC_ALARM
    side = side + (before.support - after.support)
    side = side + (before.runway - after.runway) / RUNWAY_ALARM
    side = side + (before.mrr - after.mrr) / max(before.mrr, 1.0)
    hurt = weakness(after, metric) - weakness(before, metric)
    kill = KILL_BONUS if is_dead(after) else 0.0
    return hurt + SIDE_DAMAGE * side + kill


@kernel
def rule_based_choice(c):
    """The crisis (index) that the source's engine strikes with at severity 1."""
    metric = weakest(c)
    best, best_damage = -1, -1e300
    for slot in range(3):
        crisis = _CANDIDATES[metric, slot]
        if crisis >= 0:
            harm = damage(c, strike(c, crisis, 1.0, 1.0), metric)
            if harm > best_damage:
                best, best_damage = crisis, harm
    return best


@kernel
def allowed_severity(bank):
    """The largest severity that a bank pays for."""
    return min(MAX_SEVERITY, math.sqrt(bank))


@kernel
def bank_after(bank, severity):
    """The bank after a turn that struck with a severity, its income included."""
    # sqrt(2) * sqrt(2) > 2: without the max a full strike would leave a negative bank.
    return min(BANK_MAX, max(0.0, bank - severity * severity) + BANK_INCOME)


@kernel
def affordable(r1, r2, is_delta, bank):
    """Cut strengths to what the bank allows; return r1, r2 and the severity that is charged.

    A plain severity comes as r1 == r2 and is cut to the allowed one. Free-form deltas are limited
    to 1.5 each and scaled together. NaN, negative and zero strengths do nothing.
    """
    r1 = min(r1, MAX_SEVERITY) if r1 > 0.0 else 0.0
    r2 = min(r2, MAX_SEVERITY) if r2 > 0.0 else 0.0
    severity = max(r1, r2)
    allowed = allowed_severity(bank)
    if severity > allowed:
        if is_delta:
            r1, r2 = r1 * (allowed / severity), r2 * (allowed / severity)
        else:
            r1, r2 = allowed, allowed
        severity = allowed
    return r1, r2, severity
