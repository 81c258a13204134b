"""`calls.jsonl`: what models were asked and answered, beside the records of a run.

A line is `{"episode":<number>,"turn":<what a seat was asked in one turn>}`, in the order of the
episodes and of their turns. The record of an episode holds the hash of its lines, so the chain of
the records covers them. Lines are written before the record they belong to: after a kill there may
be more of them than records, never fewer, and those are cut off when the run is resumed.

`calls.journal.jsonl` holds every answer as it came, in games that are not finished too. An
interrupted run reads it, so nothing is asked and paid twice; a complete run has none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from revops_ma.calls import transcript_text
from revops_ma.episode import Episode
from revops_ma.errors import BadInput
from revops_ma.run.chain import TamperedRun

CALLS = "calls.jsonl"
JOURNAL = "calls.journal.jsonl"
_BEFORE, _BETWEEN, _AFTER = b'{"episode":', b',"turn":', b"}\n"


def call_lines(first: int, episodes: Sequence[Episode]) -> bytes:
    """The lines of episodes that are numbered from `first` on."""
    lines = []
    for number, episode in enumerate(episodes, start=first):
        head = _BEFORE + str(number).encode() + _BETWEEN
        lines += [head + transcript_text(turn).encode() + _AFTER for turn in episode.asked]
    return b"".join(lines)


def size_of_calls(folder: Path, done: Sequence[Episode]) -> int:
    """How many bytes of the file belong to the first episodes of a run.

    Raises TamperedRun where their lines are not those that the records name.
    """
    expected = [episode.transcript for episode in done]
    size, hashes = 0, [hashlib.blake2b(digest_size=8) for _ in expected]
    counted = [False] * len(expected)
    for number, text, end in _lines(folder / CALLS):
        if number >= len(expected):
            break
        hashes[number].update(text)
        counted[number], size = True, end
    for number, transcript in enumerate(expected):
        found = hashes[number].hexdigest() if counted[number] else ""
        if found != transcript:
            raise TamperedRun(
                f"{folder / CALLS} does not hold the calls of episode {number} as its record says"
            )
    return size


def read_turns(folder: Path) -> Iterator[Mapping[str, Any]]:
    """Every recorded turn of a run, in order.

    Raises BadInput where the run keeps none, TamperedRun at a line that cannot be read.
    """
    path = folder / CALLS
    if not path.is_file():
        raise BadInput(
            f"{folder} holds no recorded calls: there is no {CALLS};"
            " record them with `--out DIR --calls record`"
        )
    for number, text, _ in _lines(path):
        try:
            yield json.loads(text)
        except ValueError:
            raise TamperedRun(f"{path}: a call of episode {number} is not readable") from None


def _lines(path: Path) -> Iterator[tuple[int, bytes, int]]:
    """Episode number, text and end of every whole line; a torn or strange one ends it."""
    if not path.is_file():
        return
    end = 0
    with path.open("rb") as lines:
        for line in lines:
            number, between, text = line.removeprefix(_BEFORE).partition(_BETWEEN)
            if not (between and line.endswith(_AFTER) and number.isdigit()):
                return
            end += len(line)
            yield int(number), text[: -len(_AFTER)], end
