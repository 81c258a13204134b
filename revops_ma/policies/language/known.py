"""Answers that were given before: those of a recorded run, and those of an interrupted command."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from revops_ma.calls import Call, Tally
from revops_ma.errors import RunFailed
from revops_ma.policies.language.nearest import explain_miss
from revops_ma.policies.language.protocol import Response
from revops_ma.policies.language.recording import Question, call_from, request_hash, response_of
from revops_ma.run import CALLS, dumps, read_turns


class Answers:
    """The answers of a recorded run by key."""

    def __init__(self, run: Path) -> None:
        """Read a run; BadInput where it recorded no calls."""
        self._run = run
        self._exact: dict[str, Mapping[str, Any]] = {}
        self._loose: dict[tuple[str, str], Mapping[str, Any]] = {}
        for _, call in recorded_calls(run):
            response = call["response"]
            self._exact[call["key"]] = response
            self._loose.setdefault((call["request"], call["occurrence"]), response)

    def exactly(self, identity: str, question: Question, key: str) -> Response:
        """The answer to this very question; RunFailed, naming the nearest, if there is none."""
        return self._found(self._exact.get(key), identity, question)

    def loosely(self, identity: str, question: Question) -> Response:
        """The answer that any model gave in any matchup; RunFailed if there is none."""
        key = (request_hash(question.request), question.occurrence)
        return self._found(self._loose.get(key), identity, question)

    def _found(
        self, response: Mapping[str, Any] | None, identity: str, question: Question
    ) -> Response:
        if response is None:
            raise RunFailed(explain_miss(self._run, recorded_calls(self._run), identity, question))
        return response_of(response)


def recorded_calls(run: Path) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Every recorded call of a run with the turn it belongs to, in order."""
    for turn in read_turns(run):
        for call in turn["calls"]:
            yield turn, call


_answers: dict[tuple[Path, int, int], Answers] = {}
_journals: dict[tuple[Path, str], dict[str, Response]] = {}
_lock = threading.Lock()


def answers_of(run: Path) -> Answers:
    """The answers of a run, read once per process as long as its file stays the same."""
    path = run / CALLS
    stamp = path.stat() if path.is_file() else None
    key = (path.absolute(), stamp.st_size, stamp.st_mtime_ns) if stamp else (path, 0, 0)
    with _lock:
        if key not in _answers:
            _answers.clear()
            _answers[key] = Answers(run)
        return _answers[key]


def journal_of(path: Path, run: str) -> Mapping[str, Response]:
    """Answers by key that earlier commands got, read once per run and process."""
    with _lock:
        key = (path, run)
        if key not in _journals:
            _journals.clear()
            entries = read_journal(path)
            _journals[key] = {text["key"]: response_of(text["response"]) for text in entries}
        return _journals[key]


def spent_of(path: Path) -> Tally:
    """What the calls of a journal took."""
    tally = Tally()
    for text in read_journal(path):
        tally.add_call(call_from(text))
    return tally


def read_journal(path: Path) -> Iterator[Mapping[str, Any]]:
    """The calls of a journal; lines that a kill has torn are passed over."""
    if not path.is_file():
        return
    with path.open("rb") as lines:
        for line in lines:
            try:
                text = json.loads(line)
                call_from(text)
            except (ValueError, LookupError, TypeError):
                continue
            yield text


def append(path: Path, calls: Sequence[Call]) -> None:
    """Add calls to a journal: when this returns, a kill cannot take them away any more."""
    lines = "".join(dumps(call.text) + "\n" for call in calls)
    # One write to a file opened for appending: several processes may share a journal. A first
    # line end closes what a kill may have torn.
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(descriptor, b"\n" + lines.encode())
    finally:
        os.close(descriptor)
