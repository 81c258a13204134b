"""The language agent: a card with a prompt, a seat, and a provider that is asked."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from revops_ma.calls import Asked, Call
from revops_ma.cards import LanguageCard
from revops_ma.errors import CardError, RunFailed
from revops_ma.game import Agent, Reply, View, World
from revops_ma.policies.language.answers import Reading, read
from revops_ma.policies.language.asking import Asker
from revops_ma.policies.language.conduct import ALONE, Conduct
from revops_ma.policies.language.prompting import once_more, requests_of, turn_names
from revops_ma.policies.language.protocol import Finish, Provider, Request, Response, Settings
from revops_ma.policies.language.providers import provider_of
from revops_ma.policies.language.recording import Question
from revops_ma.policies.language.spending import Limits

FIRST, REPAIR = "0", "1"
"""Attempts of a turn."""


class ProviderFailed(RunFailed):
    """A provider brought no usable answer, and the run is strict."""


@dataclass(frozen=True)
class LanguageAgent:
    """A model in a seat. It keeps nothing between calls: what it is shown comes from the view."""

    card: LanguageCard
    role: str
    world_name: str
    system: str
    """Text of the prompt file."""
    provider: Provider
    matchup: str = ""
    conduct: Conduct = ALONE

    is_slow = True

    @property
    def name(self) -> str:
        """Name of the card."""
        return self.card.name

    @property
    def identity(self) -> str:
        """Name and a hash of the card, the prompt and the model."""
        said = "\n".join((self.card.digest, self.system, self.provider.identity))
        return f"{self.name}@{hashlib.blake2b(said.encode(), digest_size=8).hexdigest()}"

    @property
    def limits(self) -> Limits:
        """The run's limits on calls, or else the card's own."""
        card = self.card
        return self.conduct.limits.or_else(
            Limits(card.max_calls, card.max_tokens, card.max_dollars)
        )

    def act(self, view: View) -> Reply:
        """Ask the model about every row of the view, all in one batch, and read the answers.

        An answer that is refused is asked for once more. Where the provider fails the world's own
        fallback is played and told in `Reply.fallbacks`.

        Raises:
            ProviderFailed: it failed, and the run is strict.
            LimitReached: a limit of the run forbids the next call.
            BadInput: the provider cannot be asked: no key, no library.
        """
        if self.card.sees == "dashboard":
            view.dashboard_only()
        requests = requests_of(
            view,
            self.system,
            self._settings,
            self.card.memory,
            sees_all=self.card.sees == "everything",
        )
        turns = turn_names(view)
        answers = self._ask(requests, turns, FIRST)
        found = read(view, [response for response, _ in answers])
        calls = [[call] for _, call in answers]
        last = [response for response, _ in answers]
        for position, (response, call) in self._repaired(view, found, requests, turns, last):
            calls[position].append(call)
            last[position] = response
        self._be_strict(found, last)
        reply = found.to_reply()
        reply.asked = {
            position: _asked(found, position, calls[position], last[position])
            for position in range(len(view))
        }
        return reply

    def seated(self, scenario: Any, players: Mapping[str, Agent]) -> Agent:
        """Note who plays whom: the same question may be asked in several matchups."""
        names = [players[role.name].name for role in scenario.world.roles if role.name in players]
        return replace(self, matchup=" vs ".join(names))

    def conducted(self, conduct: Conduct) -> LanguageAgent:
        """The same agent under the rules of a run."""
        return replace(self, conduct=conduct)

    @property
    def _settings(self) -> Settings:
        card = self.card
        return Settings(card.temperature, card.max_output_tokens, card.thinking)

    def _ask(
        self, requests: Sequence[Request], turns: Sequence[str], attempt: str
    ) -> list[tuple[Response, Call]]:
        asker = Asker(self.provider, self.conduct, self.limits, self.card.concurrency)
        return asker.ask(
            [
                Question(request, self.matchup, f"{turn}.{attempt}")
                for request, turn in zip(requests, turns, strict=True)
            ]
        )

    def _repaired(
        self,
        view: View,
        found: Reading,
        requests: Sequence[Request],
        turns: Sequence[str],
        said: Sequence[Response],
    ) -> list[tuple[int, tuple[Response, Call]]]:
        """Ask once more where the model finished an answer that was refused."""
        wrong = [at for at in sorted(found.refused) if said[at].finish is Finish.STOP]
        wrong = [at for at in wrong if at not in found.fallbacks] if self.card.repair else []
        if not wrong:
            return []
        again = [once_more(requests[at], said[at].text, found.refused[at]) for at in wrong]
        answers = self._ask(again, [turns[at] for at in wrong], REPAIR)
        found.take(wrong, read(view, [response for response, _ in answers], wrong))
        return list(zip(wrong, answers, strict=True))

    def _be_strict(self, found: Reading, said: Sequence[Response]) -> None:
        if self.conduct.strict and found.fallbacks:
            response = said[min(found.fallbacks)]
            detail = f": {response.detail}" if response.detail else ""
            raise ProviderFailed(
                f"{self.name}: {self.provider.identity} gave no answer"
                f" ({response.finish.value}{detail}), and --strict allows no fallback"
            )


def _asked(found: Reading, position: int, calls: Sequence[Call], last: Response) -> Asked:
    source = "rule" if position in found.fallbacks else "model"
    return Asked(tuple(calls), source, found.outcome(position, last))


def make(card: LanguageCard, role: str, world: World) -> LanguageAgent:
    """Read the prompt of a card and make its provider; nobody is asked yet.

    Raises CardError where there is no prompt for this seat or the provider's options are wrong.
    """
    path = _prompt_path(card, role, world)
    try:
        system = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise CardError(f"agent {card.name}: no readable prompt {path}: {error}") from None
    return LanguageAgent(card, role, world.name, system, provider_of(card))


def can_sit(card: LanguageCard, role: str, world: World) -> bool:
    """Whether the card can take a role of a world: it has a prompt for it."""
    if card.world not in (None, world.name) or card.role not in (None, role):
        return False
    return _prompt_path(card, role, world).is_file()


def _prompt_path(card: LanguageCard, role: str, world: World) -> Path:
    return card.folder / card.prompt.replace("{world}", world.name).replace("{role}", role)
