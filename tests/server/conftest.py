"""A server in a process of its own, and applications in this one with settings of a test."""

import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from revops_ma.server.settings import Settings

ROOT = Path(__file__).parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
START_SECONDS = 120


class Server:
    """`revops-ma serve` on a free port."""

    def __init__(self, *arguments, **variables):
        command = [sys.executable, "-m", "revops_ma.cli", "serve", "--port", "0", *arguments]
        environment = {key: value for key, value in os.environ.items() if "REVOPS_MA" not in key}
        self.process = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, cwd=ROOT, env={**environment, **variables}
        )
        self.told = self._first_line()
        self.lines = []
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self.url = re.search(r"OpenEnv at (http://\S+?);? ", self.told)[1]
        self.socket = self.url.replace("http", "ws") + "/ws"

    def _first_line(self):
        watch = threading.Timer(START_SECONDS, self.process.kill)
        watch.start()
        line = self.process.stderr.readline()
        watch.cancel()
        return line

    def _listen(self):
        self.lines.extend(self.process.stderr)

    @property
    def megabytes(self):
        """Resident memory."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def stop(self):
        """Stop it and wait."""
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._listener.join(5)
        self.process.stderr.close()


@pytest.fixture(scope="session")
def runs_folder(tmp_path_factory):
    """One stored run."""
    from revops_ma.arena.match import play_match

    folder = tmp_path_factory.mktemp("runs")
    players = {"pilot": "heuristic", "crisis": "rule-based"}
    play_match(players, "revops/normal", 6, 3, folder / "first")
    return folder


@pytest.fixture(scope="session")
def server(runs_folder):
    """The server that most tests share: as `revops-ma serve` starts it."""
    started = Server(REVOPS_MA_RUNS=str(runs_folder), REVOPS_MA_MAX_SESSIONS="700")
    yield started
    started.stop()


@pytest.fixture
def start():
    """Start servers of one's own; they are stopped after the test."""
    started = []

    def begin(*arguments, **variables):
        started.append(Server(*arguments, **variables))
        return started[-1]

    yield begin
    for each in started:
        each.stop()


@pytest.fixture
def local():
    """A client of an application in this process, with settings of one's own."""
    from starlette.testclient import TestClient

    from revops_ma.server.app import build

    opened = []

    def begin(**settings):
        address = "http://127.0.0.1:8000"
        client = TestClient(
            build(Settings(**settings)), base_url=address, client=("127.0.0.1", 50000)
        )
        opened.append(client)
        return client.__enter__()

    yield begin
    for client in opened:
        client.__exit__(None, None, None)


@pytest.fixture(scope="session")
def chromium():
    """The program of a browser."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.fail(f"no Chromium: looked for {', '.join(BROWSERS)}; apt-get install chromium")
    return program
