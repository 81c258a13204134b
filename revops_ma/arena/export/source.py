"""A run opened for export: its episodes, who played them, and their moves one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from revops_ma.arena.export.ledger import Ledger
from revops_ma.episode import Episode, digest_of
from revops_ma.errors import RunFailed
from revops_ma.rollout.recorded import Rules, batches, play_again, rules_of
from revops_ma.run import Run


@dataclass(frozen=True, slots=True)
class Source:
    """A run whose rules this installation still has."""

    run: Run
    rules: Rules
    episodes: list[Episode]

    def players(self, number: int) -> dict[str, str]:
        """Identity of the agent of each role in an episode of the run."""
        config = self.run.config
        return config["matchups"][number // config["episodes"]]

    def ledgers(self, *, texts: bool = False) -> Iterator[tuple[list[int], Ledger]]:
        """Replay the completed episodes, many at a time: their numbers in the run, their moves.

        Raises RunFailed at the first that does not come out as recorded.
        """
        for part in batches(self.episodes):
            told = list(part.values())
            ledger = Ledger(self.rules.world, told, texts=texts)
            table, misfits = play_again(self.rules, told, ledger)
            for row, (number, episode) in enumerate(part.items()):
                if row in misfits or digest_of(table, row, episode.moves) != episode.digest:
                    raise RunFailed(
                        f"{self.run.path}: episode {number} does not replay as recorded, so nothing"
                        f" is exported; see `revops-ma replay {self.run.path}`"
                    )
            ledger.close(table)
            yield list(part), ledger


def open_source(path: Path) -> Source:
    """Read a run; RunFailed where its rules are of another version."""
    run = Run(path)
    rules = rules_of(run.config)
    if not rules.can_replay:
        raise RunFailed(f"{path} cannot be exported: {rules.change}")
    return Source(run, rules, list(run.episodes()))


def metadata_of(source: Source) -> dict[str, Any]:
    """What a data set says of where it comes from."""
    return {
        "rules": source.rules.recorded,
        "config_hash": source.run.manifest["config_hash"],
        "versions": source.run.manifest["versions"],
    }
