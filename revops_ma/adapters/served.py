"""One visitor's game: a seat of a world, played over messages. Knows no framework and no network.

A frame, what reset and step give, is `{"observation", "reward", "done", "metadata"}`, strict JSON.
The observation carries the world's own fields and the metadata once more, as OpenEnv's clients
expect it.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from revops_ma.adapters.info import figures
from revops_ma.adapters.menu import Menu, Order, is_slow
from revops_ma.adapters.problem import Problem
from revops_ma.adapters.seat import Seat
from revops_ma.episode import moves_of
from revops_ma.game import OVER, Reply
from revops_ma.luck import check_seed
from revops_ma.reading import read_object
from revops_ma.table import Turn

Frame = dict[str, Any]

YOU = "you"
"""Who plays the seat of a session, in its own words."""

_AROUND = frozenset({"action", "timeout_s", "request_id", "metadata"})
"""Keys of a wrapped action."""


class ServedGame:
    """What one session plays: at most one episode at a time, each dealt from the menu."""

    def __init__(self, menu: Menu) -> None:
        """Begin with no episode."""
        self.menu = menu
        self.seat: Seat | None = None
        self.names: Mapping[str, str] = {}
        self.episode_id: str | None = None
        self.hands: list[str] = []
        """Who made each move of the seat: the visitor, or an agent that stood in."""
        self.total = 0.0
        """Rewards of the seat in this episode."""
        self.steps = 0
        """Scored steps of this episode."""
        self.episodes = 0
        """Begun so far; counts through the menu's rotation."""

    def order(self, asked: object) -> Order:
        """Check reset arguments; Problem where they are wrong. Changes nothing."""
        return self.menu.order({} if asked is None else asked, self.episodes)

    def begin(self, order: Order) -> Frame:
        """Begin the episode of an order; the one being played is given up."""
        self.abandon()
        order.seat.deal([check_seed(order.seed)])
        return self.take_up(order)

    def take_up(self, order: Order, hands: Sequence[str] = ()) -> Frame:
        """Go on with a game that was dealt already; `hands` made the moves so far."""
        self.seat, self.names, self.hands = order.seat, order.names, list(hands)
        self.episode_id = order.episode_id or uuid.uuid4().hex
        self.episodes += 1
        self.total = float(order.seat.table.returns[0, order.seat.index])
        self.steps = int(order.seat.table.steps[0])
        return self._frame(None, None, 0)

    def read(self, message: object) -> Reply:
        """Read an action; Problem where it is no move at all or none is due. Changes nothing."""
        seat = self.playing()
        if self.is_over:
            raise Problem("episode_over", "the episode is over: reset to begin another one")
        reply = seat.role.objects([_action_in(message)])
        refused = reply.refused.get(0)
        if refused is not None and refused.reason in seat.role.malformed:
            what = f"{refused.reason} {refused.detail}".strip()
            raise Problem(
                "protocol", f"this is no move of the {seat.role.name}: {what}; see /schema"
            )
        return reply

    def play(self, reply: Reply, by: str = YOU) -> Frame:
        """Play a move and everything up to the next one."""
        seat = self.playing()
        self.hands.append(by)
        seat.outcomes.clear()
        since = len(seat.table.log)
        reward = float(seat.play(reply)[0])
        self.total += reward
        self.steps += sum(bool(outcome.scored[0]) for outcome in seat.outcomes)
        return self._frame(reward, reply, since + 1)

    def again(self) -> tuple[Order, int, list[list[Any]]]:
        """A fresh seat at this game's table, with its seed and all moves so far, to play on."""
        seat = self.playing()
        fresh = Seat(seat.scenario, seat.role.name, seat.players)
        moves = moves_of(seat.table)[0]
        return Order(fresh, self.names, seat.table.seeds[0], None), seat.table.seeds[0], moves

    def reset(self, **asked: Any) -> Frame:
        """Begin an episode; see `Menu.order` for the arguments."""
        return self.begin(self.order(asked))

    def step(self, action: object) -> Frame:
        """Play one action."""
        return self.play(self.read(action))

    def playing(self) -> Seat:
        """The seat; Problem where there is no episode."""
        if self.seat is None:
            raise Problem("no_episode", "there is no episode: reset first")
        return self.seat

    def abandon(self) -> None:
        """Give up the episode: there is none until the next reset."""
        self.seat = self.episode_id = None

    @property
    def is_slow(self) -> bool:
        """Whether an opponent may take long."""
        return self.seat is not None and any(map(is_slow, self.seat.players.values()))

    @property
    def is_over(self) -> bool:
        """Whether the episode has ended."""
        if self.seat is None:
            return False
        return self.seat.world.to_move(self.seat.table.games).item(0) == OVER

    @property
    def state(self) -> dict[str, Any]:
        """Episode and steps; nothing of the game itself, since every client may ask for it."""
        steps = 0 if self.seat is None else self.steps
        return {"episode_id": self.episode_id, "step_count": steps}

    def _frame(self, reward: float | None, reply: Reply | None, since: int) -> Frame:
        """What the seat is told; `since` is the first turn of the log that it has not seen."""
        seat = self.playing()
        over = self.is_over
        metadata = self._metadata(seat, reply, since, over=over)
        observation = seat.world.observation(seat.table.games, 0, seat.index)
        return {
            "observation": {**observation, "metadata": metadata},
            "reward": reward,
            "done": over,
            "metadata": metadata,
        }

    def _metadata(
        self, seat: Seat, reply: Reply | None, since: int, *, over: bool
    ) -> dict[str, Any]:
        table = seat.table
        refused = reply.refused.get(0) if reply else None
        told: dict[str, Any] = {
            "episode_id": self.episode_id,
            "scenario": seat.scenario.name,
            "seat": seat.role.name,
            "opponents": dict(self.names),
            "seed": table.seeds[0],
            "step": self.steps,
            "cumulative_reward": self.total,
            "reward_breakdown": breakdown(seat),
            "refused": refused.reason if refused else None,
            "refused_detail": refused.detail if refused else "",
            "notes": list(reply.notes.get(0, ())) if reply else [],
            "events": [event(seat, turn) for turn in table.log[since:] if turn.role != seat.index],
        }
        if over:
            known = figures(table, len(table.log))
            facts = seat.world.facts(table.games, table.rows)
            told |= {"ending": known["ending"], "won": known["won"]}
            told["facts"] = {name: float(values[0]) for name, values in facts.items()}
        return told


def breakdown(seat: Seat) -> dict[str, float]:
    """Weighted parts of the first role's latest reward by name; empty before the first."""
    for turn in reversed(seat.table.log):
        if turn.outcome.scored[0]:
            signals = turn.outcome.signals[0].tolist()
            return dict(zip(seat.world.signals, signals, strict=True))
    return {}


def event(seat: Seat, turn: Turn) -> dict[str, Any]:
    """A turn of somebody else: who did what, how hard, and the words that came with it."""
    role = seat.world.roles[turn.role]
    played = turn.outcome.played
    return {
        "role": role.name,
        "source": seat.players[role.name].name if role.name in seat.players else YOU,
        "move": role.caption(played, 0),
        "kind": kind_name(role, played),
        "strength": float(role.strength_of(played)[0]),
        "text": words_of(role, turn.batch),
    }


def kind_name(role: Any, batch: Any) -> str | None:
    """Name of a move's kind, None where it is none of them."""
    index = int(role.kind_of(batch)[0])
    return role.kinds()[index] if index >= 0 else None


def words_of(role: Any, batch: Any) -> str:
    """The description that came with a move, "" where there was none."""
    spelled = role.spell(batch, 0)
    if '"description"' not in spelled:
        return ""
    found = read_object(spelled)
    words = found[0].get("description", "") if isinstance(found, tuple) else ""
    return words if isinstance(words, str) else ""


def _action_in(message: object) -> object:
    """The move of a flat or wrapped message; the metadata of OpenEnv's actions is no part of it."""
    if isinstance(message, Mapping) and "action" in message and set(message) <= _AROUND:
        message = message["action"]
    if isinstance(message, Mapping):
        return {key: value for key, value in message.items() if key != "metadata"}
    return message
