"""A self-play run from its first round to its last; see `rounds.py` for one round.

DIR/selfplay.json     what was asked; another request in the same directory is refused
DIR/rounds/           the rounds
DIR/agents/league/    every agent there has been
DIR/agents/trained/   the pilot that came out of it
DIR/league.json       the figures of all rounds; it is there once all are over
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from revops_ma.catalog import Scenario
from revops_ma.errors import BadInput
from revops_ma.rollout import open_pool
from revops_ma.run import dumps, write_atomically
from revops_ma.training.league.champion import write_champion
from revops_ma.training.league.opponents import Scripts
from revops_ma.training.league.rounds import League, Means, Round
from revops_ma.training.league.settings import Settings
from revops_ma.training.league.snapshots import Snapshots
from revops_ma.training.league.story import Story, story_of

REQUEST, LOCK, SUMMARY = "selfplay.json", "selfplay.lock", "league.json"

Tell = Callable[[Story], None]


def play_league(  # noqa: PLR0913 - what is played, where to, and by which means
    scenario: Scenario,
    settings: Settings,
    out: Path,
    *,
    backend: str = "embedded",
    workers: int = 2,
    command: str = "",
    tell: Tell | None = None,
) -> Story:
    """Play all rounds and give the story; the same call goes on after a kill.

    `tell` is called after every round with the story so far. Raises BadInput for a scenario that
    cannot be trained, unknown opponents, or a directory of something else.
    """
    league = league_of(scenario, settings, out)
    request = {"scenario": scenario.identity, "settings": settings.to_json()}
    with held(out, request), open_pool(backend, workers if backend != "embedded" else None) as pool:
        means = Means(pool, backend, workers)
        said = []
        for number in range(settings.rounds + 2):
            said.append(Round(league, number, means).play())
            story = story_of(league, said)
            if tell is not None:
                tell(story)
        write_champion(league, story, command)
        write_atomically(out / SUMMARY, json.dumps(story.to_json(), indent=1) + "\n")
        return story


def league_of(scenario: Scenario, settings: Settings, out: Path) -> League:
    """A league nobody has played in yet."""
    scripts = Scripts.of(settings.scripts, scenario)
    return League(scenario, settings, out, Snapshots(out, scenario), scripts)


@contextmanager
def held(folder: Path, request: Mapping[str, Any]) -> Generator[None]:
    """Hold a directory for one request; BadInput if it is another's, or somebody plays there."""
    file = folder / REQUEST
    if not file.is_file() and folder.exists() and any(_strangers(folder)):
        raise BadInput.of("self-play directory", str(folder), "a new or empty one, or this run's")
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BadInput(f"{folder} is being played in by another process") from None
        if not file.is_file():
            write_atomically(file, json.dumps(request, indent=2, sort_keys=True) + "\n")
        _check(file, request)
        yield


def _strangers(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.name != LOCK]


def _check(file: Path, request: Mapping[str, Any]) -> None:
    earlier = json.loads(file.read_text(encoding="utf-8"))
    if dumps(earlier) == dumps(request):
        return
    settings, others = request["settings"], earlier.get("settings", {})
    differ = sorted(key for key in settings if others.get(key) != settings[key])
    if earlier.get("scenario") != request["scenario"]:
        differ.insert(0, "scenario")
    raise BadInput(
        f"{file.parent} holds another self-play run: {', '.join(differ)} differ;"
        " name another directory with --out"
    )
