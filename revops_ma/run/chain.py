"""The lines of a run: each is chained to the one before by its hash, so no change goes unseen.

A line is `{"chain":"<32 hex digits>","episode":<record>}`. Its link is the hash of the link before
it and of the record's bytes; the first one follows from the hash of the run's config, so records
cannot be moved from one run to another. Hashing bytes, not values, leaves no byte unchecked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from revops_ma.errors import BadInput

LINES_PER_SEGMENT = 5_000
_BEFORE, _BETWEEN, _AFTER = b'{"chain":"', b'","episode":', b"}\n"
_LINK_LENGTH = 32
_LINK_AT = len(_BEFORE)
_BETWEEN_AT = _LINK_AT + _LINK_LENGTH
_CONTENT_AT = _BETWEEN_AT + len(_BETWEEN)


class TamperedRun(BadInput):
    """A run directory whose records do not fit their hashes; the message says where."""


class Link(NamedTuple):
    """A sound line."""

    content: bytes
    """The record."""
    chain: str
    """Its hash, which the next one builds on."""
    segment: int
    end: int
    """Size of the segment up to the end of this line, in bytes."""
    path: Path
    line: int
    """Number of the line in its file, from 1."""

    @property
    def where(self) -> str:
        """File and line number, for messages."""
        return f"{self.path} line {self.line}"


def hash_of(content: bytes) -> str:
    """32 hex digits."""
    return hashlib.blake2b(content, digest_size=_LINK_LENGTH // 2).hexdigest()


def next_link(chain: str, content: bytes) -> str:
    """The link of a record that follows a link."""
    return hash_of(chain.encode() + content)


def line_of(chain: str, content: bytes) -> bytes:
    """The line of a record with its own link."""
    return b"".join((_BEFORE, chain.encode(), _BETWEEN, content, _AFTER))


def segment_path(folder: Path, segment: int) -> Path:
    """The file that holds a segment."""
    return folder / f"episodes-{segment:05d}.jsonl"


def segment_of(count: int) -> int:
    """The segment of the line that comes after `count` others."""
    return count // LINES_PER_SEGMENT


def segments_of(folder: Path) -> list[Path]:
    """The files of episodes in order.

    Raises TamperedRun where one is missing or has a strange name.
    """
    found = sorted(folder.glob("episodes-*.jsonl"))
    for number, path in enumerate(found):
        if path != segment_path(folder, number):
            raise TamperedRun(
                f"{segment_path(folder, number)} is missing, but {path.name} is there"
            )
    return found


def read_chain(folder: Path, start: str, committed: int, planned: int) -> Iterator[Link]:
    """Check the lines of a run one by one; `start` is what the first one builds on.

    A last line without its end is what a kill leaves: it is passed over if more than `committed`
    lines can be there and fewer than `planned` are. Raises TamperedRun at any other line that does
    not follow.
    """
    chain, count = start, 0
    segments = segments_of(folder)
    for number, path in enumerate(segments):
        end = 0
        with path.open("rb") as lines:
            for at, line in enumerate(lines, start=1):
                is_torn = not line.endswith(b"\n") and number + 1 == len(segments)
                if is_torn and committed <= count < planned:
                    return
                chain = _checked(line, chain, path, at)
                count, end = count + 1, end + len(line)
                yield Link(line[_CONTENT_AT : -len(_AFTER)], chain, number, end, path, at)


def _checked(line: bytes, before: str, path: Path, at: int) -> str:
    """The link of a line that follows from the one before."""
    if not line.endswith(_AFTER):
        raise TamperedRun(f"{path} line {at} is not a whole record")
    if (line[:_LINK_AT], line[_BETWEEN_AT:_CONTENT_AT]) != (_BEFORE, _BETWEEN):
        raise TamperedRun(f"{path} line {at} is not a record of an episode")
    expected = next_link(before, line[_CONTENT_AT : -len(_AFTER)])
    if line[_LINK_AT:_BETWEEN_AT] != expected.encode():
        raise TamperedRun(f"{path} line {at} does not follow from the record before it")
    return expected


def texts_by_segment(lines: Sequence[bytes], count: int) -> Iterator[tuple[int, bytes]]:
    """Join lines that come after `count` others into one piece per segment."""
    start = 0
    while start < len(lines):
        segment, used = divmod(count + start, LINES_PER_SEGMENT)
        stop = start + LINES_PER_SEGMENT - used
        yield segment, b"".join(lines[start:stop])
        start = stop
