"""Contract tests for worlds and agents, ours and other people's.

    from revops_ma.testing import check_agent, check_world

    check_world("revops/normal")
    check_agent("agents/mine.toml", "pilot", "revops/normal")

Both play a few games and raise ContractBroken at the first promise that does not hold. They need no
test framework; inside one, a call is a test.
"""

from revops_ma.testing.agent import check_agent
from revops_ma.testing.expect import ContractBroken
from revops_ma.testing.world import check_world

__all__ = ["ContractBroken", "check_agent", "check_world"]
