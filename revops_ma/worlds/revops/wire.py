"""The pilot's dashboard by name, as servers send it: the fields of the source."""

from __future__ import annotations

from typing import Any

from revops_ma.worlds.revops.crises import CRISES
from revops_ma.worlds.revops.games import MONTHS, Ending
from revops_ma.worlds.revops.text import plain_record

_FIGURES = {
    "mrr": "Monthly recurring revenue, dollars",
    "cac": "Dollars to win a customer",
    "ltv": "Dollars that a customer brings over its life",
    "churn": "Share of MRR lost a month, 0 to 1",
    "runway": "Months of cash left",
    "marketing": "Marketing spend, dollars a month",
    "support": "Support quality, 0 to 1",
}


def observation(g: Any, text: str) -> dict[str, Any]:
    """What the pilot sees of a record, with the text that a model reads."""
    g = plain_record(g)
    active, ending = g["active_crisis"], Ending(g["ending"])
    return {
        "month": g["month"],
        "max_steps": MONTHS,
        **{name: g[name] for name in _FIGURES},
        "ltv_cac_ratio": g["ltv"] / g["cac"],
        "active_crisis": CRISES[active] if active >= 0 else None,
        "reward_last_step": g["last_reward"],
        "survived": ending is Ending.SURVIVED,
        "ending": None if ending is Ending.NONE else ending.name.lower(),
        "text": text,
    }


_ENDINGS = [ending.name.lower() for ending in Ending if ending is not Ending.NONE]
_OTHERS: dict[str, dict[str, Any]] = {
    "month": {"type": "integer", "minimum": 0, "maximum": MONTHS, "description": "Months played"},
    "max_steps": {"const": MONTHS, "description": "Months of an episode"},
    "ltv_cac_ratio": {"type": "number", "description": "LTV per dollar of CAC; healthy from 3"},
    "active_crisis": {
        "enum": [*CRISES, None],
        "description": "The crisis that struck in the month just ended",
    },
    "reward_last_step": {"type": "number"},
    "survived": {"type": "boolean"},
    "ending": {"enum": [*_ENDINGS, None], "description": "Why the episode is over"},
    "text": {"type": "string", "description": "The dashboard as a language model reads it"},
}
_PROPERTIES: dict[str, dict[str, Any]] = {
    **{
        name: {"type": "number", "minimum": 0, "description": about}
        for name, about in _FIGURES.items()
    },
    **_OTHERS,
}
OBSERVATION_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": _PROPERTIES,
    "required": list(_PROPERTIES),
}
"""JSON schema of `observation`."""
