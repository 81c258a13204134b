"""A provider of tests that answers by a function of the request: no network, no key."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from revops_ma import catalog
from revops_ma.policies.language.protocol import Finish, Request, Response, Usage
from tests.policies.language.endpoint import CRUNCH, NEGOTIATE


def proper(request: Request) -> Response:
    text = CRUNCH if "crisis_type" in request.schema.get("properties", ()) else NEGOTIATE
    return Response(Finish.STOP, text, "stand-in-2", Usage(100, 10, 5, 0), 0.01)


@dataclass(frozen=True)
class StandIn:
    answer: Callable[[Request], Response] = proper

    identity = "stand-in:stand-in"

    def complete(self, requests):
        return [self.answer(request) for request in requests]

    def check(self):
        pass


def agent_of(card, role="pilot", answer=proper, scenario="revops/normal"):
    """An agent of a card, with a stand-in for its provider."""
    agent = catalog.agent(card, role, catalog.scenario(scenario))
    return replace(agent, provider=StandIn(answer))
