"""Scripted play as examples of texts and answers, to clone from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from revops_ma.catalog import Scenario
from revops_ma.game import Agent, Reply, Role, View
from revops_ma.table import Table, play
from revops_ma.training.pilot_grpo.tokens import answer_fields

NOISE_LANE, MOVE_LANES = 40, (41, 42, 43, 44)
"""Lanes of the role's own luck that say whether a turn is noise, and which move it is then."""


@dataclass(frozen=True)
class Example:
    """What a pilot was told, and what it answered."""

    text: str
    answer: str


@dataclass
class Demonstrator:
    """A teacher that is watched; some turns are played at random instead.

    Random moves are learned as well (`noise`, a deliberately bad teacher) or only played, so that
    the teacher is seen getting out of bad states (`stray`).
    """

    teacher: Agent
    noise: float = 0.0
    stray: float = 0.0
    seen: list[Example] = field(default_factory=list)

    is_slow = False

    @property
    def name(self) -> str:
        """Name of the teacher."""
        return self.teacher.name

    @property
    def identity(self) -> str:
        """Teacher and shares of random moves."""
        return f"{self.teacher.identity}+{self.noise}+{self.stray}"

    def act(self, view: View) -> Reply:
        """Ask the teacher, note what it says, play that or a random move."""
        texts, luck = view.texts, view.luck(NOISE_LANE)
        random = view.role.discrete(_random_moves(view))
        taught = self.teacher.act(view)
        is_noise = luck < self.noise
        is_stray = (luck >= self.noise) & (luck < self.noise + self.stray)
        learned = _mixed(taught.batch, random.batch, is_noise)
        answers = canonical(view.role, learned)
        self.seen += [Example(*pair) for pair in zip(texts, answers, strict=True)]
        return Reply(_mixed(learned, random.batch, is_stray))

    def seated(self, scenario: Any, players: Any) -> Agent:
        """Seat the teacher."""
        return replace(self, teacher=self.teacher.seated(scenario, players))


def demonstrate(
    demonstrator: Demonstrator,
    scenario: Scenario,
    role: str,
    opponents: Sequence[Agent],
    seeds: Sequence[int],
) -> list[Example]:
    """Examples of a teacher's play on all seeds, shared out among the opponents."""
    examples: list[Example] = []
    for at, opponent in enumerate(opponents):
        mine = seeds[at :: len(opponents)]
        other = next(one.name for one in scenario.world.roles if one.name != role)
        players: dict[str, Agent] = {role: demonstrator, other: opponent}
        seated = {name: agent.seated(scenario, players) for name, agent in players.items()}
        play(Table(scenario.world, scenario.settings, mine), seated)
        watched = seated[role]
        assert isinstance(watched, Demonstrator)
        examples += watched.seen
    return examples


def canonical(role: Role, batch: Any) -> list[str]:
    """Moves as the JSON texts that answers are made of, numbers at the nearest of their levels."""
    names = [name for name in role.schema["properties"] if name in role.schema["required"]]
    fields = dict(zip(names, answer_fields(role.schema), strict=True))
    known: dict[str, str] = {}
    answers = []
    for position in range(len(batch)):
        said = role.spell(batch, position)
        if said not in known:
            known[said] = _nearest(fields, json.loads(said))
        answers.append(known[said])
    return answers


def _nearest(fields: dict[str, list[str]], said: dict[str, Any]) -> str:
    return "".join(
        min(pieces, key=lambda piece: _distance(piece, name, said[name]))
        for name, pieces in fields.items()
    )


def _distance(piece: str, name: str, said: Any) -> float:
    value = json.loads("{" + piece.strip("{}, ") + "}")[name]
    return float(value != said) if isinstance(said, str) else abs(value - said)


def _random_moves(view: View) -> Any:
    sizes = view.role.training_space.nvec
    lanes = MOVE_LANES[: len(sizes)]
    drawn = [view.luck(lane) * size for lane, size in zip(lanes, sizes, strict=True)]
    return np.stack(drawn, axis=1).astype(np.int64)


def _mixed(batch: Any, other: Any, takes: Any) -> Any:
    mixed = batch.copy()
    mixed[takes] = other[takes]
    return mixed
