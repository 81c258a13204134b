"""Self-play: a league in which each side is trained against what the other has become.

Policy-space response oracles (Lanctot et al. 2017): a population per seat, a payoff matrix between
them, a meta-strategy over the population, and training as the oracle that answers it. The engines
of a round are fresh best responses to the newest pilot, so what they leave it is at once a bound on
how exploitable it is. The pilot is trained on against scripts, a mixture of all engines, and
sparring partners: engines that learn on against it before each part of its training.

    settings = Settings(rounds=8, mixing="uniform", seed=0)
    story = play_league(catalog.scenario("revops/normal"), settings, Path("runs/league"))
    story.strongest.worst_survival

Agents are immutable snapshots told apart by the hash of their weights; a partner that has learnt on
is another one. An opponent takes its seat when a game is dealt and keeps it to the end. Everything
is keyed by seed and counted in iterations: a run that was killed goes on to the same result. torch
and ray are imported when training begins.
"""

from revops_ma.training.league.league import play_league
from revops_ma.training.league.settings import MIXINGS, Mixing, Settings
from revops_ma.training.league.story import Story

__all__ = ["MIXINGS", "Mixing", "Settings", "Story", "play_league"]
