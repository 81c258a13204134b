"""The pilot that comes out of a league, as a card with its story."""

from __future__ import annotations

from pathlib import Path

from revops_ma.training.contest import AGENTS
from revops_ma.training.evaluation import evaluate
from revops_ma.training.league.rounds import League
from revops_ma.training.league.story import Story
from revops_ma.training.pool import Pool
from revops_ma.training.recipe import TEST_SEEDS
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
    )
    answer = best.answer.responses if best.answer else []
    foes = [*league.scripts.agents, *(one.agent for one in league.engines if one.name in answer)]
    pool = Pool([(foe, 1.0) for foe in foes])
    scores = evaluate(snapshot.agent, role, pool, league.scenario, TEST_SEEDS)
    return made.save(folder, name, scores)
