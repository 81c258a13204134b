"""`revops-ma match` and `revops-ma tournament`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from revops_ma import catalog
from revops_ma.cli.calls import (
    CallsOption,
    MaxCalls,
    MaxDollars,
    MaxTokens,
    Strict,
    wishes_of,
)
from revops_ma.cli.common import (
    AsJson,
    Backend,
    Out,
    ScenarioName,
    Seed,
    Workers,
    console,
    print_json,
    say_remarks,
)

if TYPE_CHECKING:
    from revops_ma.arena.match import Match
    from revops_ma.arena.tournament import Tournament

Episodes = Annotated[int, typer.Option("--episodes", "-n", help="Games per pairing.")]


def match(
    pilot: Annotated[str, typer.Argument(help="Agent card of the pilot.")],
    crisis: Annotated[str, typer.Argument(help="Agent card of the crisis engine.")],
    scenario: ScenarioName = "revops/normal",
    episodes: Episodes = 200,
    seed: Seed = None,
    out: Out = None,
    backend: Backend = "embedded",
    workers: Workers = None,
    calls: CallsOption = None,
    strict: Strict = False,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_dollars: MaxDollars = None,
    as_json: AsJson = False,
) -> None:
    """Play one pilot against one crisis engine and tell the figures with 95 % intervals.

    Example: revops-ma match heuristic rule-based --episodes 2000 --seed 1000000
    """
    from revops_ma.arena.match import play_match
    from revops_ma.cli.tables import match_table
    from revops_ma.rollout import open_pool

    players = {"pilot": pilot, "crisis": crisis}
    wishes = wishes_of(calls, strict, max_calls, max_tokens, max_dollars)
    with open_pool(backend, workers) as pool:
        played = play_match(players, scenario, episodes, seed, out, pool, wishes)
    if as_json:
        print_json(played.to_json())
        return
    say_remarks(scenario)
    console().print(match_table(played, catalog.scenario(scenario).world.success))
    _say_where(played)


def tournament(
    pilots: Annotated[str, typer.Option(help="Pilots, by commas; `all` but the very slow ones.")],
    crises: Annotated[str, typer.Option(help="Crisis engines, likewise.")],
    scenario: ScenarioName = "revops/normal",
    episodes: Episodes = 200,
    seed: Seed = None,
    out: Out = None,
    backend: Backend = "embedded",
    workers: Workers = None,
    calls: CallsOption = None,
    strict: Strict = False,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    max_dollars: MaxDollars = None,
    as_json: AsJson = False,
) -> None:
    """Play every pilot against every crisis engine on the same seeds.

    Example: revops-ma tournament --pilots heuristic,random --crises none,rule-based -n 200
    """
    from revops_ma.arena.tournament import play_tournament
    from revops_ma.cli.tables import fact_table, payoff_table, rating_table
    from revops_ma.rollout import open_pool

    names = [_names(pilots, "pilot", scenario), _names(crises, "crisis", scenario)]
    wishes = wishes_of(calls, strict, max_calls, max_tokens, max_dollars)
    with open_pool(backend, workers) as pool:
        played = play_tournament(*names, scenario, episodes, seed, out, pool, wishes)
    if as_json:
        print_json(played.to_json())
        return
    say_remarks(scenario)
    world = catalog.scenario(scenario).world
    screen = console()
    title = f"Episodes won ({world.success})"
    screen.print(payoff_table(played, title, lambda cell: cell.survival, ".1%"))
    title = f"Mean return of the {played.roles[0]}"
    screen.print(payoff_table(played, title, lambda cell: cell.episode_return, ".2f"))
    for name in world.facts_shown:
        screen.print(fact_table(played, name))
    screen.print("* the engine that leaves that pilot the lowest return.")
    if (equilibrium := played.equilibrium) is not None:
        screen.print(rating_table(played, equilibrium))
        screen.print(f"Value of the game between the two mixtures: {equilibrium.value:.2f}")
    _say_where(played)


def _names(given: str, role: str, scenario: str) -> list[str]:
    if given == "all":
        fitting = set(catalog.fitting(role, catalog.scenario(scenario).world))
        return [card.name for card in catalog.agents() if card.in_all and card.name in fitting]
    return [name.strip() for name in given.split(",")]


def _say_where(played: Match | Tournament) -> None:
    text = f"Seeds {played.seed:,} on; {played.seconds:.1f} s."
    if played.run is not None:
        text += f" Run: {played.run} (revops-ma report {played.run})"
    console().print(text, soft_wrap=True)


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command()(match)
    app.command()(tournament)
