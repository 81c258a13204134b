"""What the clients of all worlds share: OpenEnv's client, and its twin without a socket."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, Self, TypeVar

from openenv.core.client_types import StepResult
from openenv.core.env_client import EnvClient
from openenv.core.env_server.types import Action, Observation, State

from revops_ma.adapters.conversation import Session, answer, write_json
from revops_ma.adapters.menu import Menu

A = TypeVar("A", bound=Action)
O = TypeVar("O", bound=Observation)  # noqa: E741 - the observation, as OpenEnv calls it


class GameClient(EnvClient[A | dict[str, Any], O, State], Generic[A, O]):
    """A session on a server; see OpenEnv's EnvClient for connecting, closing and containers.

    `reset` takes the arguments of the server's reset (seed, scenario, difficulty, task_id, crisis);
    `step` takes an action or a dict. What the server turns down is a RuntimeError with its code.
    """

    observes: ClassVar[type[Observation]]
    mount: ClassVar[str] = ""
    """Where the server has the world, below its address."""
    scenarios: ClassVar[tuple[str, ...]]
    """What a twin deals in turn."""

    def __init__(
        self,
        base_url: str | None = None,
        *,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        """Name the server; `token` is its bearer token."""
        sent = dict(headers or {})
        if token:
            sent["Authorization"] = f"Bearer {token}"
        super().__init__(base_url, headers=sent or None, **more)

    @classmethod
    def in_process(cls, *scenarios: str, **opponents: str) -> Self:
        """A client with the same interface whose game is played in this process.

        `scenarios` are dealt in turn where a reset names none; `opponents` names agents by role.
        """
        twin: Any = type(f"{cls.__name__}InProcess", (_InProcess, cls), {})
        return twin(Menu(scenarios or cls.scenarios, opponents))

    def _set_base_url(self, base_url: str) -> None:
        base = base_url.rstrip("/")
        super()._set_base_url(base if base.endswith(self.mount) else base + self.mount)

    def _step_payload(self, action: A | dict[str, Any]) -> dict[str, Any]:
        if isinstance(action, Mapping):
            return dict(action)
        return action.model_dump(exclude={"metadata"})

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[O]:
        reward, done = payload.get("reward"), payload.get("done", False)
        fields: dict[str, Any] = {**payload["observation"], "reward": reward, "done": done}
        observation: Any = self.observes(**fields)
        return StepResult(observation, reward, done, payload.get("metadata"))

    def _parse_state(self, payload: dict[str, Any]) -> State:
        return State(**payload)


class _InProcess:
    """Answers the messages of a client instead of sending them."""

    def __init__(self, menu: Menu) -> None:
        GameClient.__init__(self, "ws://in-process")  # ty: ignore[invalid-argument-type]
        self._session = Session(menu)

    async def _connect_async(self) -> Any:
        return self

    async def _disconnect_async(self) -> None:
        """A new connection is a new session."""
        self._session = Session(self._session.game.menu)

    async def _send_and_receive(self, message: dict[str, Any]) -> dict[str, Any]:
        response = await answer(self._session, json.dumps(message))
        data = json.loads(write_json(response or {}))
        if data.get("type") == "error":
            told = data["data"]
            raise RuntimeError(f"Server error: {told['message']} (code: {told['code']})")
        return data


class ToolSeat:
    """One session as an environment of TRL's `environment_factory`.

    Subclasses add the tools. TRL hands every column of a row to `reset`: those that the server
    knows are used. The server must allow as many sessions as a generation batch has rows.
    """

    _client: ClassVar[type[GameClient[Any, Any]]]
    _known: ClassVar[frozenset[str]] = frozenset(
        {"seed", "scenario", "difficulty", "task_id", "crisis"}
    )

    def __init__(self, base_url: str | None = None, *, token: str | None = None) -> None:
        """Sit down on a server; without an address in this process."""
        made = self._client(base_url, token=token) if base_url else self._client.in_process()
        self._env = made.sync()
        self._result: StepResult[Any] | None = None
        self._total = 0.0

    def reset(self, **row: Any) -> str:
        """Begin an episode and tell what the seat sees."""
        asked = {name: row[name] for name in self._known if row.get(name) is not None}
        self._result, self._total = self._env.reset(**asked), 0.0
        return self._result.observation.text

    def get_reward(self) -> float:
        """What the episode has paid so far."""
        return self._total

    def _play(self, action: dict[str, Any]) -> str:
        if self._result is None or self._result.done:
            return "The episode is over."
        try:
            self._result = self._env.step(action)
        except RuntimeError as error:
            return str(error)
        self._total += self._result.reward or 0.0
        if self._result.done:
            return f"The episode is over: {(self._result.metadata or {}).get('ending')}."
        return self._result.observation.text
