"""Snapshots: agents of a league as they were, never to change again.

    DIR/agents/league/<name>.npz, <name>.toml

The files are cards of the catalog (`REVOPS_MA_PATH=DIR`: `league/pilot-03`) and read-only; a round
keeps the hash of the weights of each, and weights that do not have it are refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from revops_ma.catalog import Scenario
from revops_ma.errors import RunFailed
from revops_ma.policies.network import Network, load
from revops_ma.policies.numeric import NumericAgent
from revops_ma.training.sampling import as_agent
from revops_ma.training.trained import Trained

FOLDER = "agents/league"
_READ_ONLY = 0o444


@dataclass(frozen=True)
class Snapshot:
    """An agent of the league."""

    name: str
    role: str
    network: Network
    agent: NumericAgent

    @property
    def digest(self) -> str:
        """Hash of the weights."""
        return self.network.digest


class Snapshots:
    """The snapshots of one directory."""

    def __init__(self, folder: Path, scenario: Scenario) -> None:
        self.folder, self.scenario = folder / FOLDER, scenario

    def add(self, name: str, trained: Trained) -> Snapshot:
        """Write an agent; RunFailed where another one has the name."""
        path = self.folder / f"{name}.npz"
        if path.with_suffix(".toml").is_file():  # it is written last
            return self.get(name, trained.role, trained.network.digest)
        trained.save(self.folder, name)
        for each in (path, path.with_suffix(".toml")):
            each.chmod(_READ_ONLY)
        return self._made(name, trained.role, trained.network)

    def get(self, name: str, role: str, digest: str) -> Snapshot:
        """Read an agent; RunFailed for weights that are not those it had."""
        world = self.scenario.world
        path = self.folder / f"{name}.npz"
        network = load(path, world.roles[world.role_index(role)])
        if network.digest != digest:
            raise RunFailed(
                f"{path} has changed since it was written: weights {network.digest}, expected"
                f" {digest}; a league's agents are immutable, begin anew in another directory"
            )
        return self._made(name, role, network)

    def _made(self, name: str, role: str, network: Network) -> Snapshot:
        # Its card says no more than who it is: equal weights have equal identities in all runs.
        agent = as_agent(network, role, self.scenario.world.name, name)
        return Snapshot(name, role, network, agent)
