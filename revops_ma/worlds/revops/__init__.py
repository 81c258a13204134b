"""The company world: a B2B SaaS company against a crisis engine (rules version 1)."""

from revops_ma.worlds.revops.world import WORLD

__all__ = ["WORLD"]
