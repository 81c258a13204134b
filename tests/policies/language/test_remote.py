"""Deadlines, retries and the circuit breaker, with tries that a test makes up."""

import threading
import time
from dataclasses import dataclass

import pytest

from revops_ma.policies.language.breaker import COOLDOWN, FAILURES, Breaker, breaker_of
from revops_ma.policies.language.failures import finish_of_status, retry_after, retry_info
from revops_ma.policies.language.protocol import Finish, Message, Request, Response, Settings
from revops_ma.policies.language.remote import GRACE, Attempt, Pace, Remote

GOOD = Attempt(Response(Finish.STOP, "{}"))
BUSY = Attempt(Response(Finish.SERVER_ERROR))


def request(text=""):
    return Request((Message("user", text),), {}, Settings())


@dataclass(frozen=True)
class Made(Remote):
    attempts: object
    endpoint: str = "made"

    def attempt(self, request, seconds):
        return self.attempts(request, seconds)


def made(attempts, **pace):
    return Made(Pace(**{"deadline": 0.5, "retries": 3, "concurrency": 4} | pace), attempts)


def test_answers_come_in_the_order_of_the_requests():
    def answer(asked, _):
        time.sleep(0.01 * (len(asked.messages[0].text) % 3))
        return Attempt(Response(Finish.STOP, asked.messages[0].text))

    texts = ["x" * n for n in range(50)]
    found = made(answer, concurrency=8).complete([request(text) for text in texts])
    assert [response.text for response in found] == texts


def test_no_requests_are_no_answers():
    assert made(lambda *_: GOOD).complete([]) == []


def test_no_more_calls_at_a_time_than_the_limit():
    busy, most = 0, 0
    lock = threading.Lock()

    def answer(*_):
        nonlocal busy, most
        with lock:
            busy, most = busy + 1, max(most, busy + 1)
        time.sleep(0.01)
        with lock:
            busy -= 1
        return GOOD

    made(answer, concurrency=3).complete([request()] * 20)
    assert most == 3


def test_calls_that_hang_are_given_up_and_hold_up_nobody():
    release = threading.Event()

    def answer(asked, _):
        if asked.messages[0].text == "hang":
            release.wait(30)
        return GOOD

    texts = ["hang", "well"] * 10
    began = time.monotonic()
    found = made(answer, deadline=0.2).complete([request(text) for text in texts])
    took = time.monotonic() - began
    release.set()
    # Ten that hang, four at a time: three rounds of the deadline.
    assert took < 3 * (0.2 + GRACE) + 0.5
    finishes = [response.finish for response in found]
    assert finishes[0::2] == [Finish.TIMEOUT] * 10
    assert set(finishes[1::2]) <= {Finish.STOP, Finish.CIRCUIT_OPEN}


def test_what_fails_for_a_while_is_tried_again():
    tries = []

    def answer(*_):
        tries.append(time.monotonic())
        return GOOD if len(tries) == 3 else BUSY

    (found,) = made(answer, deadline=5.0).complete([request()])
    assert (found.finish, found.retries) == (Finish.STOP, 2)
    first, second = tries[1] - tries[0], tries[2] - tries[1]
    assert 0.2 < first < 0.9
    assert second > 0.4


def test_retries_are_limited_and_stay_within_the_deadline():
    (found,) = made(lambda *_: BUSY, retries=1, deadline=2.0).complete([request()])
    assert (found.finish, found.retries) == (Finish.SERVER_ERROR, 1)
    began = time.monotonic()
    (found,) = made(lambda *_: BUSY, retries=20, deadline=0.5).complete([request()])
    assert found.finish is Finish.SERVER_ERROR
    assert time.monotonic() - began < 0.5 + GRACE


@pytest.mark.parametrize("finish", [Finish.BLOCKED, Finish.CLIENT_ERROR, Finish.EMPTY])
def test_what_does_not_pass_by_itself_is_not_tried_again(finish):
    (found,) = made(lambda *_: Attempt(Response(finish))).complete([request()])
    assert (found.finish, found.retries) == (finish, 0)


def test_a_wait_that_the_server_asks_for_is_kept_or_the_call_is_given_up():
    tries = []

    def answer(*_):
        tries.append(time.monotonic())
        return GOOD if len(tries) == 2 else Attempt(Response(Finish.RATE_LIMITED), 0.15)

    (found,) = made(answer).complete([request()])
    assert found.finish is Finish.STOP
    assert 0.15 <= tries[1] - tries[0] < 0.4
    began = time.monotonic()
    late = Attempt(Response(Finish.RATE_LIMITED), 60.0)
    (found,) = made(lambda *_: late).complete([request()])
    assert found.finish is Finish.RATE_LIMITED
    assert time.monotonic() - began < 0.2


def test_a_bug_is_raised_and_no_failure():
    def breaks(*_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        made(breaks).complete([request()] * 3)


def test_the_circuit_opens_after_failures_in_a_row_and_probes_again():
    now = 0.0
    breaker = Breaker(lambda: now)
    for _ in range(FAILURES - 1):
        breaker.note(failed=True)
    breaker.note(failed=False)
    for _ in range(FAILURES):
        assert breaker.allows()
        breaker.note(failed=True)
    assert breaker.is_open
    assert not breaker.allows()
    now = COOLDOWN + 0.1
    assert breaker.allows()  # the probe
    assert not breaker.allows()  # and nobody else
    breaker.note(failed=True)
    now += COOLDOWN + 0.1
    assert not breaker.allows()  # twice as long after a probe that failed
    now += COOLDOWN
    assert breaker.allows()
    breaker.note(failed=False)
    assert not breaker.is_open
    assert breaker.allows()


def test_while_the_circuit_is_open_calls_fail_at_once():
    asked = []

    def answer(*_):
        asked.append(1)
        return Attempt(Response(Finish.CLIENT_ERROR))

    provider = made(answer, concurrency=1)
    found = provider.complete([request()] * 20)
    finishes = [response.finish for response in found]
    assert finishes == [Finish.CLIENT_ERROR] * FAILURES + [Finish.CIRCUIT_OPEN] * (20 - FAILURES)
    assert len(asked) == FAILURES
    assert breaker_of("made").is_open
    assert not breaker_of("another").is_open


def test_statuses_and_delays_are_read():
    assert finish_of_status(429) is Finish.RATE_LIMITED
    assert {finish_of_status(code) for code in (500, 503, 599, 408, 409)} == {Finish.SERVER_ERROR}
    assert {finish_of_status(code) for code in (400, 401, 404, 302)} == {Finish.CLIENT_ERROR}
    assert retry_after({"retry-after": "7"}) == 7.0
    assert retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0.0
    for nothing in (None, {}, {"retry-after": "soon"}, {"retry-after": "nan"}):
        assert retry_after(nothing) is None
    body = {"error": {"details": [{"x": 1}, {"retryDelay": "1.5s"}]}}
    assert retry_info(body) == 1.5
    for nothing in (None, [], {"error": "x"}, {"error": {"details": [{"retryDelay": "1 h"}]}}):
        assert retry_info(nothing) is None
