"""A run directory as anybody may read it, while it is being written too."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from revops_ma.episode import Episode
from revops_ma.run.chain import Link, TamperedRun, read_chain, segments_of
from revops_ma.run.manifest import MANIFEST, read_manifest


class Run:
    """A run directory that can be read by anybody."""

    def __init__(self, path: Path) -> None:
        """Open an existing run; BadInput where there is none or its manifest is not ours."""
        self.path = Path(path)
        self.manifest = read_manifest(self.path)

    @property
    def config(self) -> dict[str, Any]:
        """What was asked: kind, scenario, players, seeds."""
        return self.manifest["config"]

    def card_of(self, identity: str) -> Path | None:
        """The file of a player whose name led to no card when the run was made."""
        found = self.manifest.get("cards", {}).get(identity)
        return None if found is None else self.path / found

    @property
    def is_complete(self) -> bool:
        """Whether all planned episodes are there."""
        return self.manifest["count"] == self.manifest["planned"]

    def episodes(self) -> Iterator[Episode]:
        """All sound episodes in order.

        Raises TamperedRun at the first line that does not fit. Only the last line of a run that was
        cut off may be torn: it is left out.
        """
        for link in self.links():
            yield episode_in(link)

    def segments(self) -> list[Path]:
        """The files of episodes in order."""
        return segments_of(self.path)

    def links(self) -> Iterator[Link]:
        """All sound lines in order; raises as `episodes` does."""
        count, committed, planned = 0, self.manifest["count"], self.manifest["planned"]
        for link in read_chain(self.path, self.manifest["config_hash"], committed, planned):
            count += 1
            if count == committed and link.chain != self.manifest["head"]:
                raise TamperedRun(f"{link.where} is not the record that {MANIFEST} names")
            if count > planned:
                raise TamperedRun(f"{link.where} is one more than was planned")
            yield link
        if count < committed:
            raise TamperedRun(
                f"{self.path}: {MANIFEST} names {committed} episodes,"
                f" only {count} are there; the records were cut after number {count}"
            )


def episode_in(link: Link) -> Episode:
    """The episode of a sound line; TamperedRun where it is none."""
    try:
        return Episode.from_text(link.content.decode("utf-8"))
    except ValueError as error:
        raise TamperedRun(f"{link.where} is not a record of an episode: {error}") from None
