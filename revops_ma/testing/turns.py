"""What every view and every outcome must keep."""

from __future__ import annotations

from typing import Any

import numpy as np

from revops_ma.game import View, World
from revops_ma.testing.expect import equal, expect


def check_view(view: View) -> None:
    """Shapes, types and bounds of what an agent may read."""
    role, n = view.role, len(view)
    numbers, mask, texts = view.numbers, view.mask, view.texts
    equal(numbers.shape, (n, *role.observation_space.shape), f"shape of the {role.name}'s numbers")
    equal(numbers.dtype, np.dtype(np.float64), f"dtype of the {role.name}'s numbers")
    rounded = view.world.observe32(*view.secrets(), view.role_index)
    equal(rounded.dtype, np.dtype(np.float32), f"dtype of the {role.name}'s observe32")
    equal(rounded.tolist(), numbers.astype(np.float32).tolist(), f"the {role.name}'s observe32")
    for line in rounded:
        fits = role.observation_space.contains(line)
        expect(fits, f"numbers of the {role.name}", line.tolist(), "inside observation_space")
    equal(mask.shape, (n, len(role.kinds())), f"shape of the {role.name}'s mask")
    equal(mask.dtype, np.dtype(np.bool_), f"dtype of the {role.name}'s mask")
    named = len(texts) == n and all(isinstance(text, str) and text.strip() for text in texts)
    expect(named, f"texts of the {role.name}", texts, f"{n} texts")
    luck = view.luck(0)
    fits = luck.shape == (n,) and ((luck >= 0) & (luck < 1)).all()
    expect(fits, f"luck of the {role.name}", luck, f"{n} numbers in [0, 1)")


def check_outcome(world: World, outcome: Any) -> None:
    """Shapes, types and sums of what moves came to."""
    n = len(outcome.rows)
    rewards, signals = outcome.rewards, outcome.signals
    equal(rewards.shape, (n, len(world.roles)), "shape of rewards")
    expect(np.isfinite(rewards).all(), "rewards", rewards.tolist(), "finite numbers")
    paid = [outcome.paid(position) for position in range(n)]
    equal(paid, rewards.tolist(), "paid of each position, against rewards")
    if len(world.roles) == 2:
        equal(rewards.sum(axis=1).tolist(), [0.0] * n, "sum of both roles' rewards")
    for name in ("scored", "ended"):
        flags = getattr(outcome, name)
        equal((flags.shape, flags.dtype), ((n,), np.dtype(np.bool_)), f"shape and dtype of {name}")
    unpaid = rewards[~outcome.scored]
    expect(not unpaid.any(), "rewards where nothing was scored", unpaid.tolist(), "zeros")
    equal(signals.shape, (n, len(world.signals)), "shape of signals")
    total = np.zeros(n)
    for part in signals.T:
        total = total + part
    equal(total.tolist(), rewards[:, 0].tolist(), "signals, summed left to right")
    equal(len(outcome.played), n, "moves played")
