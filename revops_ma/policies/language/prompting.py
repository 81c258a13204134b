"""From a view to the questions for a model: the card's prompt, past turns, the text of the role."""

from __future__ import annotations

from revops_ma.game import Refused, View
from revops_ma.policies.language.protocol import Message, Request, Settings

LUCK_LANE = 31
"""Lane of the role's own luck that names a turn: keyed by game and turn, the same in any order."""
_LUCK_BITS = 53
SAID = 2_000
"""Characters of a refused answer that its author is shown again."""


def requests_of(
    view: View, system: str, settings: Settings, memory: int, *, sees_all: bool
) -> list[Request]:
    """One question per game of the view; `memory` past turns come before the present one."""
    schema = view.role.schema
    told = view.texts
    if sees_all:
        told = [
            f"{text}\n\nHidden figures:\n{secret}" if secret else text
            for text, secret in zip(told, view.secret_texts, strict=True)
        ]
    return [
        Request(
            (Message("system", system), *_past(view, at, memory), Message("user", text)),
            schema,
            settings,
        )
        for at, text in enumerate(told)
    ]


def turn_names(view: View) -> list[str]:
    """A name per game that tells this turn of the role from every other, in any game."""
    luck = (view.luck(LUCK_LANE) * 2.0**_LUCK_BITS).astype("uint64")
    return [f"{bits:014x}" for bits in luck.tolist()]


def once_more(request: Request, answer: str, refused: Refused) -> Request:
    """The question again, after an answer that was refused."""
    why = f"{refused.reason}: {refused.detail}" if refused.detail else refused.reason
    again = (
        f"That answer was refused ({why}). Answer again with exactly one JSON object that fits the"
        " schema, and nothing else."
    )
    said = Message("assistant", answer[:SAID])
    messages = (*request.messages, said, Message("user", again))
    return Request(messages, request.schema, request.settings)


def _past(view: View, position: int, memory: int) -> list[Message]:
    messages = []
    for turn in view.past(position, memory):
        messages += [Message("user", turn.text), Message("assistant", turn.said)]
    return messages
