"""Name -> card -> object: the only reader of agents/ and scenarios/.

Cards are looked for in the folders of REVOPS_MA_PATH, then in the checkout, then in the copy that
ships with the wheel; the first that has the name wins. Worlds and kinds of agents are found by
convention: `revops_ma.worlds.<name>.WORLD` and `revops_ma.policies.<kind>.make`.
"""

from __future__ import annotations

import importlib
import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from revops_ma.cards import AgentCard, Card, ScenarioCard
from revops_ma.errors import BadInput, CardError, UnknownName
from revops_ma.game import Agent, World

PATH_VARIABLE = "REVOPS_MA_PATH"
"""Folders (separated like PATH) that hold agents/ and scenarios/ of your own."""

AnyCard = TypeVar("AnyCard", bound=Card)

_SCENARIO: TypeAdapter[ScenarioCard] = TypeAdapter(ScenarioCard)
_AGENT: TypeAdapter[AgentCard] = TypeAdapter(AgentCard)


@dataclass(frozen=True)
class Scenario:
    """A scenario that can be played: its card, its world, its checked settings."""

    card: ScenarioCard
    world: World
    settings: Any

    @property
    def name(self) -> str:
        """Name of the card."""
        return self.card.name

    @cached_property
    def identity(self) -> str:
        """Equal for scenarios whose games are the same: world, rules version, settings."""
        # What a card may leave out is left out here too: new options keep old identities.
        settings = self.settings.model_dump_json(exclude_none=True)
        return f"{self.world.name} v{self.world.version} {settings}"


def world(name: str) -> World:
    """Import a world by the name of its folder."""
    if name not in worlds():
        raise UnknownName.among("world", name, worlds(), "Add revops_ma/worlds/<name>/.")
    found: World = importlib.import_module(f"revops_ma.worlds.{name}").WORLD
    return found


def worlds() -> list[str]:
    """Names of all worlds, sorted."""
    folder = Path(__file__).parent / "worlds"
    return sorted(path.parent.name for path in folder.glob("[a-z]*/__init__.py"))


def scenarios() -> list[ScenarioCard]:
    """All scenario cards, sorted by name."""
    return list(_all_cards("scenarios", _SCENARIO))


def agents() -> list[AgentCard]:
    """All agent cards, sorted by name."""
    return list(_all_cards("agents", _AGENT))


def scenario(name: str | Path) -> Scenario:
    """Make a scenario from a card's name or the path of a .toml file."""
    card = _find("scenario", "scenarios", str(name), _SCENARIO)
    if card.world not in worlds():
        raise CardError.of(f"world of scenario {card.name}", card.world, ", ".join(worlds()))
    played = world(card.world)
    try:
        settings = played.settings.model_validate(card.rules)
    except ValidationError as error:
        raise CardError(f"scenario {card.name}, [rules]: {explain(error)}") from None
    return Scenario(card, played, settings)


def agent(name: str | Path, role: str, scene: Scenario) -> Agent:
    """Make the agent of a card's name (or .toml path) for one role of a scenario."""
    card = _find("agent", "agents", str(name), _AGENT)
    for what, wanted, played in (
        ("world", card.world, scene.world.name),
        ("role", card.role, role),
    ):
        if wanted is not None and wanted != played:
            fit = ", ".join(fitting(role, scene.world)) or "none"
            raise CardError(
                f"agent {card.name} plays {what} {wanted!r}, not {played!r}; allowed: {fit}"
            )
    return _kind(card).make(card, role, scene.world)


def fitting(role: str, played: World) -> list[str]:
    """Names of the agents that can take a role of a world, sorted."""
    return [card.name for card in agents() if _kind(card).can_sit(card, role, played)]


def finds(card: Card) -> bool:
    """Whether the name of an agent's card leads to it; one that was given by path may have none."""
    known = _card_files("agents").get(card.name)
    return known is not None and known.resolve() == card.file


def explain(error: ValidationError) -> str:
    """One line of a pydantic error: field, what is wrong, what was given."""
    return "; ".join(_told(issue) for issue in error.errors(include_url=False))


def _told(issue: Any) -> str:
    if issue["type"] == "union_tag_invalid":
        allowed = issue["ctx"]["expected_tags"].replace("'", "")
        return f"kind: no such kind (got {issue['ctx']['tag']!r}); allowed: {allowed}"
    if issue["type"] == "union_tag_not_found":
        return "kind: Field required"
    field = ".".join(str(part) for part in issue["loc"]) or "card"
    # A check of a whole table says itself what it was given.
    says_all = issue["type"] == "missing" or isinstance(issue["input"], dict)
    given = "" if says_all else f" (got {issue['input']!r})"
    return f"{field}: {issue['msg'].removeprefix('Value error, ')}{given}"


def _kind(card: AgentCard) -> Any:
    return importlib.import_module(f"revops_ma.policies.{card.kind}")


def _roots() -> list[Path]:
    package = Path(__file__).parent
    own = [Path(part) for part in os.environ.get(PATH_VARIABLE, "").split(os.pathsep) if part]
    for path in own:
        if not path.is_dir():
            raise BadInput.of(PATH_VARIABLE, str(path), "folders that hold agents/ and scenarios/")
    checkout = package.parent
    # hatchling copies force-included folders into editable installs too, where they go stale:
    # so the checkout comes first.
    near = [checkout] if (checkout / "pyproject.toml").is_file() else []
    return [*own, *near, package / "_shipped"]


def _card_files(folder: str) -> dict[str, Path]:
    files: dict[str, Path] = {}
    for root in reversed(_roots()):
        base = root / folder
        for path in sorted(base.rglob("*.toml")):
            files[path.relative_to(base).with_suffix("").as_posix()] = path
    return dict(sorted(files.items()))


def _all_cards(folder: str, model: TypeAdapter[AnyCard]) -> Iterator[AnyCard]:
    for name, path in _card_files(folder).items():
        yield _read(path, name, model)


def _find(what: str, folder: str, name: str, model: TypeAdapter[AnyCard]) -> AnyCard:
    files = _card_files(folder)
    if name in files:
        return _read(files[name], name, model)
    path = Path(name)
    if path.suffix == ".toml":
        if not path.is_file():
            raise UnknownName(f"no {what} file {name!r}; give the path of a .toml card or a name")
        return _read(path, path.stem, model)
    raise UnknownName.among(what, name, files, f"Add {folder}/<name>.toml")


def _read(path: Path, name: str, model: TypeAdapter[AnyCard]) -> AnyCard:
    try:
        return _parse(path.read_text(encoding="utf-8"), name, path.parent.resolve(), model)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CardError(f"{path}: not a readable TOML file: {error}") from None
    except ValidationError as error:
        raise CardError(f"{path}: {explain(error)}") from None


@cache
def _parse(text: str, name: str, folder: Path, model: TypeAdapter[AnyCard]) -> AnyCard:
    return model.validate_python({**tomllib.loads(text), "name": name, "folder": folder})
