"""Playing a plan of matchups, with or without a run directory: what match and tournament share."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from revops_ma import catalog
from revops_ma import run as runs
from revops_ma.arena.calling import (
    NO_WISHES,
    CallWishes,
    check_calls,
    check_limits,
    close_journal,
    conducted,
)
from revops_ma.episode import Episode
from revops_ma.errors import BadInput
from revops_ma.luck import MAX_SEED, check_seed
from revops_ma.rollout import EmbeddedPool, Matchup, RolloutPool, in_plan_order


def seed_range(first: int | None, episodes: int, out: Path | None = None) -> range:
    """Seeds first .. first + episodes - 1; BadInput for fewer than one or too large ones.

    Without a first seed, the one of the run that `out` already holds, so that the same command goes
    on with it or plays its calls again; else a drawn one.
    """
    if episodes < 1:
        raise BadInput.of("--episodes", episodes, "a whole number from 1")
    if first is None and out is not None and (out / runs.MANIFEST).is_file():
        first = runs.Run(out).config["seed"]
    start = check_seed(first)
    if start + episodes - 1 > MAX_SEED:
        raise BadInput.of("last seed", start + episodes - 1, f"at most {MAX_SEED}")
    return range(start, start + episodes)


def config_of(kind: str, matchups: Sequence[Matchup]) -> dict[str, Any]:
    """What a run directory must agree on to be the same run."""
    scenario, seeds = matchups[0].scenario, matchups[0].seeds
    return {
        "kind": kind,
        "scenario": scenario.name,
        "rules": scenario.identity,
        "matchups": [
            {role: agent.identity for role, agent in matchup.players.items()}
            for matchup in matchups
        ],
        "seed": seeds.start,
        "episodes": len(seeds),
    }


def play_plan(
    kind: str,
    matchups: Sequence[Matchup],
    out: Path | None,
    pool: RolloutPool | None = None,
    wishes: CallWishes = NO_WISHES,
) -> list[list[Episode]]:
    """Play every matchup on all of its seeds and give the episodes by matchup.

    With `out` the episodes are written there as they come, in the order of the plan; those that an
    interrupted run with the same config left are not played again. The pool, by default this
    process, leaves no trace in the results.
    """
    check_calls(matchups, wishes, out)
    planned = sum(len(matchup.seeds) for matchup in matchups)
    context = (
        runs.writing(out, config_of(kind, matchups), planned, _cards_of(matchups, out))
        if out
        else nullcontext()
    )
    with context as writer:
        episodes = list(writer.done) if writer else []
        left = _remaining(conducted(matchups, wishes, writer), len(episodes))
        done = (pool or EmbeddedPool()).play(left, record=writer is not None)
        for batch in in_plan_order(done):
            if writer:
                writer.append(batch.results)
            episodes += batch.results
            if len(episodes) < planned:
                check_limits(wishes, episodes)
        if writer:
            writer.commit()
    close_journal(out)
    return _by_matchup(matchups, episodes)


def _cards_of(matchups: Sequence[Matchup], out: Path) -> dict[str, str]:
    """Files of the players that were given by path, relative to the run, by identity."""
    players = [agent for matchup in matchups for agent in matchup.players.values()]
    cards = {agent.identity: getattr(agent, "card", None) for agent in players}
    return {
        identity: os.path.relpath(card.file, out)
        for identity, card in sorted(cards.items())
        if card is not None and card.file.is_file() and not catalog.finds(card)
    }


def _remaining(matchups: Sequence[Matchup], done: int) -> list[Matchup]:
    """Leave out what is done: episodes are written in the order of the plan."""
    left = []
    for matchup in matchups:
        skip = min(done, len(matchup.seeds))
        done -= skip
        if skip < len(matchup.seeds):
            left.append(Matchup(matchup.scenario, matchup.players, matchup.seeds[skip:]))
    return left


def _by_matchup(matchups: Sequence[Matchup], episodes: list[Episode]) -> list[list[Episode]]:
    groups, start = [], 0
    for matchup in matchups:
        groups.append(episodes[start : start + len(matchup.seeds)])
        start += len(matchup.seeds)
    return groups
