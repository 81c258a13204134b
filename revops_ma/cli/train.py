"""`revops-ma train crisis` and `train pilot-numeric`: numeric agents by RLlib's PPO."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from revops_ma import catalog
from revops_ma.cli.common import AsJson, Out, ScenarioName, console, print_json, say_remarks
from revops_ma.errors import BadInput

if TYPE_CHECKING:
    from revops_ma.training.contest import Contest, Request

LOADING_SECONDS = 10
"""To import torch and RLlib, once."""
TESTING_SECONDS = 2
"""Evaluation of one run against scripted agents that do not search."""
SLOW_MONTHS_PER_SECOND = 40_000
"""Training against scripted agents on one busy core, a low figure."""
MONTHS_PER_GAME = 25
SECONDS = {"crisis": 60.0, "pilot": 180.0}
"""Training of one seed where neither --seconds nor --iterations are given."""

Against = Annotated[
    str,
    typer.Option(help="Opponents by commas, cards or .toml paths; `name=2` is met twice as often."),
]
Seconds = Annotated[float | None, typer.Option(help="Seconds of training per seed.")]
Iterations = Annotated[
    int | None, typer.Option(help="Iterations per seed instead; reproducible to the bit.")
]
Seeds = Annotated[int, typer.Option(min=1, help="Training seeds; the strongest becomes the agent.")]
TrainingSeed = Annotated[int, typer.Option("--seed", help="First training seed.")]
BackendName = Annotated[str, typer.Option("--backend", help="embedded, or ray with its workers.")]
Workers = Annotated[int, typer.Option(min=1, help="Ray workers that play.")]
Name = Annotated[str | None, typer.Option(help="Name of the new agent's card.")]
WarmStart = Annotated[str | None, typer.Option(help="Numeric agent whose weights to start from.")]
Games = Annotated[int | None, typer.Option(min=1, help="Games per iteration.")]

train = typer.Typer(
    help="Train agents: numeric ones by PPO (ray extra), a language model by GRPO (grpo extra).",
    no_args_is_help=True,
)


@train.command()
def crisis(
    against: Against = "heuristic",
    scenario: ScenarioName = "revops/normal",
    seconds: Seconds = None,
    iterations: Iterations = None,
    seeds: Seeds = 3,
    seed: TrainingSeed = 0,
    backend: BackendName = "embedded",
    workers: Workers = 2,
    warm_start: WarmStart = None,
    games: Games = None,
    name: Name = None,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Train a crisis engine against pilots; the same command goes on after a kill.

    Example: revops-ma train crisis --against heuristic,planner=0.2 --seconds 60 --seeds 3
    """
    job = _Job("crisis", against, scenario, seconds, iterations, seeds, seed)
    job.run(backend, workers, warm_start, games, name, out, as_json=as_json)


@train.command("pilot-numeric")
def pilot_numeric(
    against: Against = "rule-based",
    scenario: ScenarioName = "revops/normal",
    seconds: Seconds = None,
    iterations: Iterations = None,
    seeds: Seeds = 3,
    seed: TrainingSeed = 0,
    backend: BackendName = "embedded",
    workers: Workers = 2,
    warm_start: WarmStart = None,
    games: Games = None,
    name: Name = None,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Train a pilot that sees the dashboard only, against crisis engines.

    Example: revops-ma train pilot-numeric --against rule-based,hunter=0.1 --seconds 180
    """
    job = _Job("pilot", against, scenario, seconds, iterations, seeds, seed)
    job.run(backend, workers, warm_start, games, name, out, as_json=as_json)


class _Job:
    """What both commands do."""

    def __init__(
        self,
        role: str,
        against: str,
        scenario: str,
        seconds: float | None,
        iterations: int | None,
        seeds: int,
        seed: int,
    ) -> None:
        if seconds is None and iterations is None:
            seconds = SECONDS[role]
        self.role, self.against, self.scenario = role, against, scenario
        self.seconds, self.iterations = seconds, iterations
        self.seeds = range(seed, seed + seeds)

    def run(
        self,
        backend: str,
        workers: int,
        warm_start: str | None,
        games: int | None,
        name: str | None,
        out: Path | None,
        *,
        as_json: bool,
    ) -> None:
        """Train, tell, and write the report."""
        from revops_ma.report.training import write
        from revops_ma.training.contest import hold

        request = self._request(backend, workers, warm_start, games)
        name = name or self._name()
        out = out or Path("runs") / name
        say_remarks(self.scenario)
        self._say_expected(request)
        more = f" --games {games}" if games else ""
        more += f" --warm-start {warm_start}" if warm_start else ""
        contest = hold(request, self.seeds, out, name, self._command() + more)
        page = write(out)
        if as_json:
            print_json({**contest.to_json(), "run": str(out), "report": str(page)})
        else:
            _tell(contest, out, page)

    def _request(
        self, backend: str, workers: int, warm_start: str | None, games: int | None
    ) -> Request:
        from dataclasses import replace

        from revops_ma.training import Budget, Pool
        from revops_ma.training.contest import Request
        from revops_ma.training.job import recipe_of

        scene = catalog.scenario(self.scenario)
        recipe = recipe_of(self.role)
        return Request(
            role=self.role,
            pool=Pool.of(_weights(self.against), self.role, scene),
            scenario=scene,
            budget=Budget(self.iterations, self.seconds),
            recipe=replace(recipe, games=games) if games else recipe,
            warm_start=_network(warm_start, self.role, scene) if warm_start else None,
            backend=backend,
            workers=workers,
        )

    def _name(self) -> str:
        """A name that fits a card, a folder and a command line."""
        words = "-".join(Path(part).stem for part in _weights(self.against))
        made = f"{self.role}-vs-{words}-{self.scenario}"
        return re.sub(r"[^a-z0-9]+", "-", made.lower()).strip("-")[:80]

    def _command(self) -> str:
        command = "pilot-numeric" if self.role == "pilot" else self.role
        limit = (
            f"--iterations {self.iterations}"
            if self.iterations is not None
            else f"--seconds {self.seconds:g}"
        )
        return (
            f"revops-ma train {command} --against {self.against} --scenario {self.scenario}"
            f" {limit} --seeds {len(self.seeds)} --seed {self.seeds.start}"
        )

    def _say_expected(self, request: Request) -> None:
        """Tell before the work how long it takes."""
        seconds = self.seconds
        if seconds is None:
            assert request.recipe is not None
            months = (self.iterations or 0) * request.recipe.games * MONTHS_PER_GAME
            seconds = months / SLOW_MONTHS_PER_SECOND
        total = LOADING_SECONDS + len(self.seeds) * (seconds + TESTING_SECONDS)
        slow = [agent.name for agent in request.pool.agents if getattr(agent, "is_slow", False)]
        more = f"; much longer, since {', '.join(slow)} searches" if slow else ""
        sys.stderr.write(
            f"Training the {self.role} with {len(self.seeds)} seeds: expect about {total:.0f} s"
            f" from the beginning{more}.\n"
        )
        sys.stderr.flush()


def _weights(against: str) -> dict[str, float]:
    weights = {}
    for part in against.split(","):
        name, _, weight = part.strip().partition("=")
        try:
            weights[name] = float(weight or 1)
        except ValueError:
            raise BadInput.of(f"weight of {name}", weight, "a number, as in heuristic=2") from None
    return weights


def _network(name: str, role: str, scene: catalog.Scenario):  # noqa: ANN202 - imported lazily
    from revops_ma.policies.numeric import NumericAgent

    agent = catalog.agent(name, role, scene)
    if not isinstance(agent, NumericAgent):
        raise BadInput.of("warm start", name, "a numeric agent, as `revops-ma train` makes them")
    return agent.network


def _tell(contest: Contest, out: Path, page: Path) -> None:
    from revops_ma.cli.tables import plain, table_of

    request = contest.request
    table = table_of(title=f"Trained {request.role} on {request.scenario.name}, test seeds")
    for heading in ("seed", "opponent", request.scenario.world.success, "return", "months/s"):
        table.add_column(heading, justify="left" if heading == "opponent" else "right")
    for entry in contest.entries:
        star = "*" if entry is contest.strongest else ""
        for score in entry.scores:
            table.add_row(
                f"{star}{entry.trained.seed}",
                score.opponent,
                plain(score.survival, ".1%"),
                plain(score.episode_return, ".2f"),
                f"{entry.trained.months_per_second:,.0f}",
            )
    screen = console()
    screen.print(table)
    screen.print("* the strongest on validation seeds; both figures are the pilot's.")
    screen.print(f"Agent: {contest.card}  Run: {out}  Report: {page}", soft_wrap=True)


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.add_typer(train, name="train")
