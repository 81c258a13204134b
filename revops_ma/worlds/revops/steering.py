"""Can a pilot steer the rule-based engine? Measures what decoys draw and what it gains them."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from revops_ma.claims import Bound, Finding, Lab, Played, Scripted
from revops_ma.game import Agent, Reply, View
from revops_ma.worlds.revops.bots.decoy import decoy, weaknesses
from revops_ma.worlds.revops.bots.engine import rule_based
from revops_ma.worlds.revops.crises import METRICS

DECOY_SEEDS = 1_000


class Watched:
    """The rule-based engine, counting which metric was the weakest whenever it struck."""

    def __init__(self, name: str) -> None:
        """Count for one opponent, whose name tells this engine from others."""
        self.name = self.identity = f"rule-based, watched with {name}"
        self.drawn = np.zeros(len(METRICS), np.int64)

    def act(self, view: View) -> Reply:
        """Strike like the rule-based engine."""
        weakest = weaknesses(view).argmax(axis=1)
        self.drawn += np.bincount(weakest, minlength=len(METRICS))
        return Reply(rule_based(view))

    def seated(self, scenario: Any, players: Any) -> Agent:
        """Needs to know nobody."""
        return self

    def share(self, metric: str) -> float:
        """Share of the strikes that fell while this metric was the weakest."""
        return float(self.drawn[METRICS.index(metric)] / max(1, self.drawn.sum()))


def measure_decoys(lab: Lab, *, limit: float) -> Finding:
    """What decoys draw onto their metric, and what they gain over the pilot they are made of."""
    plain = Watched("heuristic-tuned")
    base = lab.play("heuristic-tuned", plain, DECOY_SEEDS)
    rows = []
    for metric, bold in product(METRICS, (False, True)):
        name = f"{'spoils' if bold else 'neglects'} {metric}"
        watched = Watched(name)
        pilot = Scripted(name, partial(decoy, metric=metric, bold=bold))
        gained = lab.play(pilot, watched, DECOY_SEEDS)
        rows.append(Decoyed(name, metric, watched, gained))
    best = max(rows, key=lambda row: row.played.score("survival"))
    gain = best.played.score("survival") - base.score("survival")
    told = (
        f"The best decoy {best.name}: {best.watched.share(best.metric):.0%} of the strikes fall on"
        f" it instead of {plain.share(best.metric):.0%}; survival {gain:+.3f}, return"
        f" {best.played.score('return') - base.score('return'):+.2f}."
    )
    return Finding(gain, Bound("<=", limit), told, [row.told(plain, base) for row in rows])


class Decoyed(NamedTuple):
    """How one decoy did."""

    name: str
    metric: str
    watched: Watched
    played: Played

    def told(self, plain: Watched, base: Played) -> dict[str, Any]:
        """A row beside the pilot without decoy."""
        return {
            "decoy": self.name,
            "strikes drawn": self.watched.share(self.metric),
            "without decoy": plain.share(self.metric),
            "survival gained": self.played.score("survival") - base.score("survival"),
            "return gained": self.played.score("return") - base.score("return"),
        }
