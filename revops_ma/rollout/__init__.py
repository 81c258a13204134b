"""Matchups in, episodes out. One interface; backends differ only in where the work is done."""

from revops_ma.rollout.embedded import EmbeddedPool
from revops_ma.rollout.matchup import Matchup, seat
from revops_ma.rollout.recorded import play_again, rules_of

__all__ = ["EmbeddedPool", "Matchup", "play_again", "rules_of", "seat"]
