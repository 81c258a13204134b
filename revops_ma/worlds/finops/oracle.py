"""The oracle: knows the golden set, and plays it out on a copy under the desk's own rules."""

from __future__ import annotations

from revops_ma.worlds.finops.calls import Call
from revops_ma.worlds.finops.desk import WRITE_OF, Desk, Write
from revops_ma.worlds.finops.engine import serve
from revops_ma.worlds.finops.grading import WRITING_TOOL
from revops_ma.worlds.finops.tickets import Family

_ARGUMENT = {
    Family.REFUND: "invoice_id",
    Family.LOYALTY: "customer_id",
    Family.CROSSCHECK: "subscription_id",
}


def solves(desk: Desk) -> bool:
    """Whether raw score 1.0 can still be reached in the steps that remain, by playing it out.

    The desk is not changed. The world is taken to stay as it is.
    """
    copy = desk.copy()
    while copy.ending is None:
        serve(copy, next_call(copy))
    return copy.raw == 1.0


def next_call(desk: Desk) -> Call:
    """The oracle's next call: a write that is still owed, or `submit`.

    While the tool is down it tries again: that costs a step, as waiting does.
    """
    owed = _owed(desk)
    if not owed:
        return Call("submit")
    family = desk.ticket.family
    args = {_ARGUMENT[family]: owed[0]}
    if family is Family.LOYALTY:
        args["percent"] = desk.ticket.policy.percent
    return Call(WRITING_TOOL[family], args)


def _owed(desk: Desk) -> list[str]:
    """Ids still to be written: discounts at a wrong percent first, then what is missing."""
    kind = WRITE_OF[desk.ticket.family]
    written = desk.written(kind)
    missing = sorted(desk.golden - written)
    if kind is Write.REFUND:
        return [] if written else missing[:1]
    if kind is Write.CANCEL:
        return missing
    customers, percent = desk.tables.customers, desk.ticket.policy.percent
    return [
        found for found in sorted(written) if customers[found].discount_percent != percent
    ] + missing
