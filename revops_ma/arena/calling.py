"""Calls to models in a match or tournament: recorded, limited, or played again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

from revops_ma.calls import Tally
from revops_ma.episode import Episode
from revops_ma.errors import BadInput
from revops_ma.policies.language import LanguageAgent
from revops_ma.policies.language.conduct import Conduct
from revops_ma.policies.language.known import spent_of
from revops_ma.policies.language.prices import is_priced
from revops_ma.policies.language.spending import NO_LIMITS, Limits, Meter
from revops_ma.rollout import Matchup
from revops_ma.run import CALLS, JOURNAL, RunWriter

LIVE, RECORD = "live", "record"


@dataclass(frozen=True)
class CallWishes:
    """What a command says about calls to models. Agents that ask none don't care."""

    calls: str | None = None
    """`live` keeps figures only; `record` keeps questions and answers too, in the run directory,
    which is what None means where there is one; anything else is the path of a recorded run whose
    answers are played again, without a network."""
    strict: bool = False
    """Whether a failed provider ends the run instead of a rule moving in its place."""
    limits: Limits = NO_LIMITS

    @property
    def source(self) -> Path | None:
        """The recorded run to take answers from."""
        return None if self.calls in (None, LIVE, RECORD) else Path(str(self.calls))

    def keeps(self, out: Path | None) -> bool:
        """Whether questions and answers are kept."""
        return out is not None and self.calls != LIVE


NO_WISHES = CallWishes()


def check_calls(matchups: Sequence[Matchup], wishes: CallWishes, out: Path | None) -> None:
    """Raise BadInput, before anything is written, where models could not be asked as wished."""
    agents = _language_agents(matchups)
    if not agents:
        return
    if wishes.calls == RECORD and out is None:
        raise BadInput("--calls record needs a run directory: add --out DIR")
    if wishes.source is not None:
        if not (wishes.source / CALLS).is_file():
            allowed = f"{LIVE}, {RECORD}, or a run directory that holds {CALLS}"
            raise BadInput.of("--calls", str(wishes.source), allowed)
        return
    for agent in agents:
        agent.provider.check()
        _check_price(agent.conducted(Conduct(limits=wishes.limits)))


def conducted(
    matchups: Sequence[Matchup], wishes: CallWishes, writer: RunWriter | None
) -> list[Matchup]:
    """Tell the agents of all matchups how calls are dealt with in this run.

    Raises BadInput where an interrupted run kept its calls otherwise.
    """
    if not _language_agents(matchups):
        return list(matchups)
    out = writer.path if writer else None
    keeps, done = wishes.keeps(out), writer.done if writer else []
    if out is not None:
        _check_kept(out, done, keeps)
    journal = out / JOURNAL if out is not None and keeps and wishes.source is None else None
    conduct = Conduct(
        keep=keeps,
        source=wishes.source,
        journal=journal.absolute() if journal else None,
        strict=wishes.strict,
        limits=wishes.limits,
        spent=spent_of(journal) if journal else _spent(done),
        run=uuid4().hex,
    )
    return [
        replace(
            matchup,
            players={
                role: agent.conducted(conduct) if isinstance(agent, LanguageAgent) else agent
                for role, agent in matchup.players.items()
            },
        )
        for matchup in matchups
    ]


def check_limits(wishes: CallWishes, episodes: Sequence[Episode]) -> None:
    """Raise LimitReached where finished games alone have reached a limit of the run.

    Within a process every call is checked; this sees what all processes have done together.
    """
    if wishes.limits.are_set and wishes.source is None:
        Meter(_spent(episodes)).check(wishes.limits)


def close_journal(out: Path | None) -> None:
    """Remove the journal of a run that is complete: all of it is in the records."""
    if out is not None:
        (out / JOURNAL).unlink(missing_ok=True)


def _language_agents(matchups: Iterable[Matchup]) -> list[LanguageAgent]:
    players = [agent for matchup in matchups for agent in matchup.players.values()]
    return [agent for agent in players if isinstance(agent, LanguageAgent)]


def _check_price(agent: LanguageAgent) -> None:
    model = agent.provider.identity.partition(":")[2]
    if agent.limits.dollars is not None and not is_priced(model):
        raise BadInput(
            f"--max-dollars: the price of {model} is unknown; use --max-tokens, or name a price"
            " file that has it in REVOPS_MA_PRICES"
        )


def _check_kept(out: Path, done: Sequence[Episode], keeps: bool) -> None:
    for episode in done:
        if episode.calls and bool(episode.transcript) != keeps:
            way_out = RECORD if episode.transcript else LIVE
            raise BadInput(f"{out} was begun with --calls {way_out}; go on with the same")


def _spent(episodes: Sequence[Episode]) -> Tally:
    total = Tally()
    for episode in episodes:
        for found in episode.calls.values():
            total.merge(Tally.from_json(found))
    return total
