"""Ctrl-C, killed runs, and a system that refuses: one line, the right code, nothing lost."""

import os
import signal
import subprocess
import sys
import time

import pytest

from revops_ma.run import Run

COMMAND = [sys.executable, "-m", "revops_ma.cli"]


def start(asked):
    # Test runners ignore SIGINT in their workers, and children inherit that.
    return subprocess.Popen(
        asked,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )


def interrupt(process):
    """Press Ctrl-C until it is heard: numba swallows one that meets its compiler."""
    for _ in range(60):
        process.send_signal(signal.SIGINT)
        try:
            return process.communicate(timeout=2)[1].decode()
        except subprocess.TimeoutExpired:
            continue
    process.kill()
    raise AssertionError("Ctrl-C was never heard")


def test_ctrl_c_is_one_line_and_the_same_command_goes_on_without_a_seed(tmp_path):
    out = tmp_path / "run"
    asked = [*COMMAND, "match", "planner", "rule-based", "-n", "100000", "--out", str(out)]
    process = start(asked)
    deadline = time.monotonic() + 120
    while not list(out.glob("episodes-*.jsonl")) and time.monotonic() < deadline:
        time.sleep(0.1)
    told = interrupt(process)
    assert process.returncode == 130
    assert told.splitlines()[-1] == (
        "revops-ma: interrupted; a run with --out goes on with the same command"
    )
    seed = Run(out).config["seed"]
    again = start(asked)
    time.sleep(4)
    told = interrupt(again)
    assert "holds another run" not in told
    assert Run(out).config["seed"] == seed


@pytest.mark.parametrize("where", ["/proc/nowhere/run", "/etc/hostname/run", "x" * 300])
def test_a_place_that_cannot_be_written_is_one_line(run, where):
    told = run("match", "random", "none", "-n", "1", "--out", where)
    assert told.code in (1, 2)
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert "Traceback" not in told.err


def test_a_very_long_name_is_one_line(run):
    told = run("match", "a" * 5_000 + ".toml", "none")
    assert told.code in (1, 2)
    assert told.err.count("\n") == 1


def test_a_full_device_is_one_line():
    with open("/dev/full", "w") as full:
        told = subprocess.run(
            [*COMMAND, "list", "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=120,
            env=os.environ,
        )
    assert told.returncode != 0
    assert b"Traceback" not in told.stderr
