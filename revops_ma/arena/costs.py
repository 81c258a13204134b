"""What calls to models came to in the episodes of a matchup: for tables and `match --json`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from revops_ma.calls import TOKEN_CLASSES, Tally
from revops_ma.episode import Episode
from revops_ma.policies.language.prices import dollars_of, price_list


def tally_by_role(episodes: Sequence[Episode]) -> dict[str, Tally]:
    """Totals of all episodes by role name; empty where no model was asked."""
    totals: dict[str, Tally] = {}
    for episode in episodes:
        for role, found in episode.calls.items():
            totals.setdefault(role, Tally()).merge(Tally.from_json(found))
    return totals


def fallback_rate(fallbacks: int, tallies: dict[str, Tally]) -> float | None:
    """Share of the models' turns on which a rule moved; None where their number is unknown."""
    turns = sum(tally.turns for tally in tallies.values())
    if turns:
        return fallbacks / turns
    return None if fallbacks else 0.0


def costs_to_json(tally: Tally, episodes: int) -> dict[str, Any]:
    """The figures of one role: `calls.<role>` of `match --json`."""
    tokens = np.sum([model.tokens for model in tally.models.values()], axis=0).tolist()
    dollars = dollars_of(tally.models)
    return {
        "calls": tally.calls,
        "turns": tally.turns,
        "fallbacks": tally.fallbacks,
        "fallback_rate": fallback_rate(tally.fallbacks, {"": tally}),
        "retries": tally.retries,
        "outcomes": dict(tally.outcomes.most_common()),
        "finish": dict(tally.finish.most_common()),
        "models": {name: model.calls for name, model in tally.models.items()},
        "tokens": dict(zip(TOKEN_CLASSES, tokens, strict=True)),
        "tokens_untold": sum(model.untold for model in tally.models.values()),
        "seconds": {name: seconds_at(tally, share) for name, share in (("p50", 50), ("p95", 95))},
        "dollars": dollars,
        "prices_of": price_list().read.isoformat(),
        "per_episode": {
            "calls": tally.calls / episodes,
            "tokens": tally.tokens / episodes,
            "dollars": None if dollars is None else dollars / episodes,
        },
    }


def seconds_at(tally: Tally, share: float) -> float:
    """The time within which that many percent of the calls were over."""
    return float(np.percentile(tally.milliseconds, share)) / 1000 if tally.milliseconds else 0.0


def costs_in_words(tally: Tally) -> str:
    """One line: calls, tokens, money, time."""
    dollars = dollars_of(tally.models)
    cost = "cost unknown" if dollars is None else f"${dollars:,.4f}"
    p50, p95 = seconds_at(tally, 50), seconds_at(tally, 95)
    return f"{tally.calls:,}, {tally.tokens:,} tokens, {cost}, p50 {p50:.2f} s, p95 {p95:.2f} s"
