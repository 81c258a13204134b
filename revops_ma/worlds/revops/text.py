"""Dashboards as text: what a person or a language model reads before it moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from revops_ma.worlds.revops.actions import ACTIONS
from revops_ma.worlds.revops.company import CHURN_CEILING, MRR_FLOOR, Company
from revops_ma.worlds.revops.crises import (
    COMPONENTS,
    CRISES,
    METRICS,
    allowed_severity,
    weakness,
)
from revops_ma.worlds.revops.games import MONTHS

_UNITS = {
    "churn_pts": "churn {:+g} points",
    "mrr_pct": "MRR {:+g} %",
    "cac_pct": "CAC {:+g} %",
    "support_pts": "support {:+g} points",
    "runway_months": "runway {:+g} months",
}

ACTION_GUIDE = {
    "increase_marketing": "more spend, cheaper customers at scale, a little MRR at once",
    "decrease_marketing": "less spend, more runway",
    "hire_support": "better support, less churn; costs runway, more so when rushed",
    "fire_support": "more runway; worse support, more churn",
    "discount_campaign": "MRR up at once; lower LTV and prices",
    "raise_prices": "more MRR and LTV; churn, more so with bad support",
    "feature_investment": "higher LTV, less churn; costs runway",
    "cut_costs": "more runway while there is slack; a little less MRR",
    "negotiate_contracts": "less churn, higher LTV; CAC up a little",
    "pivot_segment": "a gamble: much cheaper customers and more MRR, or a loss",
}


def crisis_line(crisis: int) -> str:
    """Name a crisis and what it does at severity 1, in our own words."""
    if crisis < 0:
        return "none"
    name = CRISES[crisis]
    effects = ", ".join(_UNITS[field].format(amount) for field, amount in COMPONENTS[name])
    return f"{name} ({effects} at severity 1)"


_PILOT_GUIDE = [
    "",
    "Actions:",
    *(f"  {name}: {ACTION_GUIDE[name]}" for name in ACTIONS),
    "",
    'Answer with one JSON object: {"action_type": "<action>", "magnitude": <0.1 to 1.0>}',
]


def plain_record(g: Any) -> Mapping[str, Any]:
    """A record as Python values: NumPy's own scalars format at a third of the speed."""
    return g if isinstance(g, dict) else dict(zip(g.dtype.names, g.item(), strict=True))


def dashboard_lines(g: Any) -> list[str]:
    """The seven figures of a record, a line each."""
    g = plain_record(g)
    return [
        f"MRR:              ${g['mrr']:,.0f} (dead below ${MRR_FLOOR:,.0f})",
        f"CAC:              ${g['cac']:,.0f}",
        f"LTV:              ${g['ltv']:,.0f} (LTV/CAC {g['ltv'] / g['cac']:.2f})",
        f"Churn:            {g['churn']:.1%} a month (dead above {CHURN_CEILING:.0%})",
        f"Runway:           {g['runway']:.1f} months (dead at 0)",
        f"Marketing spend:  ${g['marketing']:,.0f} a month"
        f" ({g['marketing'] / max(g['mrr'], 1.0):.0%} of MRR)",
        f"Support quality:  {g['support']:.0%}",
    ]


def pilot_text(g: Any, said: Sequence[str] = ()) -> str:
    """The pilot's dashboard with the ten actions and the form of the answer.

    `said` is told below the active crisis.
    """
    g = plain_record(g)
    lines = [
        f"=== RevOps dashboard, month {g['month'] + 1} of {MONTHS} ===",
        *dashboard_lines(g),
        f"Active crisis:    {crisis_line(g['active_crisis'])}",
        *said,
        f"Last reward:      {g['last_reward']:.3f}",
        *_PILOT_GUIDE,
    ]
    return "\n".join(lines)


def crisis_text(g: Any) -> str:
    """The crisis engine's view: dashboard, weaknesses, budget, the pilot's last moves."""
    company = company_of_record(g)
    scores = (f"{name} {weakness(company, i):.2f}" for i, name in enumerate(METRICS))
    last = crisis_line(g["last_crisis"])
    months = g["crisis_age"]
    age = f", {months} month{'' if months == 1 else 's'} ago" if months >= 0 else ""
    lines = [
        f"=== Crisis Engine, month {g['month']} of {MONTHS} ===",
        *dashboard_lines(g),
        f"Weakness (1 = broken): {', '.join(scores)}",
        f"Pilot's last moves: {', '.join(_recent_moves(g)) or 'none'}",
        f"Your last crisis: {last}{age}",
        f"Severity bank: {g['bank']:.2f}; a severity s costs s*s;"
        f" the most you can afford now is {allowed_severity(g['bank']):.2f}",
        "",
        "Crises:",
        *(f"  {crisis_line(crisis)}" for crisis in range(len(CRISES))),
        "",
        'Answer with one JSON object: {"crisis_type": "<crisis or PASS>", "severity": <0 to 1.5>}',
    ]
    return "\n".join(lines)


def hidden_text(g: Any) -> str:
    """What neither dashboard shows: the rest of the company and the constants of its market."""
    return "\n".join(
        (
            f"ARPA: ${g['arpa']:,.0f} a month per account",
            f"Slack: {g['slack']:.0%} of the discretionary cost could still be cut",
            f"The market's CAC level: ${g['k_cac']:,.0f}",
            f"Churn that stays when support is perfect: {g['churn_factor'] * g['k_churn']:.1%}",
            f"Fixed cost: ${g['k_fix']:,.0f} a month",
        )
    )


def company_of_record(g: Any) -> Any:
    """The nine moving figures of a NumPy record as a Company of Python floats."""
    return Company(*(float(g[field]) for field in Company._fields))


def _recent_moves(g: Any) -> list[str]:
    moves = [(g[f"action_{ago}"], g[f"magnitude_{ago}"]) for ago in (1, 2, 3)]
    return [f"{ACTIONS[action]} {magnitude:.2f}" for action, magnitude in moves if action >= 0]
