"""A world as an OpenEnv environment, for OpenEnv's own server and tools.

    from openenv.core.env_server import create_app
    app = create_app(*openenv_parts(Menu(["revops/normal"])), max_concurrent_envs=64)

Importing this module loads OpenEnv, which takes seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, EnvironmentMetadata, Observation, State
from pydantic import ConfigDict

from revops_ma.adapters.menu import Menu
from revops_ma.adapters.served import Frame, ServedGame
from revops_ma.game import World

SEAT = 0
"""The seat that OpenEnv's clients take: it knows one agent per environment."""


class Move(Action):
    """An action that is read by the role, not by its model: what is no move is told, not raised."""

    model_config = ConfigDict(extra="allow")


class Seen(Observation):
    """The observation of a role, with the fields of its world."""

    model_config = ConfigDict(extra="allow")


class GameEnvironment(Environment[Move, Seen, State]):
    """One session of a menu as an Environment."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, menu: Menu) -> None:
        """Begin a session."""
        super().__init__()
        self.game = ServedGame(menu)

    def reset(self, seed: int | None = None, episode_id: str | None = None, **asked: Any) -> Seen:
        """Begin an episode; see `Menu.order` for the arguments."""
        return _seen(self.game.reset(seed=seed, episode_id=episode_id, **asked))

    def step(self, action: Move, timeout_s: float | None = None, **_: Any) -> Seen:
        """Play one action."""
        return _seen(self.game.step(action.model_dump()))

    @property
    def state(self) -> State:
        """Episode and steps, nothing else."""
        return State(**self.game.state)

    def get_metadata(self) -> EnvironmentMetadata:
        """What the environment is."""
        return metadata_of(self.game.menu)


def metadata_of(menu: Menu) -> EnvironmentMetadata:
    """Name and description of a menu's world."""
    about = " ".join((type(menu.world).__doc__ or menu.world.name).split())
    return EnvironmentMetadata(
        name=menu.world.name,
        description=f"{about} Scenarios: {', '.join(menu.scenarios)}.",
        version=str(menu.world.version),
    )


def openenv_parts(
    menu: Menu,
) -> tuple[Callable[[], GameEnvironment], type[Action], type[Observation]]:
    """What OpenEnv's servers want: a maker of environments, the models of action, observation."""

    def make() -> GameEnvironment:
        return GameEnvironment(menu)

    make.__name__ = menu.world.name
    action, observation = schemas_of(menu.world)
    return make, _described(Move, "Action", action), _described(Seen, "Observation", observation)


def schemas_of(world: World) -> tuple[dict[str, Any], dict[str, Any]]:
    """JSON schemas of action and observation."""
    return world.roles[SEAT].schema, world.observation_schema(SEAT)


def _described(base: type[Any], name: str, schema: dict[str, Any]) -> type[Any]:
    """A model that tells the world's own schema instead of its fields."""

    def tell(_: type[Any], *__: Any, **___: Any) -> dict[str, Any]:
        return {"title": name, **deepcopy(schema)}

    return type(name, (base,), {"__doc__": base.__doc__, "model_json_schema": classmethod(tell)})


def _seen(frame: Frame) -> Seen:
    fields = {**frame["observation"], "reward": frame["reward"], "done": frame["done"]}
    return Seen(**fields)
