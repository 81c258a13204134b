"""The pilot's turn: one call in, one answer out, and what the step pays."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from revops_ma.reading import shown
from revops_ma.worlds.finops import grading
from revops_ma.worlds.finops.calls import Call
from revops_ma.worlds.finops.desk import Desk, Ending, Exchange, Response
from revops_ma.worlds.finops.slots import resolved
from revops_ma.worlds.finops.tables import Tables
from revops_ma.worlds.finops.toolkit import ENVIRONMENT_FAULTS, Answer, Code, Failure, Tool
from revops_ma.worlds.finops.tools import TOOL_NAMES, TOOLS

STEP_COST = -0.01
"""Price of time: every pilot step."""
ERROR_COST = -0.10
"""More for a call that is the caller's error."""
REGRESSION_COST = -0.50
"""More for a write that made things worse."""

SIGNALS = ("time", "error", "regression", "score")
"""Parts of the pilot's reward, in the order in which they are added up."""


class Step(NamedTuple):
    """One pilot step: the call as it was played, its answer, the parts of its reward."""

    call: Call
    response: Response
    code: Code | None = None
    """Why the call failed, None if it did not."""
    time: float = 0.0
    error: float = 0.0
    regression: float = 0.0
    score: float = 0.0

    @property
    def reward(self) -> float:
        """The parts, summed left to right."""
        return ((self.time + self.error) + self.regression) + self.score


def serve(desk: Desk, call: Call) -> Step:
    """Serve one call and change the desk by it.

    A call after the end changes nothing and pays nothing. Every other call uses up one step.
    """
    if desk.ending is not None:
        done = Failure(Code.EPISODE_DONE, "this case is closed")
        return Step(call, failed(done), done.code)
    call = resolved(desk, call) if call.slot is not None else call
    tool = TOOLS.get(call.tool) if isinstance(call.tool, str) else None
    worth = _WORTH[desk.rules.regression]
    before = worth(desk) if tool is not None and tool.mutates else 0.0
    desk.steps += 1
    answer = _answer(desk, tool, call)
    error = regression = 0.0
    if isinstance(answer, Failure):
        error = 0.0 if answer.code in ENVIRONMENT_FAULTS else ERROR_COST
    elif tool is not None and tool.mutates:
        desk.raw = grading.raw_score(desk)
        regression = REGRESSION_COST if worth(desk) < before else 0.0
    return _close_step(desk, call, answer, error, regression)


def _close_step(desk: Desk, call: Call, answer: Answer, error: float, regression: float) -> Step:
    if desk.ending is None and desk.steps_left <= 0:
        desk.ending = Ending.OUT_OF_STEPS
    score = grading.reported(desk.raw) if desk.ending is not None else 0.0
    code = answer.code if isinstance(answer, Failure) else None
    response = _respond(desk, answer)
    step = Step(call, response, code, STEP_COST, error, regression, score)
    desk.reward = step.reward
    desk.total += step.reward
    desk.log.append(Exchange(call, response))
    desk.crisis_due = desk.ending is None and desk.steps % desk.rules.crisis_every == 0
    return step


def _respond(desk: Desk, answer: Answer) -> Response:
    if isinstance(answer, Failure):
        return failed(answer)
    return {"ok": True, "result": answer}


def failed(failure: Failure) -> Response:
    """The answer of a failed call."""
    return {"ok": False, "error": failure.as_error()}


def _answer(desk: Desk, tool: Tool | None, call: Call) -> Answer:
    if call.unreadable:
        return Failure(Code.UNKNOWN_TOOL, f"no tool call could be read: {call.unreadable}")
    if tool is None:
        known = ", ".join(TOOL_NAMES)
        return Failure(Code.UNKNOWN_TOOL, f"no tool {shown(call.tool)!r}; known: {known}")
    args = tool.check(call.args)
    if isinstance(args, Failure):
        return args
    if fault := _fault(desk, tool):
        return fault
    if tool.reads and desk.weather.stale is not None:
        return _stale(desk, desk.weather.stale, tool, args)
    return tool.run(desk, **args)


def _fault(desk: Desk, tool: Tool) -> Failure | None:
    """The environment's own fault that stands in the way of a call, if any."""
    weather = desk.weather
    if desk.steps <= weather.outages.get(tool.name, 0):
        return Failure(Code.UNAVAILABLE, f"{tool.name} is down; try again later")
    if tool.reads and desk.steps <= weather.limited_until:
        if weather.reads_left == 0:
            wait = weather.limited_until - desk.steps + 1
            return Failure(Code.RATE_LIMITED, "too many reads for now", {"retry_after_steps": wait})
        weather.reads_left -= 1
    return None


def _stale(desk: Desk, past_tables: Tables, tool: Tool, args: dict[str, object]) -> Answer:
    """Answer a read from a past state, once, marked with the step that it shows."""
    past, as_of = desk.copy(), desk.weather.stale_step
    past.tables = past_tables
    desk.weather.stale = None
    answer = tool.run(past, **args)
    if isinstance(answer, Failure):
        return Failure(answer.code, answer.message, {"as_of": as_of})
    return {**answer, "as_of": as_of}


_WORTH: dict[str, Callable[[Desk], float]] = {
    "score": lambda desk: desk.raw,
    "reachable": grading.best_raw,
}
"""What a write is measured by in each regression mode."""
