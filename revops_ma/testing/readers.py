"""Readers that refuse garbage without raising."""

from __future__ import annotations

from typing import Any

import numpy as np

from revops_ma.game import Reply
from revops_ma.testing.expect import ContractBroken, equal, expect
from revops_ma.testing.lab import Lab, Wanderer, views_of
from revops_ma.testing.turns import check_outcome

GARBAGE_TEXTS = ("", "{", "I would rather not.", "[]", '{"x": 1}', "<think>", "{}{}", "\ufeff{}")
GARBAGE_OBJECTS = (None, 7, "text", [], {}, {"x": float("nan")}, {10**5000: [[]]}, {"kind": 1e999})


def check_garbage(lab: Lab) -> None:
    """Feed every reader of every role what is no move, then play what it made of it."""
    for index, role in enumerate(lab.scene.world.roles):
        sizes = role.training_space.nvec
        outside = np.array([sizes, sizes * 0 - 1, sizes * 0 + 2**40])
        _check_reader(lab, index, "discrete", outside)
        for reader, garbage in (("texts", GARBAGE_TEXTS), ("objects", GARBAGE_OBJECTS)):
            reply = _check_reader(lab, index, reader, garbage)
            what = f"positions that {role.name}.{reader} refuses of {len(garbage)} that are no move"
            equal(sorted(reply.refused), list(range(len(garbage))), what)


def _check_reader(lab: Lab, index: int, reader: str, garbage: Any) -> Reply:
    role = lab.scene.world.roles[index]
    try:
        reply: Reply = getattr(role, reader)(garbage)
    except Exception as error:
        raise ContractBroken(
            f"{role.name}.{reader} of what is no move: raised {error!r}; expected: a Refused"
        ) from error
    _check_read(lab, index, reply, len(garbage))
    return reply


def _check_read(lab: Lab, index: int, reply: Reply, count: int) -> None:
    """Check a reply to garbage, then play it."""
    role = lab.scene.world.roles[index]
    equal(len(reply.batch), count, f"moves of the {role.name} read")
    kinds, strengths = role.kind_of(reply.batch), role.strength_of(reply.batch)
    fits = (kinds < len(role.kinds())).all() and np.isfinite(strengths).all()
    expect(fits, f"kinds and strengths of the {role.name}", (kinds, strengths), "known, finite")
    for position in range(count):
        caption = role.caption(reply.batch, position)
        expect(bool(caption), f"caption of a move of the {role.name}", caption, "a few words")
    table = lab.table(range(count))
    for view in views_of(table):
        if view.role_index == index and len(view) == count:
            check_outcome(table.world, table.take(view, reply))
            return
        table.take(view, Wanderer().act(view))
