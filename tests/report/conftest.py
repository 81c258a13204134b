"""Runs that the report's tests read, and the browser that looks at the pages."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from revops_ma.arena.match import play_match
from revops_ma.arena.tournament import play_tournament
from revops_ma.report import write

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--virtual-time-budget=4000",
    "--enable-logging=stderr",
    "--v=0",
)


@pytest.fixture(scope="session")
def match_run(tmp_path_factory):
    path = tmp_path_factory.mktemp("match")
    players = {"pilot": "heuristic", "crisis": "rule-based"}
    play_match(players, "revops/normal", 40, 1_000_000, path)
    return path


@pytest.fixture(scope="session")
def cup_run(tmp_path_factory):
    path = tmp_path_factory.mktemp("cup")
    pilots, crises = ["heuristic", "random", "do-nothing"], ["none", "random"]
    play_tournament(pilots, crises, "revops/normal", 25, 1_000_000, path)
    return path


@pytest.fixture(scope="session")
def match_page(match_run):
    return write(match_run)


@pytest.fixture(scope="session")
def cup_page(cup_run):
    return write(cup_run)


class Browser:
    """A headless Chromium that reads one page and goes away."""

    def __init__(self, program, profile):
        self.program, self.profile = program, profile

    def dom(self, page: Path, fragment: str = "") -> str:
        """The document after its scripts ran; fails if it wrote anything to the console."""
        return self._run(page, fragment, "--dump-dom").stdout

    def loose_dom(self, page: Path) -> str:
        """The document of a probe that may look into the frames of other files."""
        return self._run(page, "", "--allow-file-access-from-files", "--dump-dom").stdout

    def picture(
        self, page: Path, target: Path, fragment: str = "", size: str = "1200,1600"
    ) -> Path:
        """A PNG of the page."""
        self._run(page, fragment, f"--window-size={size}", f"--screenshot={target}")
        return target

    def _run(self, page, fragment, *flags):
        address = page.resolve().as_uri() + (f"#{fragment}" if fragment else "")
        command = [self.program, *FLAGS, f"--user-data-dir={self.profile}", *flags, address]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
        told = re.findall(r"^.*CONSOLE.*$", done.stderr, re.MULTILINE)
        assert not told, told
        return done


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.fail(
            f"no Chromium: looked for {', '.join(BROWSERS)} in PATH; install one, for example with"
            " `apt-get install chromium`"
        )
    return Browser(program, tmp_path_factory.mktemp("profile"))
