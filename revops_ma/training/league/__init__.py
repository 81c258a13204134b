"""Self-play: a league in which each side is trained against what the other has become.

Policy-space response oracles (Lanctot et al. 2017): a population per seat, a payoff matrix between
them, a meta-strategy over the population, and training as the oracle that answers it. The engines
of a round are fresh best responses to the newest pilot, so what they leave it is at once a bound on
how exploitable it is; the pilot is trained on against a mixture of all engines and of scripts.

    settings = Settings(rounds=8, mixing="uniform", seed=0)
    story = play_league(catalog.scenario("revops/normal"), settings, Path("runs/league"))
    story.strongest.worst_survival

Agents are immutable snapshots told apart by the hash of their weights. An opponent takes its seat
when a game is dealt and keeps it to the end. Everything is keyed by seed and counted in iterations:
a run that was killed goes on to the same result. torch and ray are imported when training begins.
"""

from revops_ma.training.league.league import play_league
from revops_ma.training.league.settings import MIXINGS, Mixing, Settings
from revops_ma.training.league.story import Story

__all__ = ["MIXINGS", "Mixing", "Settings", "Story", "play_league"]
