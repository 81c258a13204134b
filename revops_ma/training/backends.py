"""Where training is done: in this process, or with RLlib's Algorithm and its workers in Ray."""

from __future__ import annotations

import importlib.util
from typing import Any, Literal, Protocol

from revops_ma.errors import BadInput
from revops_ma.policies.network import Network
from revops_ma.training.plan import Plan
from revops_ma.training.recipe import Recipe
from revops_ma.training.sampling import Rollout, Sampler

BackendName = Literal["embedded", "ray"]


class Backend(Protocol):
    """A learner and those who play for it. Both kinds give the same bits."""

    @property
    def network(self) -> Network:
        """The weights that those who play have."""
        ...

    def iterate(self, plan: Plan) -> tuple[Rollout, dict[str, float]]:
        """Play the games of a plan and learn from them; figures of the learner."""
        ...

    def get_state(self) -> dict[str, Any]:
        """The learner's state."""
        ...

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from a learner's state, here and wherever games are played."""
        ...

    def close(self) -> None:
        """Give back what is held."""
        ...


def open_backend(
    name: str, sampler: Sampler, network: Network, recipe: Recipe, seed: int, workers: int
) -> Backend:
    """Build a backend; BadInput for one there is not or whose packages are not installed."""
    if name not in ("embedded", "ray"):
        raise BadInput.of("backend", name, "embedded, ray")
    if any(importlib.util.find_spec(module) is None for module in ("torch", "ray")):
        raise BadInput('training needs torch and ray: pip install "revops-ma[ray]"')
    if name == "embedded":
        from revops_ma.training.embedded import EmbeddedBackend

        return EmbeddedBackend(sampler, network, recipe, seed)
    from revops_ma.training.algorithm import RayBackend

    return RayBackend(sampler, network, recipe, seed, workers)
