"""The command line as other programs meet it: real processes, pipes and encodings."""

import os
import subprocess
import sys

COMMAND = [sys.executable, "-m", "revops_ma.cli"]


def call(*arguments, **environment):
    return subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        env={**os.environ, **environment},
        check=False,
        timeout=120,
    )


def test_an_ascii_log_gets_readable_tables():
    told = call(
        *("tournament", "--pilots", "heuristic", "--crises", "none,random", "-n", "5"),
        PYTHONIOENCODING="ascii",
    )
    assert told.returncode == 0
    assert "heuristic" in told.stdout.decode("ascii")


def test_an_ascii_terminal_gets_a_sparkline_too():
    told = call(
        *("play", "revops/normal", "--pilot", "random", "--crisis", "random", "--seed", "1"),
        PYTHONIOENCODING="ascii",
    )
    assert told.returncode == 0
    assert "?" not in told.stdout.decode("ascii")


def test_a_reader_that_leaves_early_is_no_traceback():
    command = " ".join([*COMMAND, "list", "|", "head", "-n", "1"])
    told = subprocess.run(command, shell=True, capture_output=True, check=False, timeout=120)
    assert b"Traceback" not in told.stderr


def test_hash_seeds_do_not_matter():
    asked = ("match", "random", "hunter", "-n", "3", "--seed", "8", "--json")
    runs = [call(*asked, PYTHONHASHSEED=seed).stdout.decode() for seed in ("1", "2")]
    cut = [text[: text.index('"seconds"')] for text in runs]
    assert cut[0] == cut[1]
