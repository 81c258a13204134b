"""One story of the support desk: from a ticket to a report, as a stranger would walk it."""

import json

from revops_ma import catalog
from revops_ma.arena.match import play_match
from revops_ma.arena.tournament import play_tournament
from revops_ma.episode import digest_of, replay
from revops_ma.report import write
from revops_ma.run import Run


def test_from_ticket_to_report(tmp_path):
    scene = catalog.scenario("finops/task1")
    calm = play_match(
        {"pilot": "optimal", "crisis": "none"}, "finops/task1", 1, 0, tmp_path / "calm"
    )
    assert calm.result.facts["score"].mean == 0.98
    assert calm.result.facts["steps"].mean == 4
    (episode,) = Run(tmp_path / "calm").episodes()
    again = replay(scene.world, scene.settings, episode.seed, episode.moves)
    assert digest_of(again, 0, episode.moves) == episode.digest

    storm = play_tournament(
        ["optimal", "careful"],
        ["none", "worst"],
        "finops/loyalty-storm",
        8,
        1_000_000,
        tmp_path / "storm",
    )
    document = json.loads(json.dumps(storm.to_json(), allow_nan=False))
    assert document["best_response"]["optimal"] == "worst"
    lost = {
        pilot: cells["none"]["facts"]["score"]["mean"] - cells["worst"]["facts"]["score"]["mean"]
        for pilot, cells in document["payoff"].items()
    }
    assert lost["optimal"] > 0.1 > lost["careful"]

    page = write(tmp_path / "storm").read_text(encoding="utf-8")
    for words in ("discount", "handed in; graded 0.980", "struck", "list_customers"):
        assert words in page
