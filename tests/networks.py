"""Small networks and their cards for tests."""

from itertools import pairwise

import numpy as np

from revops_ma import catalog
from revops_ma.policies.network import Network
from revops_ma.policies.numeric import NumericAgent
from revops_ma.training.sampling import as_agent


def network(role="crisis", world="revops", seed=0, width=8, spread=0.5):
    """A network of random weights that fits a seat; its choices are far from even."""
    seat = catalog.world(world).roles[catalog.world(world).role_index(role)]
    random = np.random.default_rng(seed)
    inputs = seat.observation_space.shape[0]
    choices = int(np.prod(seat.training_space.nvec))

    def net(outputs):
        widths = [inputs, width, width, outputs]
        for before, after in pairwise(widths):
            yield random.normal(size=(before, after)).astype(np.float32) * np.float32(spread)
            yield random.normal(size=after).astype(np.float32) * np.float32(spread)

    scale = np.maximum(np.minimum(seat.observation_space.high.astype(float), 50_000.0), 1.0)
    sizes = seat.training_space.nvec.astype(np.int64)
    return Network(np.zeros(inputs), scale, sizes, tuple(net(choices)), tuple(net(1)))


def agent(role="crisis", name="small", **options) -> NumericAgent:
    """Such a network as an agent without a file."""
    return as_agent(network(role, **options), role, options.get("world", "revops"), name)


def write_card(folder, net, role="crisis", name="small", **more):
    """A card with its weights in a folder; the path of the card."""
    net.save(folder / f"{name}.npz")
    values = {
        "kind": "numeric",
        "world": "revops",
        "role": role,
        "weights": f"{name}.npz",
        "about": "A network of random weights, for tests.",
        **more,
    }
    card = folder / f"{name}.toml"
    card.write_text("".join(f'{key} = "{value}"\n' for key, value in values.items()))
    return card
