"""TRL's own trainer plays on a server: a session for each row of its batch, all at once."""

from functools import partial

import pytest

pytest.importorskip("trl", reason="needs the grpo extra")

import httpx

from revops_ma.client import RevOpsTools
from tests.adapters.test_trl_trainer import COMPANY, call, trained

pytestmark = [
    pytest.mark.grpo,
    pytest.mark.serve,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:.*Swig.*"),
    pytest.mark.filterwarnings("ignore:.*gradient_checkpointing.*is deprecated.*"),
]
SESSIONS = 8


def counted(server, name):
    text = httpx.get(f"{server.url}/metrics", trust_env=False).text
    line = next(line for line in text.splitlines() if line.startswith(f"revops_ma_{name} "))
    return float(line.split()[1])


def test_the_stock_trainer_drives_eight_sessions_at_once(start, tmp_path):
    server = start("--scenario", "revops/normal", "--max-sessions", str(SESSIONS))
    calls = [call("act", arguments) for arguments in COMPANY]
    factory = partial(RevOpsTools, server.url)
    log, environments, changed = trained(tmp_path, factory, calls, turns=3, batch=SESSIONS)
    assert len(environments) == SESSIONS
    assert counted(server, "sessions_active") == SESSIONS
    assert counted(server, "sessions_refused_total") == 0
    assert counted(server, "episodes_total") == SESSIONS
    assert counted(server, "steps_total") == log["tools/call_frequency"] * SESSIONS
    assert log["tools/failure_frequency"] == 0
    earned = [each.get_reward() for each in environments]
    assert len(set(earned)) > 1
    assert log["reward"] == pytest.approx(sum(earned) / SESSIONS, abs=1e-5)
    assert changed
