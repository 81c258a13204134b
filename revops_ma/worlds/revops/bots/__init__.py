"""Scripted players of the company world: `pilot_<bot>` and `crisis_<bot>`, named by cards."""

from revops_ma.worlds.revops.bots.constant import best_constant as crisis_best_constant
from revops_ma.worlds.revops.bots.constant import constant_action as pilot_constant
from revops_ma.worlds.revops.bots.constant import constant_crisis as crisis_constant
from revops_ma.worlds.revops.bots.constant import no_crisis as crisis_none
from revops_ma.worlds.revops.bots.constant import no_decision as pilot_do_nothing
from revops_ma.worlds.revops.bots.engine import lookahead as crisis_lookahead
from revops_ma.worlds.revops.bots.engine import rule_based as crisis_rule_based
from revops_ma.worlds.revops.bots.exact import exact as crisis_exact
from revops_ma.worlds.revops.bots.heuristic import heuristic as pilot_heuristic
from revops_ma.worlds.revops.bots.hunter import hunter as crisis_hunter
from revops_ma.worlds.revops.bots.planner import planner as pilot_planner
from revops_ma.worlds.revops.bots.random import random_action as pilot_random
from revops_ma.worlds.revops.bots.random import random_crisis as crisis_random

__all__ = [
    "crisis_best_constant",
    "crisis_constant",
    "crisis_exact",
    "crisis_hunter",
    "crisis_lookahead",
    "crisis_none",
    "crisis_random",
    "crisis_rule_based",
    "pilot_constant",
    "pilot_do_nothing",
    "pilot_heuristic",
    "pilot_planner",
    "pilot_random",
]
