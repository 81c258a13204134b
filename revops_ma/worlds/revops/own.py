"""A company of the user's own: `[rules.company]` of a scenario card, checked and completed.

The dashboard is what the user says. What the dashboard does not show is derived so that the
company is at rest in the market of this world, as far as its figures allow:

    arpa              given, or ltv * churn / margin
    ltv               given, or arpa * margin / churn
    structural churn  churn - 0.18 * (1 - support)^2 - 0.03 * max(0, arpa / 475 - 1)
    level of CAC      cac: what CAC returns to while marketing costs 34 % of MRR
    fixed cost        given, or 18.5 % of MRR, the middle of the dealt companies
    slack             given, or 0.75, the middle of the dealt companies

Figures that contradict each other are errors; figures that the market will move by itself are told
as remarks. Every seed starts from this company; the luck of the market still differs by seed.
"""

from __future__ import annotations

from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from revops_ma.worlds.revops.company import (
    ARPA_MAX,
    ARPA_MIN,
    CAC_MAX,
    CAC_MIN,
    CHURN_CEILING,
    CHURN_MIN,
    CHURN_OF_BAD_SUPPORT,
    LTV_MAX,
    LTV_MIN,
    MARGIN,
    MARKETING_CAP,
    MARKETING_MIN,
    MRR_FLOOR,
    MRR_MAX,
    RUNWAY_MAX,
    clip,
)
from revops_ma.worlds.revops.market import (
    BURN_MAX,
    BURN_PACE,
    CAC_LEVEL_MIN,
    CAC_OF_SPENDING,
    CHURN_OF_HIGH_PRICES,
    COST_OF_REVENUE,
    COST_OF_SUPPORT,
    EASY_MARKETING,
    FAIR_ARPA,
    SAVING_MAX,
)

OWN = 3
"""`difficulty` of a record that holds a company of the user's own."""
TYPICAL_FIXED_COST = 0.185
"""Fixed cost as a share of MRR: $10,000 of $54,000, the middle of the dealt companies."""
LTV_TOLERANCE = 0.1
"""Share by which a given LTV may differ from arpa * margin / churn: figures are rounded."""
WORTH_A_REMARK = 0.1
"""Share by which the market must move a figure before it is worth telling."""

STEADY_PACE = 0.05
"""Months of runway a month under which cash counts as steady."""


class OwnCompany(BaseModel):
    """The `[rules.company]` table. Dollars, months, and shares of 1 (3.2 % is 0.032)."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)

    mrr: float
    """Monthly recurring revenue."""
    cac: float
    """Cost to win one customer."""
    churn: float
    """Share of MRR lost a month."""
    runway: float
    """Months of cash."""
    marketing: float
    """Marketing spend a month."""
    support: float
    """Support quality, 0 to 1: CSAT as a share does well."""
    ltv: float | None = None
    """Lifetime value of a customer; give it, or `arpa`."""
    arpa: float | None = None
    """MRR of one account; give it, or `ltv`."""
    margin: float = Field(default=MARGIN, gt=0, le=1)
    """Gross margin; the market of this world counts with 0.8."""
    fixed_cost: float | None = Field(default=None, ge=0)
    """Dollars a month that are neither delivery, marketing nor support."""
    slack: float = Field(default=0.75, ge=0, le=1)
    """Share of the discretionary cost that could still be cut."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        for check in (_check_alive, _check_bounds, _check_marketing, _check_worth, _check_churn):
            check(self)
        return self

    @property
    def full_arpa(self) -> float:
        """MRR of one account, given or from LTV."""
        if self.arpa is not None:
            return self.arpa
        return (self.ltv or 0.0) * self.churn / self.margin

    @property
    def full_ltv(self) -> float:
        """LTV, given or from ARPA."""
        return self.full_arpa * self.margin / self.churn if self.ltv is None else self.ltv

    @property
    def full_fixed_cost(self) -> float:
        """Fixed cost a month, given or typical."""
        return TYPICAL_FIXED_COST * self.mrr if self.fixed_cost is None else self.fixed_cost

    @property
    def structural_churn(self) -> float:
        """Churn that neither bad support nor high prices explain."""
        return self.churn - self.explained_churn

    @property
    def explained_churn(self) -> float:
        """Churn that this support quality and these prices cause by themselves."""
        gap = 1 - self.support
        overpriced = max(0.0, self.full_arpa / FAIR_ARPA - 1)
        return CHURN_OF_BAD_SUPPORT * (gap * gap) + CHURN_OF_HIGH_PRICES * overpriced

    def settle(self, games: Any) -> None:
        """Put the company in the place of the dealt ones; their luck stays."""
        for name in ("mrr", "cac", "churn", "runway", "marketing", "support", "slack"):
            games[name] = getattr(self, name)
        games["ltv"], games["arpa"] = self.full_ltv, self.full_arpa
        games["k_cac"], games["k_churn"] = self.cac, self.structural_churn
        games["k_fix"], games["previous_mrr"] = self.full_fixed_cost, self.mrr
        games["difficulty"] = OWN

    def remarks(self) -> list[str]:
        """What the market will move by itself, a sentence each."""
        return [told for tell in (_remark_ltv, _remark_cac, _remark_cash) if (told := tell(self))]


def _check_alive(own: OwnCompany) -> None:
    limits = (
        (own.mrr < MRR_FLOOR, f"mrr {own.mrr:,.0f} is under the floor of {MRR_FLOOR:,.0f}"),
        (own.runway <= 0, f"runway {own.runway:g} leaves no cash"),
        (own.churn > 1, f"churn {own.churn:g} is no share of 1: 3.2 % a month is 0.032"),
        (own.churn > CHURN_CEILING, f"churn {own.churn:g} is over the limit of {CHURN_CEILING:g}"),
    )
    for is_broken, told in limits:
        if is_broken:
            raise ValueError(f"{told}: this company is lost before its first month")


def _check_bounds(own: OwnCompany) -> None:
    bounds = {
        "mrr": (MRR_FLOOR, MRR_MAX),
        "cac": (CAC_MIN, CAC_MAX),
        "churn": (CHURN_MIN, CHURN_CEILING),
        "runway": (0.0, RUNWAY_MAX),
        "support": (0.0, 1.0),
    }
    for name, (low, high) in bounds.items():
        _within(name, getattr(own, name), low, high)


def _within(name: str, value: float, low: float, high: float, why: str = "") -> None:
    if not low <= value <= high:
        raise ValueError(
            f"{name} {value:,.6g}{why} is outside this world: allowed {low:,.6g} to {high:,.6g}"
        )


def _check_marketing(own: OwnCompany) -> None:
    cap = MARKETING_CAP * own.mrr
    if not MARKETING_MIN <= own.marketing <= cap:
        raise ValueError(
            f"marketing {own.marketing:,.0f} is not allowed: at least {MARKETING_MIN:,.0f},"
            f" at most {MARKETING_CAP:g} of MRR, the board's cap: {cap:,.0f}"
        )


def _check_worth(own: OwnCompany) -> None:
    if own.ltv is None and own.arpa is None:
        raise ValueError("give ltv or arpa: each follows from the other, margin and churn")
    if own.ltv is not None and own.arpa is not None:
        implied = own.arpa * own.margin / own.churn
        if abs(own.ltv - implied) > LTV_TOLERANCE * implied:
            raise ValueError(
                f"ltv {own.ltv:,.0f} does not fit arpa * margin / churn = {implied:,.0f};"
                " leave one of ltv and arpa out"
            )
    derived = " (arpa * margin / churn)" if own.ltv is None else ""
    _within("ltv", own.full_ltv, LTV_MIN, LTV_MAX, derived)
    derived = " (ltv * churn / margin)" if own.arpa is None else ""
    _within("arpa", own.full_arpa, ARPA_MIN, ARPA_MAX, derived)


def _check_churn(own: OwnCompany) -> None:
    if own.structural_churn < 0:
        raise ValueError(
            f"churn {own.churn:g} is less than support {own.support:g} and arpa"
            f" {own.full_arpa:,.0f} cause by themselves ({own.explained_churn:.4f}):"
            " raise churn or support"
        )


def _remark_ltv(own: OwnCompany) -> str:
    rest = MARGIN * own.full_arpa / own.churn
    if abs(rest / own.full_ltv - 1) < WORTH_A_REMARK:
        return ""
    return (
        f"LTV goes from ${own.full_ltv:,.0f} to ${rest:,.0f} within months:"
        f" this market counts with a margin of {MARGIN:g}, not {own.margin:g}."
    )


def _remark_cac(own: OwnCompany) -> str:
    share = own.marketing / own.mrr
    rest = own.cac * max(CAC_LEVEL_MIN, 1 + CAC_OF_SPENDING * (share - EASY_MARKETING))
    if abs(rest / own.cac - 1) < WORTH_A_REMARK:
        return ""
    return (
        f"CAC goes from ${own.cac:,.0f} towards ${rest:,.0f}: marketing costs {share:.0%} of MRR,"
        f" and this market is at rest at {EASY_MARKETING:.0%}."
    )


def _remark_cash(own: OwnCompany) -> str:
    cost = own.full_fixed_cost + own.marketing
    cost += (COST_OF_REVENUE + COST_OF_SUPPORT * own.support) * own.mrr
    pace = clip(BURN_PACE * (MARGIN * own.mrr / cost - 1), -BURN_MAX, SAVING_MAX)
    if abs(pace) < STEADY_PACE:
        return ""
    if pace > 0:
        return (
            f"At these costs (${cost:,.0f} a month) the company burns no cash: its runway grows by"
            f" {pace:.2f} months a month."
        )
    lasts = own.runway / -pace
    return (
        f"At these costs (${cost:,.0f} a month) {own.runway:g} months of runway shrink by"
        f" {-pace:.2f} a month: without crises they last {lasts:.0f} months."
    )
