"""One question of a search: playing turns, noting ends, cutting what cannot matter."""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from revops_ma.game import OVER, Agent, Batch, Coast, Flags, Rows, View, World
from revops_ma.search.block import Block
from revops_ma.search.found import Found

_PASS = 0


@dataclass(slots=True)
class Hunt:
    """One question being asked: plays turns, notes ends, says which games are worth going on."""

    world: World
    agent: Agent
    """Plays the first role."""
    menu: Batch
    """Moves of the second role; the first one passes."""
    found: Found
    allowance: InitVar[int]
    """Nodes that each root may cost."""
    wants_loss: bool
    """Whether a loss is looked for; else the lowest return."""
    allowed: NDArray[np.int64] = field(init=False)
    """Nodes of each root after which its search is given up."""
    coast: Coast | None = field(init=False)
    """Compiled loop for last strikes."""

    def __post_init__(self, allowance: int) -> None:
        """Give every root its allowance of nodes."""
        self.allowed = self.found.nodes + allowance
        self.coast = self.world.coaster(self.agent)

    def struck(self, block: Block, rows: Rows, entries: NDArray[np.int8]) -> None:
        """Let the second role play menu entries in some games."""
        marks = block.marks
        marks["path"][rows, marks["turn"][rows]] = entries
        marks["left"][rows] -= entries != _PASS
        self._played(block, rows, self.menu[entries])

    def passed(self, block: Block, rows: Rows) -> None:
        """Let the second role pass in some games: what a path says where nothing is written."""
        self._played(block, rows, self.menu[np.zeros(len(rows), np.int8)])

    def _played(self, block: Block, rows: Rows, moves: Batch) -> None:
        marks = block.marks
        marks["turn"][rows] += 1
        self._count(marks["root"][rows])
        outcome = self.world.apply(block.games, rows, 1, moves)
        marks["returns"][rows] += outcome.rewards[:, 0]

    def _count(self, roots: Rows, each: int = 1) -> None:
        self.found.nodes += each * np.bincount(roots, minlength=len(self.found.nodes))

    def advanced(self, block: Block, rows: Rows) -> Rows:
        """Let the agent play until the second role is to move; note ends, give who waits."""
        world, returns = self.world, block.marks["returns"]
        while True:
            turns = world.to_move(block.games)[rows]
            moving = rows[turns == 0]
            if not len(moving):
                break
            reply = self.agent.act(View(world, block.games, moving, 0))
            outcome = world.apply(block.games, moving, 0, reply.batch)
            returns[moving] += outcome.rewards[:, 0]
        self._note(block, rows[turns == OVER])
        return rows[turns == 1]

    def _note(self, block: Block, ended: Rows) -> None:
        """Keep the worst of some games that are over."""
        if len(ended):
            marks = block.marks
            lost = ~self.world.won(block.games, ended)
            self.found.keep(
                marks["root"][ended], marks["returns"][ended], lost, marks["path"][ended]
            )

    def finished(self, block: Block, rows: Rows, coast: Coast, entries: slice) -> None:
        """Play some menu entries as the last moves of games, and note the ends."""
        if not len(rows):
            return
        marks, moves = block.marks, self.menu[entries]
        returns = np.repeat(marks["returns"][rows][:, None], len(moves), axis=1)
        lost = np.zeros(returns.shape, np.bool_)
        coast(block.games, rows, moves, returns, lost)
        self._count(marks["root"][rows], len(moves))
        worst = returns.argmin(axis=1)
        paths = marks["path"][rows]
        paths[np.arange(len(rows)), marks["turn"][rows]] = worst + (entries.start or 0)
        self.found.keep(marks["root"][rows], returns.min(axis=1), lost.max(axis=1), paths)

    def bounded(self, block: Block, rows: Rows) -> None:
        """Work out below what no game can end."""
        marks = block.marks
        least = self.world.least(block.games, rows, marks["left"][rows])
        marks["floor"][rows] = marks["returns"][rows] + least

    def wanted(self, marks: Any) -> Flags:
        """Whether games can still change the answer, by what is known now."""
        if self.wants_loss:
            return ~self.found.losable[marks["root"]]
        return marks["floor"] < self.found.lowest[marks["root"]]

    def hopeful(self, block: Block, rows: Rows) -> Rows:
        """Cut what cannot change the answer and what is over the limit; most promising first."""
        if not len(rows):
            return rows
        if not self.wants_loss:
            self.bounded(block, rows)
        found, roots = self.found, block.marks["root"][rows]
        wanted = self.wanted(block.marks[rows])
        over = found.nodes[roots] > self.allowed[roots]
        if over.any():
            self._give_up(block, rows[wanted & over])
            wanted &= ~over
        rows = rows[wanted]
        if self.wants_loss:
            return rows
        return rows[np.argsort(block.marks["floor"][rows], kind="stable")]

    def _give_up(self, block: Block, rows: Rows) -> None:
        roots = block.marks["root"][rows]
        if self.wants_loss:
            self.found.undecided[roots] = True
        else:
            np.minimum.at(self.found.open_bound, roots, block.marks["floor"][rows])
