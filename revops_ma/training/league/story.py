"""What a self-play run comes to: figures per pilot, the matrix, its value, who is strongest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from revops_ma.arena import nash
from revops_ma.arena.statistics import Estimate
from revops_ma.training.league.payoff import Payoff
from revops_ma.training.league.rounds import League


@dataclass(frozen=True)
class Answer:
    """How exploitable a pilot is: what fresh best responses leave it, a bound from below.

    An engine that finds nothing proves nothing, so the true exploitability is this or more.
    """

    responses: list[str]
    survivals: list[float]
    """Against each of them."""
    returns: list[float]
    exact: dict[str, Any] | None

    @property
    def survival(self) -> float:
        """Against the strongest."""
        return min(self.survivals)

    @property
    def episode_return(self) -> float:
        """Against the strongest."""
        return min(self.returns)

    def to_json(self) -> dict[str, Any]:
        """All figures."""
        return {
            "responses": self.responses,
            "survivals": self.survivals,
            "returns": self.returns,
            "survival": self.survival,
            "episode_return": self.episode_return,
            "exact": self.exact,
        }


@dataclass(frozen=True)
class PilotStory:
    """One pilot of the league on validation seeds."""

    name: str
    round: int
    months: int
    """Of all training until it was there, the engines' included."""
    seconds: float
    cpu_seconds: float
    mixture: dict[str, float]
    """Share of its games by the identity of the opponent."""
    scripts: dict[str, Estimate]
    """Survival against each scripted opponent."""
    worst: str
    """The engine that kills it most often, of all there have been."""
    worst_survival: Estimate
    answer: Answer | None
    """None until it has been answered."""

    def to_json(self) -> dict[str, Any]:
        """All figures."""
        return {
            "name": self.name,
            "round": self.round,
            "months": self.months,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "mixture": self.mixture,
            "scripts": {name: figure.to_json() for name, figure in self.scripts.items()},
            "worst": self.worst,
            "worst_survival": self.worst_survival.to_json(),
            "answer": self.answer.to_json() if self.answer else None,
        }


@dataclass(frozen=True)
class Story:
    """A run so far."""

    scenario: str
    settings: dict[str, Any]
    pilots: list[PilotStory]
    engines: list[str]
    """Scripted and trained ones, in the order of the matrix."""
    payoff: Payoff
    equilibrium: nash.Equilibrium
    """Of the matrix game of returns."""
    months: int
    seconds: float
    cpu_seconds: float

    @property
    def strongest(self) -> PilotStory:
        """The pilot whose worst engine kills it least often, of those that have been answered."""
        answered = [pilot for pilot in self.pilots if pilot.answer] or self.pilots
        return max(answered, key=lambda pilot: pilot.worst_survival.mean or 0.0)

    def exploitability(self, pilot: PilotStory) -> float:
        """How much less than the value of the game it is left by the strongest of all engines.

        Fresh responses and sparring partners are both answers to a pilot, the latter for longer, so
        whichever hurts it most is the bound from below. It is 0 or more.
        """
        left = [self.payoff.cells[pilot.name, engine].episode_return for engine in self.engines]
        return self.equilibrium.value - min(figure.mean or 0.0 for figure in left)

    def to_json(self) -> dict[str, Any]:
        """The document of `selfplay --json`, and league.json."""
        names = [pilot.name for pilot in self.pilots]
        return {
            "scenario": self.scenario,
            "settings": self.settings,
            "months": self.months,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "strongest": self.strongest.name,
            "value": self.equilibrium.value,
            "nash": {
                "pilots": dict(zip(names, self.equilibrium.rows.tolist(), strict=True)),
                "engines": dict(zip(self.engines, self.equilibrium.columns.tolist(), strict=True)),
            },
            "pilots": [
                {**pilot.to_json(), "exploitability": self.exploitability(pilot)}
                for pilot in self.pilots
            ],
            "engines": self.engines,
            "payoff": {
                name: {
                    engine: {
                        "survival": cell.survival.to_json(),
                        "episode_return": cell.episode_return.to_json(),
                    }
                    for engine in self.engines
                    if (cell := self.payoff.cells.get((name, engine))) is not None
                }
                for name in names
            },
        }


def story_of(league: League, said: Sequence[dict[str, Any]]) -> Story:
    """Tell what the rounds that are over have brought."""
    scripts = [agent.name for agent in league.scripts.agents]
    engines = [*scripts, *(engine.name for engine in league.engines)]
    answers = {one["answered"]: _answer(league, one) for one in said if "answered" in one}
    pilots, months, seconds, cpu = [], 0, 0.0, 0.0
    for one in said:
        months += sum(trained["months"] for trained in one["trained"])
        seconds += sum(trained["seconds"] for trained in one["trained"])
        cpu += one["cpu_seconds"]
        name = next((t["name"] for t in one["trained"] if t["role"] == league.roles[0]), None)
        if name is None:
            continue
        cells = league.payoff.cells
        worst = league.payoff.worst(name, engines)
        pilots.append(
            PilotStory(
                name=name,
                round=one["round"],
                months=months,
                seconds=round(seconds, 1),
                cpu_seconds=round(cpu, 1),
                mixture=one["mixture"],
                scripts={script: cells[name, script].survival for script in scripts},
                worst=worst,
                worst_survival=cells[name, worst].survival,
                answer=answers.get(name),
            )
        )
    returns = league.payoff.returns([pilot.name for pilot in pilots], engines)
    return Story(
        scenario=league.scenario.name,
        settings=league.settings.to_json(),
        pilots=pilots,
        engines=engines,
        payoff=league.payoff,
        equilibrium=nash.solve(returns),
        months=months,
        seconds=round(seconds, 1),
        cpu_seconds=round(cpu, 1),
    )


def _answer(league: League, said: dict[str, Any]) -> Answer:
    cells = [league.payoff.cells[said["answered"], name] for name in said["responses"]]
    return Answer(
        responses=said["responses"],
        survivals=[cell.wins / cell.games for cell in cells],
        returns=[float(cell.episode_return.mean or 0.0) for cell in cells],
        exact=said.get("exact"),
    )
