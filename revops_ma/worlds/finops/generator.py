"""Where tickets come from: fixed ones, your own, or dealt from a seed and accepted after a trial.

A dealt ticket is accepted only if the reference player, which sees no more than any pilot, scores
raw 1.0 within the budget, and each of the four thoughtless players stays below the card's ceiling.
Otherwise the next attempt of the same seed is dealt: the same seed always gives the same ticket.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from revops_ma.errors import BadInput
from revops_ma.worlds.finops.bots.reference import optimal_call
from revops_ma.worlds.finops.bots.thoughtless import THOUGHTLESS
from revops_ma.worlds.finops.calls import Call
from revops_ma.worlds.finops.desk import PILOT_SALT, Desk, Rules, open_desk
from revops_ma.worlds.finops.dice import Dice
from revops_ma.worlds.finops.engine import serve
from revops_ma.worlds.finops.families import DEALERS
from revops_ma.worlds.finops.grading import refresh, reported
from revops_ma.worlds.finops.oracle import solves
from revops_ma.worlds.finops.seen import Seen, seen
from revops_ma.worlds.finops.settings import GeneratorSettings, Settings
from revops_ma.worlds.finops.tickets import Ticket, TicketData, fixed_tasks

MAX_ATTEMPTS = 200
"""Tickets dealt for one seed before the settings are called impossible."""

Decide = Callable[[Seen, Callable[[int], float]], Call]
"""A player as a function of what it has been shown and of its luck at a lane."""


def ticket_for(settings: Settings, seed: int) -> Ticket:
    """The ticket of a seed."""
    if settings.generate is not None:
        return accepted_ticket(settings.generate, seed)
    if settings.own is not None:
        return _own_ticket(settings.own)
    name = settings.task or ""
    return fixed_tasks()[name].named(name)


def _own_ticket(data: TicketData) -> Ticket:
    """The ticket of a card; BadInput if nobody could solve it."""
    ticket = data.named("own")
    desk = open_desk(ticket, Rules(), 0)
    refresh(desk)
    if not solves(desk):
        golden = ", ".join(sorted(desk.golden)) or "nothing"
        raise BadInput(
            f"[rules.own]: nobody can solve it; its rule wants {golden} in {ticket.max_steps}"
            " steps. Mend its policy, rows or max_steps"
        )
    return ticket


@lru_cache(maxsize=4096)
def accepted_ticket(settings: GeneratorSettings, seed: int) -> Ticket:
    """The first ticket of a seed that passes the trial; BadInput if none of 200 does."""
    for attempt in range(MAX_ATTEMPTS):
        task_id = f"{settings.family}-{seed}"
        ticket = DEALERS[settings.family](settings, Dice(seed, attempt), task_id)
        if is_fair(ticket, seed, settings.ceiling):
            return ticket
    raise BadInput.of(
        f"[rules.generate] for {settings.family}",
        settings.model_dump(),
        f"settings that give a fair ticket within {MAX_ATTEMPTS} attempts;"
        " raise the ceiling or the size, or lower golden",
    )


def is_fair(ticket: Ticket, seed: int, ceiling: float) -> bool:
    """Whether the reference solves the ticket and every thoughtless player stays below a score."""
    if play_alone(ticket, seed, lambda shown, _: optimal_call(shown)).raw != 1.0:
        return False
    return all(
        reported(play_alone(ticket, seed, decide).raw) < ceiling for decide in THOUGHTLESS.values()
    )


def play_alone(ticket: Ticket, seed: int, decide: Decide) -> Desk:
    """Play a ticket to its end without a crisis side, with the luck that its seed gives a pilot."""
    desk = open_desk(ticket, Rules(), seed)
    refresh(desk)
    while desk.ending is None:
        serve(desk, decide(seen(desk), lambda lane: desk.uniform(PILOT_SALT, lane)))
    return desk
