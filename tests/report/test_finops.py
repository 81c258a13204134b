"""The report knows no world: the support desk gets one too."""

from revops_ma import catalog
from revops_ma.arena.tournament import play_tournament
from revops_ma.report import write


def test_a_tournament_of_the_support_desk_is_reported(tmp_path):
    scene = catalog.scenario("finops/task1-storm")
    pilots = catalog.fitting("pilot", scene.world)[:2]
    crises = catalog.fitting("crisis", scene.world)[:2]
    play_tournament(pilots, crises, scene.name, 6, 1_000_000, tmp_path)
    page = write(tmp_path).read_text(encoding="utf-8")
    for name in (*pilots, *crises, "Solved", "search_customers"):
        assert name in page
