"""One story of the company world: from a scenario to a report, as a stranger would walk it."""

import json

import pytest

from revops_ma import catalog
from revops_ma.arena.match import play_match
from revops_ma.arena.tournament import play_tournament
from revops_ma.episode import digest_of, replay
from revops_ma.report import write
from revops_ma.run import Run


def test_from_scenario_to_report(tmp_path):
    scene = catalog.scenario("revops/normal")
    assert scene.world.name == "revops"

    match = play_match(
        {"pilot": "heuristic", "crisis": "rule-based"},
        "revops/normal",
        50,
        1_000_000,
        tmp_path / "match",
    )
    assert 0.5 < match.result.survival.mean < 0.95

    for episode in list(Run(tmp_path / "match").episodes())[:10]:
        again = replay(scene.world, scene.settings, episode.seed, episode.moves)
        assert digest_of(again, 0, episode.moves) == episode.digest

    tournament = play_tournament(
        ["heuristic", "do-nothing"],
        ["none", "hunter"],
        "revops/normal",
        20,
        1_000_000,
        tmp_path / "cup",
    )
    document = json.loads(json.dumps(tournament.to_json(), allow_nan=False))
    assert document["best_response"]["heuristic"] == "hunter"
    assert document["nash"]["crisis"]["hunter"] == pytest.approx(1.0)

    page = write(tmp_path / "cup").read_text(encoding="utf-8")
    assert "heuristic" in page
    assert "hunter" in page
