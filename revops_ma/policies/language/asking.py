"""Between an agent and its provider: answers that are known already, limits, the journal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from revops_ma.calls import Call
from revops_ma.policies.language import known
from revops_ma.policies.language.conduct import Conduct
from revops_ma.policies.language.protocol import Provider, Response
from revops_ma.policies.language.recording import Question, call_of, key_of
from revops_ma.policies.language.replay import Replay
from revops_ma.policies.language.spending import Limits, Meter, meter_of


@dataclass(frozen=True)
class Asker:
    """Asks a provider on behalf of one agent, as the run wants it."""

    provider: Provider
    conduct: Conduct
    limits: Limits
    chunk: int
    """Most questions at a time while there are limits to keep."""

    def ask(self, questions: Sequence[Question]) -> list[tuple[Response, Call]]:
        """Answer every question, in order, from what is recorded or live.

        Raises LimitReached, RunFailed for a question that a recorded run does not hold, and
        BadInput where the provider cannot be asked at all.
        """
        keys = [key_of(self.provider.identity, question) for question in questions]
        found = self._known(questions, keys)
        missing = [at for at, response in enumerate(found) if response is None]
        for part in self._parts(missing):
            answers = self.provider.complete([questions[at].request for at in part])
            for at, answer in zip(part, answers, strict=True):
                found[at] = answer
            self._note(
                [
                    self._call(questions[at], keys[at], answer)
                    for at, answer in zip(part, answers, strict=True)
                ]
            )
        return [
            (response, self._call(question, key, response))
            for question, key, response in zip(questions, keys, found, strict=True)
            if response is not None
        ]

    def _known(self, questions: Sequence[Question], keys: Sequence[str]) -> list[Response | None]:
        """What is recorded of the questions."""
        source, identity = self._source, self.provider.identity
        if source is not None:
            answers = known.answers_of(source)
            if isinstance(self.provider, Replay):
                return [answers.loosely(identity, question) for question in questions]
            return [answers.exactly(identity, *pair) for pair in zip(questions, keys, strict=True)]
        if self.conduct.journal is not None:
            journal = known.journal_of(self.conduct.journal, self.conduct.run)
            return [journal.get(key) for key in keys]
        return [None] * len(keys)

    @property
    def _source(self) -> Path | None:
        return self.provider.run if isinstance(self.provider, Replay) else self.conduct.source

    def _parts(self, missing: Sequence[int]) -> Iterator[Sequence[int]]:
        """Cut what has to be asked into batches, checking the limits before each."""
        if not missing:
            return
        self.provider.check()
        size = self.chunk if self.limits.are_set else len(missing)
        start = 0
        while start < len(missing):
            self._meter.check(self.limits)
            room = self._meter.room(self.limits)
            part = missing[start : start + (size if room is None else min(size, room))]
            yield part
            start += len(part)

    @property
    def _meter(self) -> Meter:
        return meter_of(self.conduct.run or self.provider.identity, self.conduct.spent)

    def _note(self, calls: Sequence[Call]) -> None:
        self._meter.add(calls)
        if self.conduct.journal is not None:
            known.append(self.conduct.journal, calls)

    def _call(self, question: Question, key: str, response: Response) -> Call:
        keeps = self.conduct.keep or self.conduct.journal is not None
        return call_of(self.provider.identity, question, key, response, with_text=keeps)
