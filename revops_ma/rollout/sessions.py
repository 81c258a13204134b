"""Games whose caller holds one seat: all of them wait, all of them are answered, turn by turn.

    with pool.sessions("revops/normal", "pilot", {"crisis": "rule-based"}, [7, 7, 7, 8, 8, 8]) as s:
        while len(waiting := s.waiting):
            s.step(waiting.ids, model(waiting.texts))
        returns = [episode.returns["pilot"] for episode in s.episodes]

Workers hold the worlds and the other seats. A seed that is opened G times gives G equal games, that
differ only by what the caller does in them. Sessions of a worker that dies are dealt anew and
brought to where they stood by the moves of both sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from revops_ma.episode import Episode
from revops_ma.errors import BadInput, ClosedView
from revops_ma.game import Reply
from revops_ma.rollout.board import Board, Told, Waiting
from revops_ma.rollout.channel import REDOS, Channel, Died
from revops_ma.rollout.held import Spec, check_specs
from revops_ma.rollout.messages import Orders, Seated
from revops_ma.rollout.worker import Answer, Missing


class Sessions:
    """N games by id, 0 to N - 1, in the order of their specs. Open them with a pool."""

    def __init__(self, channel: Channel, specs: Sequence[Spec]) -> None:
        """Open them and play all up to the caller's first turn.

        Raises BadInput where the specs do not hold the same role of the same world.
        """
        self.role = check_specs(specs)
        """The held role: it reads texts, JSON objects and integers into a Reply."""
        self.specs = list(specs)
        self._board = Board(self.specs)
        self._channel = channel
        self._key = channel.new_key()
        self._is_open = True
        ids = range(len(self.specs))
        # A worker that dies here is met again, as one that knows nothing, in the next call.
        channel.call({at: self._opening(at) for at in self._by_worker(ids)})
        self._turn(Orders(ids))

    def __len__(self) -> int:
        """Give the number of sessions, ended ones too."""
        return len(self.specs)

    @property
    def waiting(self) -> Waiting:
        """What all sessions see that wait for a move; of length 0 once all have ended."""
        return self._board.waiting

    @property
    def episodes(self) -> list[Episode | None]:
        """[N] record of each session with moves and digest, None while it is played."""
        return list(self._board.episodes)

    def step(
        self, ids: Sequence[int] | NDArray[np.integer], replies: Reply | Sequence[str]
    ) -> Told:
        """Answer some of the waiting sessions; play on until each waits again or has ended.

        `replies` has one move per id, in their order: texts that the role reads, or a Reply made by
        `role.objects`, `role.discrete` or an agent.

        Raises ClosedView for a session that has ended, BadInput for an id that is unknown or
        doubled, and for another number of moves than of ids. Nothing is played then.
        """
        sessions = self._checked(ids)
        reply = replies if isinstance(replies, Reply) else self.role.texts(list(replies))
        if len(reply.batch) != len(sessions):
            raise BadInput.of("moves", len(reply.batch), f"{len(sessions)}, one a session")
        if sessions:
            self._turn(Orders.of(sessions, self.role, reply))
        return self._board.told(sessions)

    def close(self) -> None:
        """Let the workers forget the sessions; what has been told can still be read."""
        if self._is_open:
            self._is_open = False
            everywhere = range(min(self._channel.workers, len(self)))
            self._channel.call(dict.fromkeys(everywhere, ("drop", self._key)))

    def __enter__(self) -> Sessions:
        """Close on the way out."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close."""
        self.close()

    def _checked(self, ids: Sequence[int] | NDArray[np.integer]) -> list[int]:
        sessions = [int(each) for each in ids]
        if not self._is_open:
            raise ClosedView("these sessions were closed; open new ones")
        if len(set(sessions)) < len(sessions):
            raise BadInput.of("ids of sessions", sessions, "each one once")
        for each in sessions:
            if not 0 <= each < len(self):
                raise BadInput.of("id of a session", each, f"0 to {len(self) - 1}")
            if self._board.is_over(each):
                raise ClosedView(f"session {each} has ended; see `episodes`")
        return sessions

    def _by_worker(self, ids: Sequence[int]) -> dict[int, list[int]]:
        """Positions in `ids` by the worker that hosts them."""
        places: dict[int, list[int]] = {}
        for at, session in enumerate(ids):
            places.setdefault(session % self._channel.workers, []).append(at)
        return places

    def _turn(self, orders: Orders) -> None:
        parts = {at: orders.part(those) for at, those in self._by_worker(orders.ids).items()}
        answers = self._channel.call({at: self._stepping(part) for at, part in parts.items()})
        for worker, part in parts.items():
            self._settle(worker, part, answers[worker])

    def _settle(self, worker: int, orders: Orders, answer: Answer | Died, deaths: int = 0) -> None:
        """Take an answer; where there is none, bring the sessions back and ask again."""
        while isinstance(answer, Died) or isinstance(answer.value, Missing):
            deaths += 1
            reason = answer.reason if isinstance(answer, Died) else "the worker was started anew"
            if deaths > REDOS:
                self._divide(worker, orders, reason)
                return
            answer = self._ask_again(worker, orders)
        for report in answer.value:
            self._board.note(report)

    def _divide(self, worker: int, orders: Orders, reason: str) -> None:
        """Find the session that kills its workers, and give only that one up."""
        if len(orders) == 1:
            self._board.fail(orders.ids[0], f"worker died: {reason}")
            return
        for half in orders.halves():
            self._settle(worker, half, self._ask_again(worker, half), deaths=REDOS)

    def _ask_again(self, worker: int, orders: Orders) -> Answer | Died:
        # Even a worker that is still alive deals anew: it may have played what it did not answer.
        self._channel.revive(worker)
        opened = self._channel.call({worker: self._opening(worker)})[worker]
        if isinstance(opened, Died):
            return opened
        return self._channel.call({worker: self._stepping(orders)})[worker]

    def _opening(self, worker: int) -> tuple[str, int, Seated]:
        """The call that deals the sessions of a worker that have not ended."""
        board = self._board
        ids = range(worker, len(self), self._channel.workers)
        live = [each for each in ids if not board.is_over(each)]
        helds = list({id(self.specs[each].held): self.specs[each].held for each in live}.values())
        number = {id(held): at for at, held in enumerate(helds)}
        seated = Seated(
            helds=helds,
            ids=live,
            tables=[number[id(self.specs[each].held)] for each in live],
            seeds=[self.specs[each].seed for each in live],
            pasts=[board.pasts[each] for each in live],
        )
        return "open", self._key, seated

    def _stepping(self, orders: Orders) -> tuple[str, int, Orders]:
        return "step", self._key, orders
