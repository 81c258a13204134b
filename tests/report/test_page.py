import json
import re
import shutil
from html import unescape
from pathlib import Path

import numpy as np
import pytest

import revops_ma.report as report_package
from revops_ma import catalog
from revops_ma.arena.results import summarise
from revops_ma.episode import Episode
from revops_ma.errors import BadInput
from revops_ma.report import write
from revops_ma.report.collect import Rules, collect
from revops_ma.report.trail import chosen, follow, samples
from revops_ma.run import Run, writing

NASTY = "<img src=x onerror=alert(1)>"


def rewritten(
    source: Path, target: Path, change_config=None, change_episode=None, keep=None
) -> Path:
    """Copy a run with a changed config, changed episodes, or only its first ones."""
    run = Run(source)
    config = json.loads(json.dumps(run.config))
    episodes = [episode.to_json() for episode in run.episodes()][:keep]
    if change_config:
        change_config(config)
    for record in episodes:
        if change_episode:
            change_episode(record)
    with writing(target, config, run.manifest["planned"]) as writer:
        if episodes:
            writer.append([Episode.from_json(record) for record in episodes])
    return target


def fail(record):
    record |= {"status": "failed", "reason": "provider", "ending": "", "won": False, "moves": []}


def test_the_report_is_written_beside_the_run(match_run, match_page):
    assert match_page == match_run / "report.html"
    assert not list(match_run.glob("*.partial"))


def test_the_same_run_gives_the_same_bytes(cup_run, cup_page):
    first = cup_page.read_bytes()
    assert write(cup_run).read_bytes() == first


@pytest.mark.parametrize("which", ["match_page", "cup_page"])
def test_the_page_refers_to_nothing_outside(which, request):
    page = request.getfixturevalue(which).read_text(encoding="utf-8")
    outside = re.sub(r"http://www\.w3\.org/\d+/svg", "", page)
    assert not re.search(
        r"https?:|//[a-z]|@import|url\(|<link|<iframe|<img", outside.split("<body>")[1]
    )
    assert not re.search(r"https?://|@import|url\(", outside)
    assert "default-src 'none'" in unescape(page)
    assert " style=" not in page


def test_style_and_script_can_stand_inside_a_page():
    folder = Path(report_package.__file__).parent
    for name in ("style.css", "script.js"):
        assert "</" not in (folder / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("which", ["match_run", "cup_run"])
def test_the_tables_hold_the_figures_of_the_arena(which, request):
    path = request.getfixturevalue(which)
    run = Run(path)
    world = catalog.scenario(run.config["scenario"]).world
    episodes, planned = list(run.episodes()), run.config["episodes"]
    page = write(path).read_text(encoding="utf-8")
    rows = re.findall(
        r"<tr>(.*?)</tr>", page.split("Figures of each matchup")[-1].split("</table>")[0]
    )
    told = [[float(v) for v in re.findall(r'<data value="([^"]+)"', row)] for row in rows]
    told = [row for row in told if row]
    assert len(told) == len(run.config["matchups"])
    for index, row in enumerate(told):
        result = summarise(episodes[index * planned : (index + 1) * planned], planned, world)
        estimates = [
            result.survival,
            result.episode_return,
            result.reward_per_step,
            *result.facts.values(),
        ]
        assert row == [end for e in estimates for end in (e.mean, e.low, e.high)]


def test_names_of_agents_stay_text(cup_run, tmp_path):
    def rename(config):
        for players in config["matchups"]:
            players["pilot"] = players["pilot"].replace("heuristic", NASTY)

    page = write(rewritten(cup_run, tmp_path / "run", rename)).read_text(encoding="utf-8")
    assert "<img" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page


def test_a_run_of_one_episode_is_reported(match_run, tmp_path):
    run = tmp_path / "one"
    rewritten(match_run, run, lambda config: config.update(episodes=1), keep=1)
    page = write(run).read_text(encoding="utf-8")
    assert "seed 1000000" in page


@pytest.mark.parametrize("which", ["match_run", "cup_run"])
def test_a_run_in_which_everything_failed_is_reported(which, request, tmp_path):
    source = request.getfixturevalue(which)
    page = write(rewritten(source, tmp_path / "run", change_episode=fail)).read_text(
        encoding="utf-8"
    )
    planned = Run(source).manifest["planned"]
    assert f"of {planned} planned, {planned} failed" in page
    assert "no completed episode" in page or "needs a completed episode" in page
    assert "nan" not in re.sub(r"[a-z]nan|nan[a-z]", "", page.lower())


def test_a_run_in_which_everything_was_won_is_reported(cup_run, tmp_path):
    def win(record):
        record |= {"won": True, "ending": "survived", "steps": 30}

    page = write(rewritten(cup_run, tmp_path / "run", change_episode=win)).read_text(
        encoding="utf-8"
    )
    assert "100.0%" in page


def test_an_unfinished_run_says_so(cup_run, tmp_path):
    page = write(rewritten(cup_run, tmp_path / "run", keep=40)).read_text(encoding="utf-8")
    assert "This run is unfinished: 40 of 150 planned episodes" in page
    assert "A Nash mixture needs a completed episode in every matchup" in page


def test_an_ending_that_is_sometimes_a_success_is_told_twice(match_run, tmp_path):
    def end_alike(record):
        record["ending"] = "submitted"

    page = write(rewritten(match_run, tmp_path / "run", change_episode=end_alike))
    text = page.read_text(encoding="utf-8")
    assert "submitted, won" in text
    assert "submitted, not won" in text


def test_rules_of_another_version_are_told_and_nothing_is_replayed(match_run, tmp_path):
    def age(config):
        config["rules"] = config["rules"].replace(" v1 ", " v0 ")

    page = write(rewritten(match_run, tmp_path / "run", age)).read_text(encoding="utf-8")
    assert "Played by version 0 of the rules" in page
    assert "Sample episodes" not in page


def test_an_episode_that_replays_otherwise_is_not_drawn(match_run, tmp_path):
    def tamper(record):
        record["digest"] = "0" * 16

    page = write(rewritten(match_run, tmp_path / "run", change_episode=tamper))
    text = page.read_text(encoding="utf-8")
    assert text.count("does not replay to its recorded digest") == 3


def test_a_run_of_another_kind_is_refused(match_run, tmp_path):
    run = rewritten(match_run, tmp_path / "run", lambda config: config.update(kind="training"))
    with pytest.raises(BadInput, match="match or tournament"):
        write(run)
    with pytest.raises(BadInput, match="no run directory"):
        write(tmp_path)


def test_samples_are_the_worst_the_median_and_the_best(match_run):
    findings = collect(Run(match_run))
    returns = sorted(findings.pairings[0].result.returns)
    found = [trail.episode.returns["pilot"] for trail in samples(findings)]
    assert found == [returns[0], returns[19], returns[-1]]
    assert [title for title, _ in chosen(findings.pairings[0].completed[:2], "pilot")] == [
        "Episode"
    ] * 2


def test_a_trail_pays_what_the_episode_paid(match_run):
    findings = collect(Run(match_run))
    for trail in samples(findings):
        assert trail.is_faithful
        assert len(trail.steps) == trail.episode.steps
        paid = sum(step.reward for step in trail.steps)
        assert paid == pytest.approx(trail.episode.returns["pilot"])
        assert paid == pytest.approx(np.sum([step.signals for step in trail.steps]))
        assert trail.values("mrr")[-1] == trail.episode.facts["final_mrr"]
        assert all(step % 3 == 0 for step in trail.strikes())


class _Silent:
    """A world with nothing to draw and long captions, behind the real one."""

    def __init__(self, world, roles):
        self._world, self.roles = world, roles

    def __getattr__(self, name):
        return getattr(self._world, name)

    def trace(self, games, rows):
        return {}


class _Talker:
    def __init__(self, role):
        self._role = role

    def __getattr__(self, name):
        return getattr(self._role, name)

    def caption(self, batch, position):
        return f"{NASTY} " + "long " * 500


def test_a_world_without_trace_and_with_long_moves_is_reported(match_run, tmp_path, monkeypatch):
    real = catalog.world("revops")
    silent = _Silent(real, tuple(_Talker(role) for role in real.roles))
    monkeypatch.setattr(catalog, "world", lambda name: silent)
    run = shutil.copytree(match_run, tmp_path / "run")
    page = write(run).read_text(encoding="utf-8")
    assert "Cash runway" not in page
    assert "<img" not in page
    assert "long " * 40 not in page
    findings = collect(Run(run))
    rules = Rules(silent, findings.rules.settings, 1)
    assert follow(rules, findings.pairings[0], findings.pairings[0].completed[0], "x").is_faithful
