"""The tokens of a tokenizer as a tree of characters, and which of them an automaton allows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from string import printable
from typing import Any

from revops_ma.errors import BadInput
from revops_ma.policies.language.local.automaton import DEAD, Automaton

_ANCHOR = "x"
"""Token before each token that is decoded: alone, some tokenizers strip its leading blank."""
_SPELLED = frozenset(printable[:95])
"""Characters that can be written: printable ASCII."""


@dataclass(slots=True)
class _Node:
    children: dict[str, _Node] = field(default_factory=dict)
    tokens: list[int] = field(default_factory=list)


class Vocabulary:
    """Tokens by their characters. Special tokens and those beyond printable ASCII are left out."""

    def __init__(self, tokenizer: Any) -> None:
        """Decode every token once; BadInput for a tokenizer that cannot spell."""
        self.texts: dict[int, str] = dict(_texts(tokenizer))
        self._root = _Node()
        for token, text in self.texts.items():
            node = self._root
            for char in text:
                node = node.children.setdefault(char, _Node())
            node.tokens.append(token)
        spelled = {char for char, node in self._root.children.items() if node.tokens}
        if missing := _SPELLED - spelled:
            raise BadInput(
                f"constrained = true needs a token for every printable character; this tokenizer"
                f" has none for {' '.join(sorted(missing))[:40]}; set constrained = false"
            )

    def allowed(self, automaton: Automaton, state: int) -> list[int]:
        """Tokens after which the text can still become one that the automaton allows."""
        key = (id(self), state)
        if key not in automaton.notes:
            automaton.notes[key] = sorted(_walk(self._root, automaton, state))
        return automaton.notes[key]


def _walk(node: _Node, automaton: Automaton, state: int) -> Iterator[int]:
    yield from node.tokens
    for char, child in node.children.items():
        after = automaton.step(state, char)
        if after != DEAD:
            yield from _walk(child, automaton, after)


def _texts(tokenizer: Any) -> Iterator[tuple[int, str]]:
    (anchor,) = tokenizer(_ANCHOR, add_special_tokens=False)["input_ids"][-1:]
    special = set(tokenizer.all_special_ids)
    tokens = [token for token in range(len(tokenizer)) if token not in special]
    shown = tokenizer.batch_decode(
        [[anchor, token] for token in tokens], clean_up_tokenization_spaces=False
    )
    start = len(tokenizer.decode([anchor], clean_up_tokenization_spaces=False))
    for token, text in zip(tokens, shown, strict=True):
        if text[start:] and _SPELLED.issuperset(text[start:]):
            yield token, text[start:]
