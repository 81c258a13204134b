"""Stored runs for the page: what there is, how it went, one episode told again, one forked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from revops_ma.adapters.menu import Order
from revops_ma.adapters.problem import Problem
from revops_ma.adapters.seat import Seat
from revops_ma.arena.recast import recast
from revops_ma.arena.results import summarise
from revops_ma.episode import COMPLETED, Episode, replay
from revops_ma.errors import RevopsError
from revops_ma.rollout.recorded import rules_of
from revops_ma.run import MANIFEST, Run
from revops_ma.server.story import Story, tell
from revops_ma.table import Table

MOST_RUNS, MOST_EPISODES = 200, 500
"""Most entries of a list that the page is sent."""


class Archive:
    """The run directories of a folder. Every method reads files: call it in a thread."""

    def __init__(self, folder: Path) -> None:
        """Look into a folder, which need not exist."""
        self.folder = folder

    def names(self) -> list[str]:
        """Names of the runs, newest first."""
        if not self.folder.is_dir():
            return []
        found = [path for path in self.folder.iterdir() if (path / MANIFEST).is_file()]
        found.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        return [path.name for path in found[:MOST_RUNS]]

    def overview(self, name: str) -> dict[str, Any]:
        """Who played in a run, how it went with intervals, and its first episodes."""
        run = self._run(name)
        told = list(_episodes(run))
        return {
            "run": name,
            "scenario": run.config["scenario"],
            "planned": run.manifest["planned"],
            "scoreboard": list(_scores(run, told)),
            "episodes": [_line(at, each) for at, each in enumerate(told[:MOST_EPISODES])],
        }

    def story(self, name: str, number: int) -> Story:
        """One episode, played again."""
        run = self._run(name)
        told = self._episode(run, number)
        rules = rules_of(run.config)
        if not rules.can_replay:
            raise Problem("bad_input", f"{name} cannot be replayed: {rules.change}")
        table = _replayed(rules.world, rules.settings, told)
        return tell(table, _players(run, number), run.config["scenario"])

    def order(self, name: str, number: int, seat: str) -> tuple[Order, Episode]:
        """A seat at one episode's table, its other players made again; and the episode."""
        run = self._run(name)
        told = self._episode(run, number)
        try:
            cast = recast(run, number)
            others = {role: agent for role, agent in cast.players.items() if role != seat}
            made = Seat(cast.scenario, seat, others)
        except RevopsError as error:
            raise Problem("bad_input", str(error)) from error
        names = {role: agent.name for role, agent in others.items()}
        return Order(made, names, told.seed, None), told

    def _run(self, name: str) -> Run:
        if name not in self.names():
            raise Problem("bad_input", f"no run called {name[:80]!r} in this server's folder")
        try:
            return Run(self.folder / name)
        except RevopsError as error:
            raise Problem("bad_input", f"the run {name} cannot be read") from error

    def _episode(self, run: Run, number: int) -> Episode:
        for at, told in enumerate(_episodes(run)):
            if at == number:
                if told.status != COMPLETED or not told.moves:
                    raise Problem("bad_input", f"episode {number} failed or kept no moves")
                return told
        raise Problem("bad_input", f"there is no episode {number} in that run")


def _episodes(run: Run) -> Iterator[Episode]:
    try:
        yield from run.episodes()
    except RevopsError as error:
        raise Problem("bad_input", "the run is damaged: revops-ma replay tells where") from error


def _replayed(world: Any, settings: Any, told: Episode) -> Table:
    try:
        return replay(world, settings, told.seed, told.moves)
    except ValueError as error:
        raise Problem("bad_input", f"the episode does not replay: {error}") from error


def _players(run: Run, number: int) -> Mapping[str, str]:
    identities = run.config["matchups"][number // run.config["episodes"]]
    return {role: identity.rsplit("@", 1)[0] for role, identity in identities.items()}


def _scores(run: Run, told: list[Episode]) -> Iterator[dict[str, Any]]:
    """A line of figures with intervals per matchup."""
    each, world = run.config["episodes"], rules_of(run.config).world
    for at in range(len(run.config["matchups"])):
        part = told[at * each : (at + 1) * each]
        if part:
            yield {**_players(run, at * each), **summarise(part, each, world).to_json()}


def _line(number: int, told: Episode) -> dict[str, Any]:
    return {
        "number": number,
        "matchup": told.matchup,
        "seed": told.seed,
        "status": told.status,
        "ending": told.ending,
        "won": told.won,
        "steps": told.steps,
        "return": next(iter(told.returns.values()), None),
    }
