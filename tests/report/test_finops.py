"""The report knows no world: the support desk gets its tickets and its calls all the same."""

import re
from pathlib import Path

import pytest

import revops_ma.report as report_package
from revops_ma import catalog
from revops_ma.arena.match import play_match
from revops_ma.arena.tournament import play_tournament
from revops_ma.report import write
from revops_ma.report.collect import collect
from revops_ma.report.trail import samples
from revops_ma.run import Run


@pytest.fixture(scope="module")
def storm_run(tmp_path_factory):
    path = tmp_path_factory.mktemp("storm")
    players = {"pilot": "optimal", "crisis": "worst"}
    play_match(players, "finops/loyalty-storm", 8, 0, path)
    return path


@pytest.fixture(scope="module")
def calm_run(tmp_path_factory):
    path = tmp_path_factory.mktemp("calm")
    play_match({"pilot": "optimal", "crisis": "none"}, "finops/task1", 3, 0, path)
    return path


def words(path):
    page = write(path).read_text(encoding="utf-8")
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.split("<body>")[1]))


def test_a_sample_shows_the_ticket_and_every_call_with_its_answer_and_pay(calm_run):
    text = words(calm_run)
    assert "double-charged for their March invoice" in text
    assert "Step budget 10." in text
    assert "Score 0.98 Steps 4 Step budget 10 Return 0.94" in text
    assert (
        "create_refund(invoice_id='inv_902') ok \N{MINUS SIGN}0.01 inv_902 refunded, $500.00"
        in text
    )
    assert '"status": "refunded"' not in text
    assert "submit() ok 0.97 handed in; graded 0.980" in text
    assert "time \N{MINUS SIGN}0.01, score 0.98" in text


def test_disturbances_stand_where_they_struck_and_penalties_are_named(storm_run):
    page = write(storm_run).read_text(encoding="utf-8")
    turns = re.findall(r'<li class="(plain|good|bad)( other)?">(.*?)</li>', page, re.DOTALL)
    marks = [("other" in other, "struck" in what) for _, other, what in turns]
    assert (True, True) in marks
    assert not any(struck and not other for other, struck in marks)
    assert "regression \N{MINUS SIGN}0.50" in page
    first = next(at for at, (other, _) in enumerate(marks) if other)
    assert first % 3 == 0


def test_episodes_that_all_went_the_same_way_are_shown_once(calm_run, storm_run):
    (only,) = samples(collect(Run(calm_run)))
    assert only.title == "Every episode"
    assert len(samples(collect(Run(storm_run)))) == 3


def test_what_a_run_cannot_show_is_left_out(calm_run, storm_run, tmp_path):
    for path in (calm_run, storm_run):
        page = write(path).read_text(encoding="utf-8")
        assert "not lost yet" not in page
        assert "Survival" not in page
    assert 'class="chart ridges' not in write(calm_run).read_text(encoding="utf-8")
    play_match({"pilot": "optimal", "crisis": "none"}, "finops/task1", 1, 0, tmp_path)
    assert 'id="outcomes"' not in write(tmp_path).read_text(encoding="utf-8")


def test_unset_rules_are_not_listed_and_nested_ones_are(calm_run, storm_run):
    assert "None" not in words(calm_run).split("Provenance")[-1]
    assert "generate.family = loyalty" in words(storm_run)


def test_a_tournament_of_the_support_desk_is_reported(tmp_path):
    scene = catalog.scenario("finops/task1-storm")
    scripted = {card.name for card in catalog.agents() if card.kind == "scripted"}
    pilots, crises = (
        [name for name in catalog.fitting(role, scene.world) if name in scripted][:2]
        for role in ("pilot", "crisis")
    )
    play_tournament(pilots, crises, scene.name, 6, 1_000_000, tmp_path)
    page = write(tmp_path).read_text(encoding="utf-8")
    for name in (*pilots, *crises, "Solved", "search_customers"):
        assert name in page


def test_nothing_in_the_report_names_a_world():
    folder = Path(report_package.__file__).parent
    for path in folder.rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        assert not re.search(r"worlds\.\w|finops|\brevops\b(?!_|-ma)", source), path


def test_the_page_fits_a_phone_and_says_nothing_to_the_console(browser, storm_run, tmp_path):
    page = write(storm_run)
    assert browser.dom(page).count('class="log"') == 3
    probe = tmp_path / "probe.html"
    probe.write_text(_PROBE.format(page=page.resolve().as_uri()), encoding="utf-8")
    measured = re.search(r"<output>(\d+) of (\d+)</output>", browser.loose_dom(probe))
    assert measured
    assert int(measured[1]) <= int(measured[2])


_PROBE = """<!doctype html><body><iframe src="{page}" width="380" height="800"></iframe>
<output></output>
<script>
addEventListener("load", () => {{
  const root = document.querySelector("iframe").contentDocument.documentElement;
  document.querySelector("output").textContent = `${{root.scrollWidth}} of ${{root.clientWidth}}`;
}});
</script></body>"""
