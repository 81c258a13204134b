"""The pilot that comes out of a league, as a card with its story."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from revops_ma.cards import Decoding
from revops_ma.game import Agent
from revops_ma.training.contest import AGENTS
from revops_ma.training.evaluation import Score, evaluate
from revops_ma.training.league.rounds import League
from revops_ma.training.league.snapshots import Snapshot
from revops_ma.training.league.story import Story
from revops_ma.training.pool import Pool
from revops_ma.training.recipe import TEST_SEEDS, VALIDATION_SEEDS
from revops_ma.training.sampling import as_agent
from revops_ma.training.trained import Trained


def write_champion(league: League, story: Story, command: str) -> Path:
    """Write the strongest pilot to `agents/trained/selfplay-<role>`, with figures on test seeds.

    It was chosen on validation seeds. What it is told to have been trained against is its last
    round; months and seconds are those of the whole run until it was there.
    """
    role = league.roles[0]
    name, folder = f"selfplay-{role}", league.folder / AGENTS
    if (folder / f"{name}.toml").is_file():  # it is written last
        return folder / f"{name}.toml"
    best = story.strongest
    snapshot = next(pilot for pilot in league.pilots if pilot.name == best.name)
    decoding = _decoding(league, snapshot)
    made = Trained(
        role=role,
        scenario=league.scenario.name,
        world=league.scenario.world.name,
        against=best.mixture,
        seed=league.settings.seed,
        network=snapshot.network,
        iterations=league.settings.pilot_iterations * (best.round + 1),
        months=best.months,
        seconds=best.seconds,
        history=[],
        command=command,
        title=f"Self-play {role}, strongest of its league",
    )
    names = {best.worst, *(best.answer.responses if best.answer else ())}
    foes = [*league.scripts.agents, *(one.agent for one in league.engines if one.name in names)]
    scores = _scores(league, snapshot, decoding, foes, TEST_SEEDS)
    return made.save(folder, name, scores, decoding)


def _decoding(league: League, pilot: Snapshot) -> Decoding:
    """The decoding whose worst case over the whole league is better, on validation seeds.

    A policy keeps exploring as long as it is trained; most of what it draws besides its likeliest
    move is no bluff but a slip.
    """
    seeds = VALIDATION_SEEDS[: league.settings.payoff_games]
    ways: tuple[Decoding, Decoding] = ("sample", "greedy")
    worst = {
        way: min(
            score.survival.mean or 0.0 for score in _scores(league, pilot, way, league.foes, seeds)
        )
        for way in ways
    }
    return max(ways, key=worst.__getitem__)


def _scores(
    league: League, pilot: Snapshot, decoding: Decoding, foes: Sequence[Agent], seeds: range
) -> list[Score]:
    world = league.scenario.world.name
    agent = as_agent(pilot.network, pilot.role, world, pilot.name, decoding)
    return evaluate(agent, pilot.role, Pool([(foe, 1.0) for foe in foes]), league.scenario, seeds)
