"""Scripted players of the support desk: `pilot_<bot>` and `crisis_<bot>`, named by cards."""

from revops_ma.worlds.finops.bots.crises import late_invoice as crisis_late_invoice
from revops_ma.worlds.finops.bots.crises import no_crisis as crisis_none
from revops_ma.worlds.finops.bots.crises import random_crisis as crisis_random
from revops_ma.worlds.finops.bots.crises import worst as crisis_worst
from revops_ma.worlds.finops.bots.reference import careful as pilot_careful
from revops_ma.worlds.finops.bots.reference import optimal as pilot_optimal
from revops_ma.worlds.finops.bots.thoughtless import do_nothing as pilot_do_nothing
from revops_ma.worlds.finops.bots.thoughtless import random_pilot as pilot_random
from revops_ma.worlds.finops.bots.thoughtless import shotgun as pilot_shotgun
from revops_ma.worlds.finops.bots.thoughtless import submit_at_once as pilot_submit_at_once

__all__ = [
    "crisis_late_invoice",
    "crisis_none",
    "crisis_random",
    "crisis_worst",
    "pilot_careful",
    "pilot_do_nothing",
    "pilot_optimal",
    "pilot_random",
    "pilot_shotgun",
    "pilot_submit_at_once",
]
