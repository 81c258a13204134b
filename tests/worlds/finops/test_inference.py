"""The baseline runner: without a model, against a fake endpoint, and with everything missing."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from revops_ma.worlds.finops.calls import Call
from revops_ma.worlds.finops.engine import serve
from revops_ma.worlds.finops.oracle import next_call
from revops_ma.worlds.finops.wording import family_of

from .helpers import open_task

SCRIPT = Path(__file__).parents[3] / "scripts" / "inference.py"
KEY = "sk-very-secret"
VARIABLES = ("API_BASE_URL", "MODEL_NAME", "HF_TOKEN", "API_KEY", "OPENAI_API_KEY")

Answer = Callable[[dict[str, object]], tuple[int, bytes]]


def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments],
        env={**environment, "no_proxy": "*", **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@contextmanager
def endpoint(answer: Answer) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """A local server that answers every POST; yields its base URL and the headers it got."""
    seen: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append({"path": self.path, **dict(self.headers)})
            status, content = answer(body)
            self.send_response(status)
            if status == 302:
                self.send_header("Location", "/elsewhere")
            if status in (429, 503):
                self.send_header("Retry-After", "0")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def completion(text: str | None) -> tuple[int, bytes]:
    return 200, json.dumps({"choices": [{"message": {"content": text}}]}).encode()


def perfect_model(body: dict[str, object]) -> tuple[int, bytes]:
    """Knows the answers: replays the oracle for the ticket and step that the prompt shows."""
    prompt = body["messages"][1]["content"]
    ticket = prompt.split("Ticket:\n")[1]
    task = {"refund": "task1", "loyalty": "task2", "crosscheck": "task3"}[family_of(ticket)]
    step = int(re.search(r"step (\d+) of", prompt)[1])
    desk = open_task(task)
    call = Call("submit")
    for _ in range(step):
        call = next_call(desk)
        serve(desk, call)
    return completion(f"```json\n{json.dumps({'tool': call.tool, 'args': call.args})}\n```")


def ask_endpoint(answer: Answer, *arguments: str, key: str = KEY) -> tuple[object, list]:
    with endpoint(answer) as (url, seen):
        done = run(*arguments, API_BASE_URL=url, MODEL_NAME="fake", HF_TOKEN=key)
    assert KEY not in done.stdout + done.stderr
    return done, seen


def test_the_reference_runs_without_a_model_and_prints_the_score_table() -> None:
    done = run("--agent", "optimal")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert sum(line.startswith("[STEP]") for line in lines) == 4 + 16 + 14
    assert lines[0] == "[START] task=task1 env=finops model=optimal"
    ends = [line for line in lines if line.startswith("[END]")]
    assert [re.search(r"steps=(\d+) score=(\S+)", line).groups() for line in ends] == [
        ("4", "0.9800"),
        ("16", "0.9800"),
        ("14", "0.9800"),
    ]
    table = [line.split() for line in lines[-4:]]
    assert table[:3] == [
        ["task1", "0.980", "4", "0.94", "0.500"],
        ["task2", "0.980", "16", "0.82", "0.843"],
        ["task3", "0.980", "14", "0.84", "0.980"],
    ]
    assert table[3] == ["mean", "0.980"]


def test_a_model_plays_through_an_openai_compatible_endpoint() -> None:
    done, seen = ask_endpoint(perfect_model)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("success=true") == 3
    assert len(seen) == 2 + 7 + 5
    assert {each["path"] for each in seen} == {"/v1/chat/completions"}
    assert {each["Authorization"] for each in seen} == {f"Bearer {KEY}"}


@pytest.mark.parametrize("text", ["I don't know.", "", None, '{"tool": "fly"}'])
def test_a_model_that_makes_no_sense_is_scored_and_not_an_error(text: str | None) -> None:
    done, _ = ask_endpoint(lambda _: completion(text), "--tasks", "task1")
    assert done.returncode == 0
    assert "[END] success=false steps=10 score=0.0200" in done.stdout
    assert "reward=-0.11 done=false error=unknown_tool" in done.stdout


def test_a_busy_endpoint_is_asked_again() -> None:
    answers = iter([(429, b""), (503, b"")])

    def busy_at_first(body: dict[str, object]) -> tuple[int, bytes]:
        return next(answers, None) or perfect_model(body)

    done, seen = ask_endpoint(busy_at_first, "--tasks", "task1")
    assert done.returncode == 0
    assert len(seen) == 4


@pytest.mark.parametrize(
    ("status", "content", "message"),
    [
        (401, b"{}", "refused the key (HTTP 401)"),
        (403, b"{}", "refused the key (HTTP 403)"),
        (404, b"{}", "answered HTTP 404 for model 'fake'"),
        (302, b"", "answered HTTP 302"),
        (200, b"<html>hello</html>", "did not answer a chat completion"),
        (200, b'{"choices": []}', "did not answer a chat completion"),
        (200, b'{"choices": [{"message": null}]}', "did not answer a chat completion"),
    ],
)
def test_a_failing_endpoint_is_one_clear_line_and_exit_code_1(
    status: int, content: bytes, message: str
) -> None:
    done, seen = ask_endpoint(lambda _: (status, content), "--tasks", "task1")
    assert done.returncode == 1
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert len(seen) == 1


def test_a_dead_endpoint_is_one_clear_line_and_exit_code_1() -> None:
    done = run(API_BASE_URL="http://127.0.0.1:9/v1", MODEL_NAME="fake", HF_TOKEN=KEY)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "cannot reach http://127.0.0.1:9/v1" in done.stderr


COMPLETE = {"API_BASE_URL": "http://127.0.0.1:9/v1", "MODEL_NAME": "fake", "HF_TOKEN": KEY}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"API_BASE_URL": ""}, "API_BASE_URL is not set"),
        ({"MODEL_NAME": " "}, "MODEL_NAME is not set"),
        ({"HF_TOKEN": ""}, "no key: set HF_TOKEN or API_KEY or OPENAI_API_KEY"),
        ({"API_BASE_URL": "file:///etc/passwd"}, "an http:// or https:// address"),
        ({"HF_TOKEN": f"{KEY}\nX-Evil: 1"}, "no HTTP header can carry"),
    ],
)
def test_a_missing_or_impossible_variable_is_one_clear_line_and_exit_code_2(
    changes: dict[str, str], message: str
) -> None:
    done = run(**{**COMPLETE, **changes})
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert message in done.stderr
    assert KEY not in done.stderr


@pytest.mark.parametrize("arguments", [("--agent", "optimul"), ("--agent", "worst")])
def test_an_agent_that_cannot_play_is_wrong_input(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "optimal" in done.stderr


def test_an_unknown_task_is_wrong_input() -> None:
    assert run("--agent", "optimal", "--tasks", "task9").returncode == 2
