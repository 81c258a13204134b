"""`revops-ma bench --rllib`: what it compares, never how fast it is."""

import pytest

from revops_ma import bench
from revops_ma.bench import meter

pytestmark = [pytest.mark.ray, pytest.mark.slow]


def test_our_sampling_stands_beside_rllibs_own(monkeypatch):
    monkeypatch.setattr(meter, "ROUNDS", 1)
    lines = {line.name: line for line in bench.run(0.001, (bench.EXTRA_FAMILIES["rllib"],))}
    assert all(line.value is not None and line.value > 0 for line in lines.values())
    assert lines["GamesRunner / MultiAgentEnvRunner"].value > 10
    assert lines["ready batches / episodes"].unit == "x"
