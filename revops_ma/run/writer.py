"""A run directory as the one process writes it that holds its lock.

What is promised, and by what:

* Killing the process at any instant loses no finished episode, doubles none, and the same command
  resumes it to a byte-equal result. `append` hands whole lines to the operating system before it
  returns, and those survive the death of the process; a line that a kill cut in two is cut off when
  the run is resumed, and its episode is played again, to the same bytes.
* A power cut loses at most what came after the last commit, `COMMIT_SECONDS` and the time of one
  commit at most where the disk is fast. A commit flushes the lines to the disk (fsync), then
  replaces `run.json`, which names their number and the last link of the chain.
* Commits take at most `COMMIT_SHARE` of the time of the run.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from revops_ma.episode import Episode
from revops_ma.errors import BadInput
from revops_ma.run.calls import CALLS, call_lines, size_of_calls
from revops_ma.run.chain import line_of, next_link, segment_of, segment_path, texts_by_segment
from revops_ma.run.manifest import (
    ABOUT,
    MANIFEST,
    Committed,
    config_hash,
    installed_versions,
    manifest_of,
    read_manifest,
    write_atomically,
    written,
)
from revops_ma.run.reader import Run, episode_in

LOCK = "run.lock"
COMMIT_SECONDS = 0.5
"""Shortest time between two commits."""
COMMIT_SHARE = 0.02
"""Largest share of the time that commits may take; on a slow disk they become rarer."""


class RunWriter(Run):
    """A run directory that is being written by this process, and by no other."""

    def __init__(
        self, path: Path, config: Mapping[str, Any], planned: int, cards: Mapping[str, str]
    ) -> None:
        """Take over a directory whose lock is held; use `writing`."""
        if not (path / MANIFEST).is_file():
            start = Committed(0, config_hash(config))
            about = {"versions": installed_versions(), **({"cards": dict(cards)} if cards else {})}
            write_atomically(path / MANIFEST, written(manifest_of(config, planned, start, about)))
        super().__init__(path)
        _refuse_other(self, config, planned)
        self.done: list[Episode] = []
        """Episodes that an earlier, interrupted command finished."""
        self._state = Committed(self.manifest["count"], self.manifest["head"])
        self._open: dict[Path, Any] = {}
        """Files with lines that are not committed."""
        self._due = time.monotonic() + COMMIT_SECONDS
        self._take_over()

    def append(self, episodes: Sequence[Episode]) -> None:
        """Add finished episodes: when this returns, a kill cannot take them away any more."""
        count, chain = self._state.count, self._state.head
        if calls := call_lines(count, episodes):
            _write_all(self._file(self.path / CALLS), calls)
        lines = []
        for episode in episodes:
            content = episode.to_text().encode()
            chain = next_link(chain, content)
            lines.append(line_of(chain, content))
        for segment, text in texts_by_segment(lines, count):
            _write_all(self._file(segment_path(self.path, segment)), text)
        self._state = Committed(count + len(lines), chain)
        if time.monotonic() >= self._due:
            self.commit()

    def commit(self) -> None:
        """Make everything appended so far survive a power cut, and name it in `run.json`."""
        if self._state.count == self.manifest["count"]:
            return
        began = time.monotonic()
        for file in self._open.values():
            os.fsync(file.fileno())
        self._close_files()
        about = {name: self.manifest[name] for name in ABOUT if name in self.manifest}
        self.manifest = manifest_of(self.config, self.manifest["planned"], self._state, about)
        write_atomically(self.path / MANIFEST, written(self.manifest))
        ended = time.monotonic()
        self._due = ended + max(COMMIT_SECONDS, (ended - began) / COMMIT_SHARE)

    def _file(self, path: Path) -> Any:
        if path not in self._open:
            # Unbuffered: what is written is out of this process, so a kill cannot lose it.
            self._open[path] = path.open("ab", buffering=0)
        return self._open[path]

    def close(self) -> None:
        """Commit, and let the files go."""
        try:
            self.commit()
        finally:
            self._close_files()

    def _close_files(self) -> None:
        for file in self._open.values():
            file.close()
        self._open.clear()

    def _take_over(self) -> None:
        """Read what is there, once; cut a torn last line and the remains of a kill off."""
        last, end = 0, 0
        for link in self.links():
            self.done.append(episode_in(link))
            last, end = link.segment, link.end
            self._state = Committed(len(self.done), link.chain)
        for number, path in enumerate(self.segments()):
            if number >= last:
                _cut(path, end if number == last else 0)
        self._take_over_calls()
        for remains in self.path.glob(f".{MANIFEST}.*.partial"):
            remains.unlink()
        committed = self.manifest["count"]
        if self._state.count > committed:
            # A kill left the manifest older than the lines; from now on a power cut spares them.
            for number in range(segment_of(committed), last + 1):
                self._file(segment_path(self.path, number))
            if (self.path / CALLS).is_file():
                self._file(self.path / CALLS)
            self.commit()

    def _take_over_calls(self) -> None:
        """Cut off the calls of episodes that a kill prevented."""
        calls = self.path / CALLS
        if calls.is_file() or any(episode.transcript for episode in self.done):
            _cut(calls, size_of_calls(self.path, self.done))


def _write_all(file: Any, text: bytes) -> None:
    """Write to an unbuffered file, which may take less than it is given."""
    rest = memoryview(text)
    while rest:
        rest = rest[file.write(rest) :]


def _cut(path: Path, size: int) -> None:
    if path.stat().st_size != size:
        with path.open("r+b") as file:
            file.truncate(size)


def _refuse_other(run: Run, config: Mapping[str, Any], planned: int) -> None:
    there, here = run.config, dict(config)
    if config_hash(here) == run.manifest["config_hash"] and planned == run.manifest["planned"]:
        return
    there, here = {**there, "planned": run.manifest["planned"]}, {**here, "planned": planned}
    differ = [
        f"{name} is {there.get(name)!r} there, {here.get(name)!r} here"
        for name in sorted({*here, *there})
        if there.get(name) != here.get(name)
    ]
    raise BadInput(
        f"{run.path} holds another run: {'; '.join(differ)}. Choose a new directory for --out"
    )


@contextmanager
def writing(
    path: Path, config: Mapping[str, Any], planned: int, cards: Mapping[str, str] | None = None
) -> Generator[RunWriter]:
    """Create or resume a run directory under its lock; on the way out everything is committed.

    `cards` are the files of players whose names lead to no card, relative to the directory.

    Raises BadInput where the directory holds another config, something that is no run, or is being
    written by another process.
    """
    path = Path(path)
    if path.exists() and not (path / MANIFEST).is_file() and (not path.is_dir() or _is_used(path)):
        raise BadInput.of("run directory", str(path), "a new or empty directory, or an earlier run")
    if (path / MANIFEST).is_file():
        read_manifest(path)
    path.mkdir(parents=True, exist_ok=True)
    # The lock is an empty file that stays: every run has it, and none differs by it. Removing it
    # would let two writers lock two files of the same name.
    with (path / LOCK).open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BadInput(f"{path} is being written by another process; wait for it") from None
        writer = RunWriter(path, config, planned, cards or {})
        try:
            yield writer
        finally:
            writer.close()


def _is_used(path: Path) -> bool:
    return any(
        entry.name != LOCK and not entry.name.endswith(".partial") for entry in path.iterdir()
    )
