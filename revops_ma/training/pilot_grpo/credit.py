"""Credit assignment: from what whole episodes earned to one advantage per turn. Pure functions.

The scheme decides what is learned. Everything here sees episodes that the model played alone to
their end; `bandit` is the one that does not look ahead, and it is kept to show what that does.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from revops_ma.game import Floats

TINY = 1e-4
"""Added to a deviation before it divides, as TRL does."""


class Credit(StrEnum):
    """How a turn is judged."""

    GAE = "gae"
    """By what followed, against what a learned baseline expected of the dashboard."""
    TRAJECTORY = "trajectory"
    """By the return of its whole episode, against the other episodes of its group."""
    RETURN_TO_GO = "return_to_go"
    """By the return from here on, against the group's episodes in the same turn."""
    EPISODE = "episode"
    """As `trajectory`, but an episode counts the same however many turns it has."""
    BANDIT = "bandit"
    """By its own reward alone, against the group in the same turn."""


WARNINGS = {
    Credit.BANDIT: (
        "bandit scores single turns: its training reward may rise while the model, playing alone,"
        " gets worse. It is kept for teaching; look at validation, not at the reward."
    )
}


def advantages_of(
    credit: Credit,
    rewards: Sequence[Floats],
    groups: Sequence[int],
    values: Sequence[Floats] | None = None,
    *,
    gamma: float = 0.99,
    lambda_: float = 0.95,
) -> list[Floats]:
    """One advantage per turn of each episode.

    `rewards` has [T] per episode, `groups` says which episodes had the same deal, luck and
    opponent, `values` has [T] per episode of what the baseline expected (`gae` only).
    """
    if credit is Credit.GAE:
        assert values is not None
        return [gae(*pair, gamma, lambda_) for pair in zip(rewards, values, strict=True)]
    if credit is Credit.RETURN_TO_GO:
        return against_group([to_go(each, gamma) for each in rewards], groups)
    if credit is Credit.BANDIT:
        return against_group(rewards, groups)
    totals = against_group([each.sum(keepdims=True) for each in rewards], groups)
    whole = [np.full(len(each), total[0]) for each, total in zip(rewards, totals, strict=True)]
    if credit is Credit.TRAJECTORY:
        return whole
    turns = float(np.mean([len(each) for each in rewards])) if rewards else 1.0
    return [each * turns / max(len(each), 1) for each in whole]


def gae(rewards: Floats, values: Floats, gamma: float, lambda_: float) -> Floats:
    """[T] generalised advantages (Schulman 2015) of one episode that ended for good."""
    found = np.zeros(len(rewards))
    ahead = next_value = 0.0
    for turn in range(len(rewards) - 1, -1, -1):
        surprise = rewards[turn] + gamma * next_value - values[turn]
        ahead = surprise + gamma * lambda_ * ahead
        next_value = values[turn]
        found[turn] = ahead
    return found


def to_go(rewards: Floats, gamma: float) -> Floats:
    """[T] discounted return from each turn on."""
    return gae(rewards, np.zeros(len(rewards)), gamma, 1.0)


def against_group(scores: Sequence[Floats], groups: Sequence[int]) -> list[Floats]:
    """Each score, less the group's mean in the same turn, over its deviation.

    An episode that is alone in a turn, because the others have ended, has nothing to be compared
    with there and gets 0; so does a group whose members all have the same score.
    """
    found = [np.zeros(len(each)) for each in scores]
    for group in sorted(set(groups)):
        members = [at for at, its in enumerate(groups) if its == group]
        for turn in range(max(len(scores[at]) for at in members)):
            there = [at for at in members if turn < len(scores[at])]
            column = np.array([scores[at][turn] for at in there])
            if len(there) > 1:
                told = (column - column.mean()) / (column.std(ddof=1) + TINY)
                for at, score in zip(there, told.tolist(), strict=True):
                    found[at][turn] = score
    return found


def share_without_variance(returns: Sequence[float], groups: Sequence[int]) -> float:
    """Share of the groups whose episodes all returned the same: nothing can be learned of them."""
    by_group: dict[int, list[float]] = {}
    for group, value in zip(groups, returns, strict=True):
        by_group.setdefault(group, []).append(value)
    flat = [max(values) - min(values) < TINY for values in by_group.values()]
    return sum(flat) / len(flat) if flat else 1.0
