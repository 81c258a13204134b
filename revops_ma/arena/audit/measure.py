"""How a claim is measured: one function per type of claim, registered by its family."""

from __future__ import annotations

from functools import singledispatch

from revops_ma.arena.audit.lab import Laboratory
from revops_ma.claims import Claim, Finding, Measured


@singledispatch
def measure(claim: Claim, lab: Laboratory) -> Finding:
    """Measure a claim in a laboratory."""
    raise TypeError(f"no family of checks measures {type(claim).__name__}: {claim.name}")


@measure.register
def _(claim: Measured, lab: Laboratory) -> Finding:
    return claim.measure(lab)
