"""Why a question is not in a recorded run: the nearest one that is, and where the two part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from revops_ma.policies.language.protocol import Request
from revops_ma.policies.language.recording import Question, settings_of

SHOWN = 120
"""Characters of a line that are shown."""

Recorded = tuple[Mapping[str, Any], Mapping[str, Any]]


def explain_miss(run: Path, calls: Iterable[Recorded], identity: str, question: Question) -> str:
    """One line: what was asked, the nearest recorded question, and the first difference."""
    asked = f"{run} holds no answer to this question of {question.matchup or 'an agent'}"
    nearest = _nearest(calls, question)
    if nearest is None:
        return f"{asked}; it holds no calls at all"
    turn, call = nearest
    return (
        f"{asked}; the nearest one is of {turn['matchup']}, seed {turn['seed']}, {turn['role']}:"
        f" {_difference(turn, call, identity, question)}"
    )


def _nearest(calls: Iterable[Recorded], question: Question) -> Recorded | None:
    """The recorded call that is most alike; one of the same game and turn goes first."""
    best, best_score = None, (-1, -1.0)
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(_last(question.request))
    for turn, call in calls:
        same = (call["occurrence"] == question.occurrence) + (turn["matchup"] == question.matchup)
        if same < best_score[0]:
            continue
        matcher.set_seq1(call["messages"][-1][1])
        score = (same, matcher.quick_ratio())
        if score > best_score:
            best, best_score = (turn, call), score
    return best


def _difference(
    turn: Mapping[str, Any], call: Mapping[str, Any], identity: str, question: Question
) -> str:
    """The first thing that is not the same."""
    request = question.request
    for what, recorded, asked in (
        ("provider", call["provider"], identity),
        ("settings", call["settings"], settings_of(request)),
        ("matchup", turn["matchup"], question.matchup),
        ("number of messages", len(call["messages"]), len(request.messages)),
    ):
        if recorded != asked:
            return f"its {what} is {recorded!r}, not {asked!r}"
    for (_, recorded), message in zip(call["messages"], request.messages, strict=True):
        if recorded != message.text:
            return f"its {message.role} message has {_lines(recorded, message.text)}"
    if call["occurrence"] != question.occurrence:
        return "it was asked in another turn or of another seed"
    return "the schema of the answer is another one"


def _lines(recorded: str, asked: str) -> str:
    """The first line in which two texts differ."""
    one, other = recorded.splitlines(), asked.splitlines()
    for mine, yours in zip(one, other, strict=False):
        if mine != yours:
            return f"{mine[:SHOWN]!r} where {yours[:SHOWN]!r} is asked"
    return f"{len(one)} lines, not {len(other)}"


def _last(request: Request) -> str:
    return request.messages[-1].text
