"""`revops-ma selfplay`: a league of pilots and crisis engines, trained against each other."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from revops_ma import catalog
from revops_ma.cli.common import AsJson, Out, ScenarioName, console, print_json, say_remarks
from revops_ma.cli.selfplay_grpo import selfplay_grpo
from revops_ma.errors import BadInput

if TYPE_CHECKING:
    from revops_ma.training.league import Settings, Story

PILOT_ITERATION_SECONDS, ENGINE_ITERATION_SECONDS = 0.9, 0.35
"""CPU time of an iteration of 1,024 games, measured on one core."""
OTHER_SECONDS_PER_ROUND = 15.0
"""The matrix and the exact search."""
_GAMES = 1024
PILOTS = ("ppo", "grpo")

Rounds = Annotated[int, typer.Option(help="Times that the pilot is trained on.")]
Mixing = Annotated[str, typer.Option(help="Which engines the pilot meets: uniform, nash, newest.")]
TrainingSeed = Annotated[int, typer.Option("--seed", help="Of the whole run, from 0.")]
PilotIterations = Annotated[int, typer.Option(help="Iterations of the pilot in each round.")]
CrisisIterations = Annotated[int, typer.Option(help="Iterations of each best response.")]
Responses = Annotated[
    int, typer.Option(help="Fresh best responses per round, and as many sparring partners.")
]
Parts = Annotated[int, typer.Option(help="Parts of a round; before each one the partners learn.")]
SparringIterations = Annotated[
    int, typer.Option(help="Iterations of each partner before each part; 0: no partners.")
]
SparringShare = Annotated[
    float, typer.Option(help="Share of the pilot's games against sparring partners.")
]
Scripts = Annotated[
    str, typer.Option(help="Scripted opponents by commas; `constants` is one per kind of crisis.")
]
ScriptsShare = Annotated[float, typer.Option(help="Share of the pilot's games against scripts.")]
Games = Annotated[int, typer.Option(help="Games per iteration.")]
PayoffGames = Annotated[int, typer.Option(help="Games per cell of the payoff matrix.")]
ExactSeeds = Annotated[
    int, typer.Option(min=0, help="Seeds of the exact worst case in each round; 0: none.")
]
BackendName = Annotated[str, typer.Option("--backend", help="embedded, or ray with its workers.")]
Workers = Annotated[int, typer.Option(min=1, help="Ray workers that play.")]
Pilot = Annotated[
    str, typer.Option(help="ppo, or grpo: a tiny language model, `--pilot-iterations` rollouts.")
]


def selfplay(
    ctx: typer.Context,
    pilot: Pilot = "ppo",
    rounds: Rounds = 8,
    scenario: ScenarioName = "revops/normal",
    seed: TrainingSeed = 0,
    out: Out = None,
    mixing: Mixing = "uniform",
    pilot_iterations: PilotIterations = 40,
    crisis_iterations: CrisisIterations = 30,
    responses: Responses = 3,
    parts: Parts = 4,
    sparring_iterations: SparringIterations = 6,
    sparring_share: SparringShare = 0.45,
    scripts: Scripts = "rule-based,constants",
    scripts_share: ScriptsShare = 0.2,
    games: Games = _GAMES,
    payoff_games: PayoffGames = 400,
    exact_seeds: ExactSeeds = 10,
    backend: BackendName = "embedded",
    workers: Workers = 2,
    as_json: AsJson = False,
) -> None:
    """Train a pilot against crisis engines that are trained against it, round by round.

    Each round answers the newest pilot with fresh best responses (what they leave it is the
    estimate of how exploitable it is), fills the payoff matrix, and trains the pilot on against
    scripts, a mixture of all engines, and sparring partners that follow it. The same command goes
    on after a kill.

    Example: revops-ma selfplay --rounds 8 --scenario revops/normal --seed 0 --out runs/league
    """
    if pilot not in PILOTS:
        raise BadInput.of("--pilot", pilot, ", ".join(PILOTS))
    if pilot == "grpo":
        selfplay_grpo(ctx)
        return
    from revops_ma.report.selfplay import write
    from revops_ma.training.league import Settings, play_league

    settings = Settings(
        rounds=rounds,
        mixing=_mixing(mixing),
        seed=seed,
        pilot_iterations=pilot_iterations,
        crisis_iterations=crisis_iterations,
        responses=responses,
        parts=parts,
        sparring_iterations=sparring_iterations,
        sparring_share=sparring_share,
        scripts=tuple(name.strip() for name in scripts.split(",")),
        scripts_share=scripts_share,
        games=games,
        payoff_games=payoff_games,
        exact_seeds=exact_seeds,
    )
    scene = catalog.scenario(scenario)
    out = out or Path("runs") / f"selfplay-{scenario.replace('/', '-')}-{mixing}-{seed}"
    say_remarks(scenario)
    _say_expected(settings, out)
    told = _Progress(settings)
    story = play_league(
        scene,
        settings,
        out,
        backend=backend,
        workers=workers,
        command=command_of(scenario, settings),
        tell=told,
    )
    page = write(out)
    if as_json:
        print_json({**story.to_json(), "run": str(out), "report": str(page)})
    else:
        _show(story, out, page)


def command_of(scenario: str, settings: Settings) -> str:
    """The command that plays such a league again; what is as by default is left out."""
    said = settings.to_json()
    usual = type(settings)().to_json()
    parts = [f"--rounds {settings.rounds}", f"--scenario {scenario}", f"--seed {settings.seed}"]
    for name in said:
        if name not in ("rounds", "seed", "exact_crises") and said[name] != usual[name]:
            value = ",".join(said[name]) if isinstance(said[name], list) else said[name]
            parts.append(f"--{name.replace('_', '-')} {value}")
    return "revops-ma selfplay " + " ".join(parts)


def _mixing(name: str):  # noqa: ANN202 - imported lazily
    from revops_ma.training.league import MIXINGS

    if name not in MIXINGS:
        raise BadInput.of("--mixing", name, ", ".join(MIXINGS))
    return name


def expected_seconds(settings: Settings, done: int | None = None) -> float:
    """CPU time of a run by measured times per iteration; with `done`, until so many pilots stand.

    The last pilot that stands has not been answered yet.
    """
    pilots = settings.rounds + 1 if done is None else done
    answered = pilots if done is None else done - 1
    follows = (pilots - 1) * settings.parts * settings.sparring_iterations
    engines = settings.responses * (answered * settings.crisis_iterations + follows)
    pilot = pilots * settings.pilot_iterations * PILOT_ITERATION_SECONDS
    other = OTHER_SECONDS_PER_ROUND * (settings.payoff_games + 40 * settings.exact_seeds) / 800
    training = pilot + engines * ENGINE_ITERATION_SECONDS
    return training * settings.games / _GAMES + pilots * other


def _say_expected(settings: Settings, out: Path) -> None:
    minutes = max(expected_seconds(settings) / 60, 1)
    sys.stderr.write(
        f"Self-play of {settings.rounds} rounds, mixing {settings.mixing}: expect about"
        f" {minutes:.0f} min on a core of its own from the beginning, more on a busy machine."
        f" Run: {out}\n"
    )
    sys.stderr.flush()


class _Progress:
    """A line on stderr for every round, with what is left."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def __call__(self, story: Story) -> None:
        pilot = story.pilots[-1]
        answered = [each for each in story.pilots if each.answer]
        line = f"{pilot.name}: worst {pilot.worst_survival.mean:.1%} against {pilot.worst}"
        if answered:
            last = answered[-1]
            assert last.answer is not None
            figures = " ".join(f"{each:.1%}" for each in last.answer.survivals)
            line += f"; fresh best responses left {last.name} {figures}"
            line += f", exploitability {story.exploitability(last):.2f} at least"
        sys.stderr.write(f"{line}; about {self._left(story) / 60:.0f} min of CPU time left\n")
        sys.stderr.flush()

    def _left(self, story: Story) -> float:
        """CPU time that is left at the pace so far."""
        if len(story.pilots) > self.settings.rounds and story.pilots[-1].answer:
            return 0.0
        over = expected_seconds(self.settings, len(story.pilots))
        return (expected_seconds(self.settings) - over) * story.cpu_seconds / over


def _show(story: Story, out: Path, page: Path) -> None:
    from revops_ma.cli.tables import plain, table_of

    table = table_of(title=f"Self-play on {story.scenario}: survival on validation seeds")
    heads = ("pilot", "scripts at worst", "fresh responses", "exact", "gap", "worst of all")
    for heading in heads:
        table.add_column(heading, justify="left" if heading == "pilot" else "right")
    for pilot in story.pilots:
        star = "*" if pilot is story.strongest else ""
        answer = pilot.answer
        scripted = min(pilot.scripts.values(), key=lambda figure: figure.mean or 0.0)
        exact = (answer.exact or {}).get("survival", {}).get("mean") if answer else None
        table.add_row(
            f"{star}{pilot.name}",
            plain(scripted, ".0%"),
            " ".join(f"{each:.0%}" for each in answer.survivals) if answer else "",
            f"{exact:.0%}" if exact is not None else "",
            f"{story.exploitability(pilot):.2f}",
            f"{plain(pilot.worst_survival, '.0%')} {pilot.worst}",
        )
    screen = console()
    screen.print(table)
    screen.print(
        "* the strongest. gap: value of the matrix game less the return that the strongest of all"
        " engines leaves; the true exploitability is that or more."
    )
    screen.print(
        f"Training: {story.months:,} months, {story.cpu_seconds / 60:.1f} min of CPU time."
        f" Run: {out}  Report: {page}",
        soft_wrap=True,
    )


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(selfplay)
