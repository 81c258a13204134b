"""Kills at every instant: simulated at each step that touches the disk, and real ones at random."""

import random
import signal
import subprocess
import sys
import time

import pytest

from revops_ma.run import Run, manifest, writer
from tests.run.common import files, play


class Killed(BaseException):
    """The process is gone: nothing that comes after may touch the disk."""


class Grim:
    """Kills at the n-th step that touches the disk, half-way through it."""

    def __init__(self, patch, at):
        self.left, self.is_dead = at, False
        real_write, real_replace = writer._write_all, manifest.write_atomically

        def write(file, text):
            if self.strikes():
                real_write(file, text[: at * 97 % len(text)])
                raise Killed
            if not self.is_dead:
                real_write(file, text)

        def replace(path, text):
            if self.strikes():
                path.with_name(f".{path.name}.1.partial").write_text(text[: len(text) // 2])
                raise Killed
            if not self.is_dead:
                real_replace(path, text)

        patch.setattr(writer, "_write_all", write)
        patch.setattr(writer, "write_atomically", replace)
        patch.setattr(writer, "COMMIT_SECONDS", 0.0)
        patch.setattr(writer, "COMMIT_SHARE", 1e9)

    def strikes(self):
        self.left -= 1
        if self.left < 0 and not self.is_dead:
            self.is_dead = True
            return True
        return False


def test_a_kill_at_every_write_and_every_commit_loses_nothing(whole, tmp_path):
    at = kills = 0
    while True:
        path = tmp_path / str(at)
        with pytest.MonkeyPatch.context() as patch:
            grim = Grim(patch, at)
            try:
                play(path)
            except Killed:
                kills += 1
        if not grim.is_dead:
            break
        play(path)
        assert files(path) == files(whole)
        at += 1
    assert kills >= 6


def command(path, episodes, pilots):
    """A tournament against the slowest crisis engine, so that there is time for kills."""
    return [
        *(sys.executable, "-m", "revops_ma.cli", "tournament", "--pilots", pilots),
        *("--crises", "hunter", "-n", str(episodes), "--seed", "1000"),
        *("--out", str(path), "--json"),
    ]


def kill_often(asked, path, kills, seconds, random_):
    """Start a command again and again and kill it while it plays; tells how often it was killed."""
    for done in range(kills):
        with subprocess.Popen(asked, stdout=subprocess.DEVNULL) as process:
            lines = sum(file.stat().st_size for file in path.glob("episodes-*"))
            while process.poll() is None and lines == sum(
                file.stat().st_size for file in path.glob("episodes-*")
            ):
                time.sleep(0.005)
            time.sleep(random_.uniform(0, seconds))
            process.send_signal(signal.SIGKILL)
            if process.wait() == 0:
                return done
    return kills


def check_kills(tmp_path, episodes, pilots, kills, seconds):
    """Kill as many tournaments as it takes, let each go on to its end, and compare the files."""
    unbroken = tmp_path / "unbroken"
    subprocess.run(command(unbroken, episodes, pilots), check=True, capture_output=True)
    random_, killed = random.Random(5), 0
    while killed < kills:
        broken = tmp_path / f"broken-{killed}"
        asked = command(broken, episodes, pilots)
        here = kill_often(asked, broken, kills - killed, seconds, random_)
        print(f"{here} kills of one tournament")
        subprocess.run(asked, check=True, capture_output=True)
        assert files(broken) == files(unbroken)
        keys = [(episode.matchup, episode.seed) for episode in Run(broken).episodes()]
        assert len(keys) == len(set(keys)) == Run(broken).manifest["planned"]
        killed += here


def test_kills_of_a_tournament_lose_nothing(tmp_path):
    check_kills(tmp_path, 80, "heuristic,heuristic-tuned", kills=5, seconds=0.15)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_fifty_kills_of_a_tournament_of_two_thousand_episodes_lose_nothing(tmp_path):
    pilots = "heuristic,heuristic-tuned,random,fixed-marketing"
    check_kills(tmp_path, 500, pilots, kills=50, seconds=0.2)
