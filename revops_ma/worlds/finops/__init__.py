"""The support desk world: billing tickets worked through tools, with an adversary (version 1)."""

from revops_ma.worlds.finops.world import WORLD

__all__ = ["WORLD"]
