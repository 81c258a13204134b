"""`revops-ma selfplay` says what is wrong in one line, before anything is trained."""

import pytest


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--mixing", "oldest"], "uniform, nash, newest"),
        (["--rounds", "0"], "from 1 to 90"),
        (["--seed", "-1"], "from 0 to 99"),
        (["--scripts", "nobody"], "no agent called 'nobody'"),
        (["--scenario", "revops/none"], "no scenario called"),
        (["--scripts-share", "1.5"], "a share between 0 and 1"),
    ],
)
def test_wrong_input_is_told_in_one_line(run, tmp_path, arguments, said):
    told = run("selfplay", *arguments, "--out", tmp_path / "run")
    assert told.code == 2
    assert said in told.err
    assert told.err.strip().count("\n") <= 1
    assert not (tmp_path / "run").exists()


def test_help_has_an_example(run):
    assert "--rounds 8 --scenario revops/normal" in run("selfplay", "--help").out
