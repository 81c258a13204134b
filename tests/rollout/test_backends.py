"""Choosing a backend: what is refused, what is loaded, and what real processes leave behind."""

import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from revops_ma.errors import BadInput
from revops_ma.rollout import EmbeddedPool, open_pool
from revops_ma.run import Run
from tests.cli.test_interrupt import COMMAND, start

MATCH = ("match", "random", "none", "-n", "1")


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--backend", "rya"), "--backend: got 'rya'; allowed: embedded, ray"),
        (("--workers", "2"), "--workers: got 2; allowed: 1 with --backend embedded; --backend ray"),
        (
            ("--backend", "ray", "--workers", "0"),
            "--workers: got 0; allowed: a whole number from 1",
        ),
        (("--backend", "ray", "--workers", "2000"), "--workers: got 2000; allowed: a whole number"),
        (("--backend", "ray", "--workers", "two"), "--workers"),
    ],
)
@pytest.mark.parametrize(
    "command",
    [
        MATCH,
        ("tournament", "--pilots", "random", "--crises", "none", "-n", "1"),
        ("replay", "runs/nowhere"),
    ],
)
def test_wrong_flags_are_one_line(run, command, flags, words):
    told = run(*command, *flags)
    assert (told.code, told.out, told.err.count("\n")) == (2, "", 1)
    assert words in told.err


def test_a_missing_extra_is_one_line(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    told = run(*MATCH, "--backend", "ray")
    assert (told.code, told.out, told.err.count("\n")) == (2, "", 1)
    assert 'pip install "revops-ma[ray]"' in told.err


def test_one_worker_is_what_the_embedded_backend_has():
    assert isinstance(open_pool(), EmbeddedPool)
    assert isinstance(open_pool("embedded", 1), EmbeddedPool)
    with pytest.raises(BadInput, match="--workers"):
        open_pool("embedded", 2)


@pytest.mark.parametrize("module", ["revops_ma", "revops_ma.rollout", "revops_ma.rollout.ray_pool"])
def test_ray_is_loaded_when_it_is_needed_and_no_sooner(module):
    script = f"import sys, {module}; print('ray' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


@pytest.mark.ray
def test_a_cluster_that_is_not_there_is_one_line():
    done = subprocess.run(
        [*COMMAND, *MATCH, "--backend", "ray"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "RAY_ADDRESS": "nonsense"},
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "RAY_ADDRESS: got 'nonsense'" in done.stderr


def processes_with(mark):
    """Process ids whose environment holds a mark: a command and all its children."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def workers_of(mark):
    return [
        pid
        for pid in processes_with(mark)
        if b"ray::Worker" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]


@pytest.mark.ray
def test_a_real_process_goes_on_when_a_worker_dies_and_leaves_nothing_behind(tmp_path, monkeypatch):
    """One worker is killed, which Ray would tell on stdout; then comes Ctrl-C."""
    mark, out = uuid.uuid4().hex.encode(), tmp_path / "run"
    monkeypatch.setenv("REVOPS_MA_TEST_MARK", mark.decode())
    asked = [*COMMAND, "match", "planner", "rule-based", "-n", "100000", "--seed", "1", "--json"]
    process = start([*asked, "--out", str(out), "--backend", "ray", "--workers", "2"])
    wait_until(lambda: written(out))
    doomed = workers_of(mark)[0]
    os.kill(doomed, signal.SIGKILL)
    wait_until(lambda: len(set(workers_of(mark)) - {doomed}) == 2)
    before = written(out)
    wait_until(lambda: written(out) > before)
    process.send_signal(signal.SIGINT)
    said, complained = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, b"")
    assert complained.decode().splitlines()[-1] == (
        "revops-ma: interrupted; a run with --out goes on with the same command"
    )
    assert processes_with(mark) == []
    assert all(episode.status == "completed" for episode in Run(out).episodes())


def written(out):
    return sum(file.stat().st_size for file in out.glob("episodes-*"))


def wait_until(is_so, seconds=120):
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)
