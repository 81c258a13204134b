"""The run directory: what was asked, and every finished episode, so that nothing is lost.

    run.json              config and its hash, versions, planned and committed count, head hash
    episodes-00000.jsonl  append-only; each line is chained to the one before by its hash
    report.html           derived from the two above

Episodes are written in the order of the plan, a group at a time: lines first, flushed to disk, then
`run.json` is replaced atomically. A kill at any instant loses no committed episode; the same
command goes on where it stopped and ends with the same bytes. Another config is refused.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

from revops_ma.episode import Episode
from revops_ma.errors import BadInput

FORMAT = 1
MANIFEST, REPORT, LOCK = "run.json", "report.html", "lock"
LINES_PER_SEGMENT = 5_000
_GENESIS = "0" * 32
_RECORDED_VERSIONS = ("revops-ma", "numpy", "numba")


class TamperedRun(BadInput):
    """A run directory whose records do not fit their hashes; the message says where."""


@dataclass(frozen=True, slots=True)
class _Committed:
    """What of a run is on disk and sound."""

    count: int
    head: str


def dumps(value: Any) -> str:
    """Strict, compact JSON with sorted keys: the one form that is hashed and written."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def write_atomically(path: Path, text: str) -> None:
    """Replace a file in one step: a reader sees the old text or the new one, never half."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    with partial.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
    _sync_folder(path.parent)


def config_hash(config: Mapping[str, Any]) -> str:
    """32 hex digits of a config."""
    return hashlib.blake2b(dumps(config).encode(), digest_size=16).hexdigest()


class Run:
    """A run directory that can be read by anybody."""

    def __init__(self, path: Path) -> None:
        """Open an existing run; BadInput where there is none or its manifest is not ours."""
        self.path = Path(path)
        self.manifest = _read_manifest(self.path)

    @property
    def config(self) -> dict[str, Any]:
        """What was asked: kind, scenario, players, seeds."""
        return self.manifest["config"]

    @property
    def is_complete(self) -> bool:
        """Whether all planned episodes are there."""
        return self.manifest["count"] == self.manifest["planned"]

    def episodes(self) -> Iterator[Episode]:
        """All sound episodes in order.

        Raises TamperedRun at the first line that does not fit. Only the last line of a run that was
        cut off may be torn: it is left out.
        """
        for record in self._records():
            yield Episode.from_json(record)

    def segments(self) -> list[Path]:
        """The files of episodes in order."""
        return sorted(self.path.glob("episodes-*.jsonl"))

    def _records(self) -> Iterator[dict[str, Any]]:
        chain = _GENESIS
        count = 0
        for segment, number, line, is_last in _lines(self.segments()):
            where = f"{segment.name} line {number}"
            may_be_torn = is_last and count >= self.manifest["count"]
            record = _checked(line, chain, where, may_be_torn=may_be_torn)
            if record is None:
                break
            chain, count = record["chain"], count + 1
            if count == self.manifest["count"] and chain != self.manifest["head"]:
                raise TamperedRun(f"{self.path}: {where} is not the record that {MANIFEST} names")
            yield record["episode"]
        if count < self.manifest["count"]:
            raise TamperedRun(
                f"{self.path}: {MANIFEST} names {self.manifest['count']} episodes,"
                f" only {count} are there; the records were cut after number {count}"
            )


class RunWriter(Run):
    """A run directory that is being written by this process, and by no other."""

    def __init__(self, path: Path, config: Mapping[str, Any], planned: int) -> None:
        """Take over a directory whose lock is held; use `writing`."""
        if not (path / MANIFEST).is_file():
            write_atomically(path / MANIFEST, _manifest(config, planned, _Committed(0, _GENESIS)))
        super().__init__(path)
        self._refuse_other(config)
        self.done = list(self.episodes())
        """Episodes that an earlier, interrupted command finished."""
        self._planned = planned
        self._config = dict(config)
        self._state = self._repair()

    def append(self, episodes: Sequence[Episode]) -> None:
        """Add finished episodes as one group: on disk when this returns."""
        count, chain = self._state.count, self._state.head
        lines: dict[Path, list[str]] = {}
        for episode in episodes:
            content = dumps(episode.to_json())
            chain = _link(chain, content)
            segment = self.path / f"episodes-{count // LINES_PER_SEGMENT:05d}.jsonl"
            lines.setdefault(segment, []).append(f'{{"chain":"{chain}","episode":{content}}}\n')
            count += 1
        for segment, text in lines.items():
            with segment.open("a", encoding="utf-8") as file:
                file.writelines(text)
                _sync(file)
        self._commit(_Committed(count, chain))

    def _commit(self, state: _Committed) -> None:
        write_atomically(self.path / MANIFEST, _manifest(self._config, self._planned, state))
        self._state = state
        self.manifest = _read_manifest(self.path)

    def _repair(self) -> _Committed:
        """Cut a torn last line off and make the manifest name what is really there."""
        count, chain = 0, _GENESIS
        for segment in self.segments():
            sound = 0
            for line in segment.read_bytes().splitlines(keepends=True):
                if count == len(self.done):
                    break
                chain = json.loads(line)["chain"]
                count, sound = count + 1, sound + len(line)
            if sound != segment.stat().st_size:
                with segment.open("r+b") as file:
                    file.truncate(sound)
        state = _Committed(count, chain)
        if count != self.manifest["count"]:
            self._commit(state)
        return state

    def _refuse_other(self, config: Mapping[str, Any]) -> None:
        if config_hash(config) == self.manifest["config_hash"]:
            return
        theirs = self.manifest["config"]
        names = sorted({*config, *theirs})
        differ = [
            f"{name} is {theirs.get(name)!r} there, {config.get(name)!r} here"
            for name in names
            if theirs.get(name) != config.get(name)
        ]
        raise BadInput(
            f"{self.path} holds another run: {'; '.join(differ)}. Choose a new directory for --out"
        )


@contextmanager
def writing(path: Path, config: Mapping[str, Any], planned: int) -> Generator[RunWriter]:
    """Create or resume a run directory under its lock.

    Raises BadInput where the directory holds another config, something that is no run, or is being
    written by another process.
    """
    path = Path(path)
    if path.exists() and not (path / MANIFEST).is_file() and (not path.is_dir() or _is_used(path)):
        raise BadInput.of("run directory", str(path), "a new or empty directory, or an earlier run")
    path.mkdir(parents=True, exist_ok=True)
    with (path / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BadInput(f"{path} is being written by another process; wait for it") from None
        yield RunWriter(path, config, planned)


def _is_used(path: Path) -> bool:
    return any(
        entry.name != LOCK and not entry.name.endswith(".partial") for entry in path.iterdir()
    )


def _manifest(config: Mapping[str, Any], planned: int, state: _Committed) -> str:
    content = {
        "format": FORMAT,
        "config": dict(config),
        "config_hash": config_hash(config),
        "versions": {name: version(name) for name in _RECORDED_VERSIONS},
        "planned": planned,
        "count": state.count,
        "head": state.head,
    }
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def _read_manifest(path: Path) -> dict[str, Any]:
    file = path / MANIFEST
    if not file.is_file():
        raise BadInput(f"{path} is no run directory: it has no {MANIFEST}; write one with --out")
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
        sound = config_hash(manifest["config"]) == manifest["config_hash"]
    except (ValueError, KeyError, TypeError) as error:
        raise TamperedRun(f"{file} is not readable: {error}") from None
    if manifest.get("format") != FORMAT:
        raise BadInput.of(f"format of {file}", manifest.get("format"), str(FORMAT))
    if not sound:
        raise TamperedRun(f"{file}: the config does not fit its hash; it was edited")
    return manifest


def _link(chain: str, content: str) -> str:
    return hashlib.blake2b(f"{chain}{content}".encode(), digest_size=16).hexdigest()


def _lines(segments: Sequence[Path]) -> Iterator[tuple[Path, int, bytes, bool]]:
    """(file, line number from 1, line, whether it is the last of the run)."""
    for index, segment in enumerate(segments):
        lines = segment.read_bytes().splitlines(keepends=True)
        for number, line in enumerate(lines, start=1):
            yield segment, number, line, index + 1 == len(segments) and number == len(lines)


def _checked(line: bytes, chain: str, where: str, *, may_be_torn: bool) -> dict[str, Any] | None:
    """Read one line and check its link; None for a torn line where one may be."""
    try:
        record = json.loads(line) if line.endswith(b"\n") else None
    except ValueError:
        record = None
    if record is None:
        if may_be_torn:
            return None
        raise TamperedRun(f"{where} is not a whole record")
    if not isinstance(record, dict) or set(record) != {"chain", "episode"}:
        raise TamperedRun(f"{where} is not a record of an episode")
    if _link(chain, dumps(record["episode"])) != record["chain"]:
        raise TamperedRun(f"{where} does not follow from the record before it")
    return record


def _sync(file: IO[Any]) -> None:
    file.flush()
    os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
