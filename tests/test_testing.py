"""The contract tests find what is wrong: each broken promise is named."""

from dataclasses import dataclass, fields, replace

import numpy as np
import pytest

from revops_ma import catalog
from revops_ma.cards import ScriptedCard
from revops_ma.game import PlainOutcome, Reply
from revops_ma.testing import ContractBroken, check_agent, check_world
from revops_ma.worlds.revops.kernel import PILOT_MOVE
from revops_ma.worlds.revops.outcome import weigh
from revops_ma.worlds.revops.roles import CrisisEngine, Pilot
from revops_ma.worlds.revops.world import RevOpsWorld

SCENE = catalog.scenario("revops/normal")


def plain(outcome, **changes):
    """A copy of an outcome with other columns."""
    names = {field.name for field in fields(PlainOutcome)} - {"weigh", *changes}
    columns = {name: getattr(outcome, name) for name in names}
    return PlainOutcome(**columns, **{"weigh": weigh, **changes})


class Leaky(RevOpsWorld):
    """Not zero-sum."""

    def apply(self, games, rows, role, batch):
        outcome = super().apply(games, rows, role, batch)
        return plain(outcome, rewards=outcome.rewards * np.array([1.0, 0.5]))


class Blind(RevOpsWorld):
    """Observations leave their space."""

    def observe(self, games, rows, role):
        return super().observe(games, rows, role) - 1.0

    def observe32(self, games, rows, role):
        return self.observe(games, rows, role).astype(np.float32)


class Blurred(RevOpsWorld):
    """Environments are shown other numbers than agents."""

    def observe32(self, games, rows, role):
        return super().observe32(games, rows, role).round()


class Mute(RevOpsWorld):
    """Tells nothing."""

    def describe(self, games, rows, role):
        return [""] * len(rows)


class Crowded(RevOpsWorld):
    """What happens in a game depends on how many others there are."""

    def apply(self, games, rows, role, batch):
        games["mrr"][rows] += len(games)
        return super().apply(games, rows, role, batch)


class Meddling(RevOpsWorld):
    """A move in one game changes all."""

    def apply(self, games, rows, role, batch):
        games["runway"] -= 0.01
        return super().apply(games, rows, role, batch)


class Misquoted(RevOpsWorld):
    """A game alone is told another reward than all games together."""

    def apply(self, games, rows, role, batch):
        outcome = plain(super().apply(games, rows, role, batch))
        return Misquoting(*(getattr(outcome, field.name) for field in fields(outcome)))


class Misquoting(PlainOutcome):
    def paid(self, position):
        return [1.0, -1.0]


class Forgetful(RevOpsWorld):
    """A fork loses the bank."""

    def fork(self, games, rows):
        forked = super().fork(games, rows)
        forked["bank"] = 2.25
        return forked


class Shared(RevOpsWorld):
    """A fork is the original."""

    def fork(self, games, rows):
        return games


class Unexplained(RevOpsWorld):
    """Signals do not sum to the reward."""

    def apply(self, games, rows, role, batch):
        outcome = super().apply(games, rows, role, batch)
        return plain(outcome, weigh=lambda out: weigh(out) * 1.5)


class Nameless(RevOpsWorld):
    """Endings have no names."""

    def endings(self, games, rows):
        return ["none"] * len(rows)


class Poor(RevOpsWorld):
    """A figure is not finite."""

    def facts(self, games, rows):
        return {"final_mrr": np.full(len(rows), np.nan)}


class Lossy(Pilot):
    """Packing rounds."""

    def pack(self, batch):
        return [(action, round(magnitude, 1) / 2) for action, magnitude in batch.tolist()]


class Touchy(CrisisEngine):
    """A reader raises."""

    def texts(self, texts):
        raise ValueError("not JSON")


class Credulous(Pilot):
    """A reader takes anything."""

    def objects(self, objects):
        return Reply(super().objects(objects).batch)


def with_role(role, index):
    world = RevOpsWorld()
    world.roles = tuple(role if at == index else seat for at, seat in enumerate(world.roles))
    return world


@pytest.mark.parametrize(
    ("world", "message"),
    [
        (Leaky(), "sum of both roles' rewards: got"),
        (Blind(), "numbers of the pilot: got .* expected: inside observation_space"),
        (Blurred(), "the pilot's observe32: got"),
        (Mute(), "texts of the pilot"),
        (Crowded(), "game of seed 0, alone"),
        (Meddling(), "games that did not move, after others moved|in another order|backwards"),
        (Misquoted(), "paid of each position, against rewards: got"),
        (Forgetful(), "the end of a fork taken in the middle of a game"),
        (Shared(), "a game whose copies were played on|ended"),
        (Unexplained(), "signals, summed left to right"),
        (Nameless(), "endings of games that are over"),
        (Poor(), "figure final_mrr"),
        (with_role(Lossy(), 0), "games replayed from packed moves"),
        (with_role(Touchy(), 1), "crisis.texts of what is no move: raised ValueError"),
        (with_role(Credulous(), 0), "positions that pilot.objects refuses"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, RevOpsWorld) else "",
)
def test_a_world_that_breaks_its_contract_is_found(world, message):
    with pytest.raises(ContractBroken, match=message):
        check_world(replace(SCENE, world=world))


@dataclass
class Bot:
    """A pilot that always raises prices, for others to spoil."""

    name: str = "bot"
    identity: str = "bot@1"

    def act(self, view):
        return Reply(self.moves(view))

    def moves(self, view):
        return np.full(len(view), np.array((5, 0.5), PILOT_MOVE))

    def seated(self, scenario, players):
        return self


class Stateful(Bot):
    def moves(self, view):
        self.asked = getattr(self, "asked", 0) + 1
        return np.full(len(view), np.array((self.asked % 10, 0.5), PILOT_MOVE))


class Short(Bot):
    def moves(self, view):
        return super().moves(view)[1:]


class Endless(Bot):
    def moves(self, view):
        return np.full(len(view), np.array((5, np.nan), PILOT_MOVE))


class Herd(Bot):
    """Decides by the position in the batch."""

    def moves(self, view):
        moves = super().moves(view)
        moves["action"] = np.arange(len(view)) % 10
        return moves


class Cheat(Bot):
    """Changes the games it looks at."""

    def moves(self, view):
        games, rows = view.secrets()
        games["runway"][rows] = 36.0
        return super().moves(view)


class Peeker(Bot):
    """Reads the full state although its card says dashboard."""

    card = ScriptedCard(name="peeker", about="Peeks at everything.", kind="scripted", bot="x")

    def moves(self, view):
        view.secrets()
        return super().moves(view)


class Changeling(Bot):
    """Its copy is another agent."""

    def __deepcopy__(self, memo):
        return Herd()


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        (Stateful(), "bot's answer to the same view, asked again"),
        (Short(), "moves of bot: got 5; expected: 6"),
        (Endless(), "expected: finite strengths"),
        (Herd(), "bot's answer to some of the rows"),
        (Cheat(), "the games that bot looked at"),
        (Peeker(), 'bot asked for more than it sees: .*"dashboard"'),
        (Changeling(), "the answer of a copy of bot"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Bot) else "",
)
def test_an_agent_that_breaks_its_contract_is_found(agent, message):
    with pytest.raises(ContractBroken, match=message):
        check_agent(agent, "pilot", SCENE)


def test_an_agent_that_keeps_its_contract_passes():
    check_agent(Bot(), "pilot", SCENE)


def test_a_broken_contract_is_an_assertion_error_for_every_test_runner():
    assert issubclass(ContractBroken, AssertionError)
