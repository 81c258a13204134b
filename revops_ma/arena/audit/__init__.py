"""The integrity certificate: an environment's claims, run as checks that can fail.

    audit.py         a scenario -> its claims -> a Certificate
    lab.py           plays matchups for the claims, each once
    measure.py       claim -> Finding, by the type of the claim
    rewards, sameness, strength, openloop, ladder, usage      one family of checks each

What is claimed stands with the world (`revops_ma/worlds/<name>/claims.py`); nothing here knows one.
"""

from revops_ma.arena.audit.audit import audit
from revops_ma.arena.audit.certificate import Certificate, Check

__all__ = ["Certificate", "Check", "audit"]
