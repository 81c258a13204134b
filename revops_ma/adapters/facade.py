"""RevOpsEnv: the company world with an observation a person can read, in the words of its source.

    env = RevOpsEnv(crisis_every=3, difficulty="normal")
    obs = env.reset(seed=7)
    obs = env.step({"action_type": "hire_support", "magnitude": 0.8})
    obs.mrr, obs.reward_last_step, obs.info["reward_breakdown"]

All other adapters serve any world. This one promises the company's own figures by name, so it names
that world; it lives here because it needs the catalog, which a world may not import.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from revops_ma import catalog
from revops_ma.adapters.gymnasium import SingleSeatEnv
from revops_ma.cards import ScenarioCard
from revops_ma.errors import BadInput
from revops_ma.game import Agent

WORLD, SEAT = "revops", "pilot"


@dataclass(frozen=True)
class Dashboard:
    """What the pilot sees after a month, with what that month paid.

    Hidden figures are in `info` only: `arpa`, `bank`, and of the crisis engine `last_crisis` with
    its `crisis_age` in months (0 right after it struck; None and -1 before the first).
    """

    mrr: float
    """Monthly recurring revenue, dollars."""
    cac: float
    """Dollars to win a customer."""
    ltv: float
    """Dollars a customer brings over its life."""
    churn: float
    """Share of MRR lost a month, 0..1."""
    runway: float
    """Months of cash left."""
    marketing: float
    """Marketing spend, dollars a month."""
    support: float
    """Support quality, 0..1."""
    month: int
    """Months played, 0..30."""
    active_crisis: str | None
    """The crisis that struck in the month just ended."""
    reward_last_step: float
    done: bool
    info: dict[str, Any] = field(repr=False)
    """`seed`, `refused` (why the last move was not read, or None), `notes` (what was untidy about
    it), `reward_breakdown`, all figures; at the end `ending`, `won` and `final_mrr` too."""
    text: str = field(repr=False)

    @property
    def ltv_cac_ratio(self) -> float:
        """LTV per dollar of CAC; healthy from 3."""
        return self.ltv / self.cac

    @property
    def survived(self) -> bool:
        """Whether the company played all its months; False while it still plays."""
        return bool(self.info.get("won", False))

    @property
    def ending(self) -> str | None:
        """Why the episode is over, None while it goes on."""
        return self.info.get("ending")

    def to_prompt_text(self) -> str:
        """The dashboard as a language model reads it, with the actions and the form to answer."""
        return self.text


class RevOpsEnv:
    """One company with a hosted crisis engine; `step` takes a JSON object or a model's text.

    An unreadable or illegal move is refused: the month passes without a decision, and `info` of the
    observation names the reason. Nothing but calls in the wrong order raises.
    """

    def __init__(
        self,
        crisis_every: int = 3,
        difficulty: str = "normal",
        crisis: str | Agent = "rule-based",
    ) -> None:
        """Set up a company; BadInput for a rhythm, difficulty or crisis engine there is not.

        `crisis_every` is the number of months between crisis turns (1..30), `difficulty` easy,
        normal or hard, `crisis` the name or object of the agent that plays the crisis engine.
        """
        scenario = company(crisis_every, difficulty)
        self._env = SingleSeatEnv(scenario, SEAT, crisis=crisis)
        self._shown: Dashboard | None = None

    def reset(self, seed: int | None = None) -> Dashboard:
        """Begin an episode. None draws a seed; `info["seed"]` reports it."""
        _, info = self._env.reset(seed=seed)
        return self._show(0.0, False, info, ())

    def step(self, action: Mapping[str, Any] | str | Any) -> Dashboard:
        """Play one month; BadInput before the first reset and after the end, nothing changes then.

        `action` is `{"action_type": ..., "magnitude": 0.1 to 1.0}` or a text that holds one such
        object.
        """
        if self._shown is None or self._shown.done:
            when = "before the first reset" if self._shown is None else "after the episode's end"
            raise BadInput(f"step {when}: got an action; call reset() first")
        role = self._env.seat.role
        reply = role.texts([action]) if isinstance(action, str) else role.objects([action])
        _, reward, done, _, info = self._env.answer(reply)
        return self._show(reward, done, info, reply.notes.get(0, ()))

    def _show(
        self, reward: float, done: bool, info: dict[str, Any], notes: tuple[str, ...]
    ) -> Dashboard:
        table = self._env.seat.table
        text = table.world.describe(table.games, table.rows, self._env.seat.index)[0]
        figures = ("mrr", "cac", "ltv", "churn", "runway", "marketing", "support")
        self._shown = Dashboard(
            **{name: info[name] for name in (*figures, "month", "active_crisis")},
            reward_last_step=reward,
            done=done,
            info={**info, "notes": notes},
            text=text,
        )
        return self._shown


def company(crisis_every: int, difficulty: str) -> catalog.Scenario:
    """A scenario of the company world with these rules; BadInput if they are none."""
    rules = {"crisis_every": crisis_every, "difficulty": difficulty}
    played = catalog.world(WORLD)
    try:
        settings = played.settings.model_validate(rules)
    except ValidationError as error:
        raise BadInput(catalog.explain(error)) from None
    card = ScenarioCard(
        name=f"{WORLD}/{difficulty}-every-{crisis_every}",
        about=f"The company at difficulty {difficulty}, a crisis turn every {crisis_every} months.",
        title=f"Company, {difficulty}",
        world=WORLD,
        rules=rules,
    )
    return catalog.Scenario(card, played, settings)
