"""The tokenizer of a tiny model: a plain tokenizer.json that makes ~30 tokens of a dashboard.

Every digit of every figure has tokens of its own place, so that a sum of embeddings already is a
linear function of the figures. An answer is one token per field of the move, and the end.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from revops_ma.errors import BadInput
from revops_ma.training.pilot_grpo.frame import Frame, Slot

PAD, END, UNKNOWN = "<pad>", "<end>", "<unk>"
LEVELS = 10
"""Steps into which a bounded number of a move is cut."""
TEMPLATE = (
    "{% for message in messages %}{% if message['role'] == 'user' %}{{ message['content'] }}"
    "{% elif message['role'] == 'assistant' %}{{ message['content'] }}{{ eos_token }}"
    "{% endif %}{% endfor %}"
)
"""A tiny model reads the dashboard and nothing else: no system message, no names of roles."""


def answer_fields(schema: dict[str, Any]) -> list[list[str]]:
    """Pieces of text of each field of a move, in order; one of each makes a whole JSON answer."""
    fields = [
        (name, values)
        for name, rule in schema["properties"].items()
        if name in schema["required"] and (values := _values(rule))
    ]
    if {name for name, _ in fields} != set(schema["required"]):
        raise BadInput("a tiny model needs moves of enums and bounded numbers; use --model smollm2")
    last = len(fields) - 1
    return [
        [
            f"{', ' if at else '{'}{json.dumps(name)}: {value}{'}' if at == last else ''}"
            for value in values
        ]
        for at, (name, values) in enumerate(fields)
    ]


def _values(rule: dict[str, Any]) -> list[str]:
    if "enum" in rule:
        return [json.dumps(value) for value in rule["enum"]]
    if not {"minimum", "maximum"} <= rule.keys():
        return []
    low, high = rule["minimum"], rule["maximum"]
    return [json.dumps(round(low + (high - low) * at / (LEVELS - 1), 4)) for at in range(LEVELS)]


def tokenizer_of(frame: Frame, fields: Sequence[Sequence[str]]) -> PreTrainedTokenizerFast:
    """Build the tokenizer of a frame whose answers are made of these pieces."""
    words = [PAD, END, UNKNOWN, *(token for slot in frame.slots for token in _tokens(slot))]
    made = Tokenizer(models.WordLevel({word: at for at, word in enumerate(words)}, UNKNOWN))
    marks = "".join(sorted({word[0] for word in words[3:]}))
    made.normalizer = normalizers.Sequence(list(_rules(frame)))
    made.pre_tokenizer = pre_tokenizers.Split(Regex(f"[{marks}]."), "isolated")
    made.decoder = decoders.Fuse()
    made.add_tokens([AddedToken(piece, normalized=False) for field in fields for piece in field])
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token=PAD, eos_token=END, unk_token=UNKNOWN, padding_side="left"
    )
    wrapped.chat_template = TEMPLATE
    return wrapped


def place_of(slot: Slot, digit: int) -> str:
    """Mark of one digit of a number; the first one is the mark of the slot itself."""
    return chr(ord(slot.mark) + digit)


def sign_of(slot: Slot) -> str:
    """Mark of the sign of a number."""
    return chr(ord(slot.mark) + 9)


def word_of(slot: Slot, at: int) -> str:
    """Token of one word of a list."""
    return slot.mark + chr(ord("A") + at)


def _tokens(slot: Slot) -> Iterator[str]:
    if slot.words:
        yield from (word_of(slot, at) for at in range(len(slot.words)))
        return
    if slot.signed:
        yield from (sign_of(slot) + sign for sign in "+-")
    for digit, value in product(range(slot.kept), range(10)):
        yield f"{place_of(slot, digit)}{value}"


def _rules(frame: Frame) -> Iterator[Any]:
    """Replace glue by marks, then bring every value to its fixed form."""
    if frame.tail:
        yield normalizers.Replace(frame.tail, "")
    for slot in frame.slots:
        yield normalizers.Replace(slot.glue, slot.mark)
    yield normalizers.Replace(Regex(r"(?<=\d),(?=\d)"), "")
    for slot in frame.slots:
        yield from _word_rules(slot) if slot.words else _number_rules(slot)


def _word_rules(slot: Slot) -> Iterator[Any]:
    for at, word in enumerate(slot.words):
        yield normalizers.Replace(slot.mark + word, word_of(slot, at))


def _number_rules(slot: Slot) -> Iterator[Any]:
    mark = slot.mark
    if slot.signed:
        sign = sign_of(slot)
        yield normalizers.Replace(f"{mark}-", f"{sign}-{mark}")
        yield normalizers.Replace(Regex(f"(?<!-){mark}"), f"{sign}+{mark}")
    yield normalizers.Replace(
        Regex(rf"{mark}\d{{{slot.whole + 1},}}(?!\d)"), mark + "9" * slot.whole
    )
    for digits in range(1, slot.whole):
        zeros = "0" * (slot.whole - digits)
        yield normalizers.Replace(Regex(rf"{mark}(?=\d{{{digits}}}(?!\d))"), mark + zeros)
    yield normalizers.Replace(Regex(rf"(?<={mark}\d{{{slot.whole}}})\.(?=\d)"), "")
    yield normalizers.Replace(Regex(rf"(?<={mark}\d{{{slot.kept}}})\d+"), "")
    for digit in range(1, slot.kept):
        before, here = place_of(slot, digit - 1), place_of(slot, digit)
        yield normalizers.Replace(Regex(rf"(?<={before}\d)(?=\d)"), here)
