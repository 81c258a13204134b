"""`revops-ma train pilot`: a language model that learns to play by GRPO."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from revops_ma.cli.common import AsJson, Out, ScenarioName, console, print_json, say_remarks
from revops_ma.cli.train import train
from revops_ma.cli.train_pilot_tables import tell
from revops_ma.errors import BadInput

if TYPE_CHECKING:
    from revops_ma.training.pilot_grpo.contest import Contest
    from revops_ma.training.pilot_grpo.plan import Plan

Model = Annotated[
    str,
    typer.Option(
        help="`tiny` (from scratch, for a CPU), `smollm2`, a folder, or a hub id; on a GPU take"
        " Qwen/Qwen2.5-1.5B-Instruct."
    ),
]
Against = Annotated[str, typer.Option(help="Crisis engines by commas; the groups take turns.")]
CreditOption = Annotated[
    str, typer.Option("--credit", help="gae, trajectory, return_to_go, episode, bandit (a trap).")
]
Clone = Annotated[str, typer.Option(help="Pilot to clone first: any card, e.g. planner.")]
CloneGames = Annotated[int, typer.Option(min=1, help="Games that the cloned pilot shows.")]
CloneEpochs = Annotated[float, typer.Option(help="Passes over what it shows.")]
Noise = Annotated[
    float, typer.Option(min=0, max=1, help="Share of random moves that are cloned as well.")
]
Stray = Annotated[
    float, typer.Option(min=0, max=1, help="Share of random moves that are played, not cloned.")
]
Rollouts = Annotated[int, typer.Option(min=1, help="Rollouts, of 64 episodes each.")]
LearningRate = Annotated[float, typer.Option(help="At the beginning; it falls evenly to a fifth.")]
Rows = Annotated[int, typer.Option(min=8, help="Turns to learn from per rollout, in 4 steps.")]
Seeds = Annotated[int, typer.Option(min=1, help="Training seeds; the best by validation is kept.")]
TrainingSeed = Annotated[int, typer.Option("--seed", help="First training seed.")]
System = Annotated[
    Path | None,
    typer.Option(help="File with the system message of a pretrained model; a short one ships."),
]
Width = Annotated[int, typer.Option(help="Width of a tiny model, a multiple of 8.")]
Layers = Annotated[int, typer.Option(min=1, help="Layers of a tiny model.")]
Lora = Annotated[int, typer.Option(min=0, help="Rank of an adapter; 0 trains all weights.")]
FourBits = Annotated[bool, typer.Option("--four-bits", help="QLoRA; needs a GPU.")]
Unsloth = Annotated[str, typer.Option(help="auto, on, off; not run where this was written.")]
Vllm = Annotated[bool, typer.Option("--vllm", help="Generate by vLLM; not supported yet.")]
TestGames = Annotated[int, typer.Option(min=0, help="Held-out games per line of the last table.")]
ValidateEvery = Annotated[int, typer.Option(min=1, help="Rollouts between two validations.")]
ValidationGames = Annotated[int, typer.Option(min=1, help="Games of a validation.")]
BackendName = Annotated[str, typer.Option("--backend", help="embedded, or ray with its workers.")]
Workers = Annotated[int | None, typer.Option(min=1, help="Ray workers that host the games.")]
Name = Annotated[str, typer.Option(help="Name of the new agent's card.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Tell the whole plan and do nothing.")]


@train.command()
def pilot(
    model: Model = "tiny",
    against: Against = "rule-based",
    scenario: ScenarioName = "revops/normal",
    credit: CreditOption = "gae",
    clone: Clone = "heuristic",
    clone_games: CloneGames = 600,
    clone_epochs: CloneEpochs = 0.7,
    noise: Noise = 0.3,
    stray: Stray = 0.0,
    rollouts: Rollouts = 100,
    learning_rate: LearningRate = 1e-3,
    rows: Rows = 1024,
    seeds: Seeds = 1,
    seed: TrainingSeed = 0,
    system: System = None,
    width: Width = 64,
    layers: Layers = 2,
    lora: Lora = 0,
    four_bits: FourBits = False,
    unsloth: Unsloth = "auto",
    vllm: Vllm = False,
    validate_every: ValidateEvery = 15,
    validation_games: ValidationGames = 400,
    test_games: TestGames = 200,
    backend: BackendName = "embedded",
    workers: Workers = None,
    name: Name = "grpo-pilot",
    dry_run: DryRun = False,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Train a language model by GRPO on whole episodes that it plays alone.

    Example: revops-ma train pilot --model tiny --seeds 3 --out runs/grpo
    """
    from revops_ma.training.pilot_grpo import ClonePlan, Credit, LoraPlan, Plan, Recipe, dryrun
    from revops_ma.training.pilot_grpo.accelerators import use_unsloth, use_vllm

    if credit not in list(Credit):
        raise BadInput.of("--credit", credit, ", ".join(Credit))
    recipe = Recipe(
        credit=Credit(credit),
        rollouts=rollouts,
        learning_rate=learning_rate,
        rows=rows,
        microbatch=min(256, rows // 4),
        validate_every=validate_every,
        validation_games=validation_games,
    )
    plan = Plan(
        model=model,
        scenario=scenario,
        against=tuple(part.strip() for part in against.split(",")),
        seed=seed,
        clone=ClonePlan(clone, clone_games, clone_epochs, noise=noise, stray=stray),
        recipe=recipe,
        lora=LoraPlan(lora, 2 * lora, four_bits) if lora else None,
        width=width,
        layers=layers,
        system=system_message(system, model, scenario),
    )
    plan.check()
    if dry_run:
        _tell_plan(dryrun.told(plan, seeds), as_json=as_json)
        return
    use_vllm(vllm)
    use_unsloth(unsloth if model != "tiny" else "off")
    say_remarks(scenario)
    contest = _hold(plan, seeds, out or Path("runs") / name, name, backend, workers, test_games)
    if as_json:
        print_json(contest.to_json())
        return
    tell(contest)


def system_message(file: Path | None, model: str, scenario: str) -> str:
    """The system message: of a file, else the short one that ships; a tiny model reads none."""
    from revops_ma import catalog
    from revops_ma.training.pilot_grpo.plan import TINY

    if file is not None:
        return file.read_text(encoding="utf-8").strip()
    if model == TINY:
        return ""
    world = catalog.scenario(scenario).world.name
    found = (card.folder / f"prompts/short-{world}-pilot.md" for card in catalog.agents())
    shipped = next((path for path in found if path.is_file()), None)
    return shipped.read_text(encoding="utf-8").strip() if shipped else ""


def _hold(
    plan: Plan,
    seeds: int,
    out: Path,
    name: str,
    backend: str,
    workers: int | None,
    test_games: int,
) -> Contest:
    from revops_ma.rollout import open_pool
    from revops_ma.training.pilot_grpo import dryrun
    from revops_ma.training.pilot_grpo.credit import WARNINGS

    need_library()
    if warning := WARNINGS.get(plan.recipe.credit):
        _say(f"Warning: {warning}")
    expected = dryrun.cpu_seconds(plan, seeds)
    if expected is not None:
        _say(f"Training with {seeds} seed(s): expect about {expected:.0f} CPU seconds.")
    from revops_ma.training.pilot_grpo.contest import hold

    with open_pool(backend, workers) as pool:
        return hold(plan, seeds, out, name, pool, test_games, _command(), _say)


def need_library() -> None:
    """Raise BadInput where the libraries of the extra `grpo` are missing."""
    import importlib.util

    missing = [m for m in ("torch", "trl", "transformers") if importlib.util.find_spec(m) is None]
    if missing:
        raise BadInput(f'training needs {", ".join(missing)}: pip install "revops-ma[grpo]"')


def _command() -> str:
    """The command as it was typed, without the path of the program."""
    return " ".join(["revops-ma", *sys.argv[1:]])


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


def _tell_plan(told: dict[str, object], *, as_json: bool) -> None:
    if as_json:
        print_json(told)
        return
    import json

    console().print(json.dumps(told, indent=2), soft_wrap=True)


def add_to(app: typer.Typer) -> None:
    """Nothing more to register: the command joined the group `train` above."""
