"""The tree of all sequences, walked depth first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from revops_ma.game import Agent, Flags, Games, Rows, World
from revops_ma.search.block import Block
from revops_ma.search.found import Found
from revops_ma.search.hunt import Hunt

PARENTS = 1_024
"""Games that branch side by side: their children's records fit the second-level cache."""
NODE_LIMIT = 20_000_000
"""Turns of the second role that a question may cost for one game before it is given up."""
BEAM = 64
"""Games per root that the quick search keeps: it finds bad ends to prune with."""


class Search:
    """Branch and bound for one agent of the first role.

    `turns` is the most turns that the second role can have, `strikes` how many of them may strike.
    """

    def __init__(
        self, world: World, agent: Agent, turns: int, strikes: int, node_limit: int = NODE_LIMIT
    ) -> None:
        """Ask the second role for its menu; BadInput where it has none."""
        self.world = world
        self.agent = agent
        self.turns = turns
        self.strikes = strikes
        self.node_limit = node_limit
        self.menu = world.roles[1].menu()

    def quick(self, games: Games, found: Found, width: int = BEAM) -> None:
        """Look at the `width` most promising games of each root at every turn: fast, no proof."""
        hunt = self._hunt(found)
        block = self._rooted(games)
        rows = hunt.advanced(block, np.arange(len(block)))
        while len(rows):
            hunt.bounded(block, rows)
            rows = block.narrowed(rows, width)
            struck, entries = self._children(rows[block.marks["left"][rows] > 0])
            parents = np.concatenate((rows, struck))
            entries = np.concatenate((np.zeros(len(rows), np.int8), entries))
            block = block.picked(parents, self.world)
            rows = np.arange(len(block))
            hunt.struck(block, rows, entries)
            rows = hunt.advanced(block, rows)

    def full(self, games: Games, found: Found) -> None:
        """Answer both questions for each root; what is found already prunes.

        A root without a known loss is searched for one first: where there is none every game was
        played, so its lowest return is known as well.
        """
        found.undecided[:] = False
        self._exhaust(games, self._hunt(found, wants_loss=True), ~found.losable)
        found.open_bound[:] = np.inf
        left = found.losable | found.undecided
        self._exhaust(games, self._hunt(found), left)

    def lowest(self, games: Games, found: Found) -> None:
        """Search the lowest return of each root and leave open whether it can be made to lose."""
        found.open_bound[:] = np.inf
        self._exhaust(games, self._hunt(found), found.nodes >= 0)

    def _exhaust(self, games: Games, hunt: Hunt, roots: Flags) -> None:
        rows = np.flatnonzero(roots)
        if len(rows):
            block = self._rooted(games).picked(rows, self.world)
            self._descend(hunt, block, hunt.advanced(block, np.arange(len(block))))

    def _descend(self, hunt: Hunt, block: Block, rows: Rows) -> None:
        """Search everything below some games that wait for the second role."""
        while len(rows := hunt.hopeful(block, rows)):
            left = block.marks["left"][rows]
            if hunt.coast is not None:
                # The last strike and what follows it need no records: one loop plays them all.
                hunt.finished(block, rows[left == 1], hunt.coast, slice(1, None))
                hunt.finished(block, rows[left <= 0], hunt.coast, slice(0, 1))
                rows, able = rows[left > 0], rows[left > 1]
            else:
                able = rows[left > 0]
            for start in range(0, len(able), PARENTS):
                part = able[start : start + PARENTS]
                self._below(hunt, block, part[hunt.wanted(block.marks[part])])
            if len(rows):
                hunt.passed(block, rows)
                rows = hunt.advanced(block, rows)

    def _below(self, hunt: Hunt, block: Block, rows: Rows) -> None:
        """Search everything that may follow a strike in some games."""
        if len(rows):
            parents, entries = self._children(rows)
            children = block.picked(parents, self.world)
            every = np.arange(len(children))
            hunt.struck(children, every, entries)
            self._descend(hunt, children, hunt.advanced(children, every))

    def _rooted(self, games: Games) -> Block:
        return Block.rooted(games, self.world, self.turns, self.strikes)

    def _hunt(self, found: Found, *, wants_loss: bool = False) -> Hunt:
        return Hunt(self.world, self.agent, self.menu, found, self.node_limit, wants_loss)

    def _children(self, rows: Rows) -> tuple[Rows, NDArray[np.int8]]:
        """Every strike of the menu in each of the rows: which row, which entry."""
        strikes = np.arange(1, len(self.menu), dtype=np.int8)
        return np.repeat(rows, len(strikes)), np.tile(strikes, len(rows))
