import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from revops_ma.claims import Bound, Finding, Measured

module = importlib.import_module("revops_ma.arena.audit.audit")
SCRIPT = Path(__file__).parents[2] / "scripts" / "claims"


def claim(name, figure):
    found = Finding(figure, Bound("<=", 1), "Found | out.", [{"who": "<b>", "x": 0.5}])
    return Measured(name=name, why="What is claimed.", measure=lambda lab: found)


@pytest.fixture
def holding(monkeypatch):
    monkeypatch.setattr(module, "claims_of", lambda scene: [claim("one", 0.25), claim("two", 1)])


@pytest.fixture
def broken(monkeypatch):
    monkeypatch.setattr(module, "claims_of", lambda scene: [claim("one", 0.25), claim("two", 2)])


def test_a_certificate_that_holds_is_exit_code_0(run, holding):
    told = run("audit", "revops/normal")
    assert told.code == 0
    assert "2 of 2 checks hold" in told.out
    assert "\none\n  What is claimed. Found | out." in told.out
    assert re.search(r"one +holds +0.25 +<= 1", told.out)
    assert max(len(line) for line in told.out.splitlines()) <= 80


def test_a_check_that_fails_is_exit_code_1_and_is_named(run, broken):
    told = run("audit", "revops/normal")
    assert told.code == 1
    assert re.search(r"two +FAILS +2 +<= 1", told.out)
    told = run("audit", "revops/normal", "--json")
    assert told.code == 1
    assert told.document["holds"] is False


def test_json_is_one_document(run, holding):
    document = run("audit", "revops/normal", "--quick", "--json").document
    assert document["scenario"] == "revops/normal"
    assert [check["name"] for check in document["checks"]] == ["one", "two"]
    assert document["quick"] is True


def test_out_writes_the_certificate_twice(run, holding, tmp_path):
    folder = tmp_path / "new" / "audits"
    assert run("audit", "revops/normal", "--out", folder).code == 0
    assert sorted(path.name for path in folder.iterdir()) == ["audit.html", "audit.json"]
    document = json.loads((folder / "audit.json").read_text())
    page = (folder / "audit.html").read_text()
    assert document["rules"]["hash"] in page
    assert "Every claim holds" in page
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert "http" not in page.replace("http-equiv", "")


def test_the_page_names_what_fails(run, broken, tmp_path):
    run("audit", "revops/normal", "--quick", "--out", tmp_path)
    page = (tmp_path / "audit.html").read_text()
    assert "Fails: two." in page
    assert "A quick audit" in page


def test_a_file_in_the_way_is_told(run, holding, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    told = run("audit", "revops/normal", "--out", blocked)
    assert told.code == 2
    assert "--out: got" in told.err


def test_help_shows_an_example(run):
    told = run("audit", "--help")
    assert "Example: revops-ma audit revops/normal" in told.out
    assert max(len(line) for line in told.out.splitlines()) <= 80


def test_the_readme_table_is_written_between_its_marks(run, holding, tmp_path):
    run("audit", "revops/normal", "--out", tmp_path)
    readme = tmp_path / "README.md"
    readme.write_text("before\n<!-- claims:begin -->\nstale\n<!-- claims:end -->\nafter\n")
    command = [sys.executable, SCRIPT, tmp_path / "audit.json", "--readme", readme]
    for _ in range(2):
        subprocess.run(command, check=True)
    text = readme.read_text()
    assert text.startswith("before\n<!-- claims:begin -->\n| `revops/normal` |")
    assert text.endswith("|\n<!-- claims:end -->\nafter\n")
    assert "| one | holds | 0.25 | <= 1 | What is claimed. Found / out. |" in text
    assert "stale" not in text


def test_a_readme_without_marks_is_left_alone(run, holding, tmp_path):
    run("audit", "revops/normal", "--out", tmp_path)
    readme = tmp_path / "README.md"
    readme.write_text("no marks\n")
    command = [sys.executable, SCRIPT, tmp_path / "audit.json", "--readme", readme]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1
    assert readme.read_text() == "no marks\n"


def test_a_pilot_is_measured_with_hostile_words(run):
    told = run("audit", "revops/narrative", "--pilot", "heuristic", "--quick", "--json")
    assert told.code == 0
    (check,) = told.document["checks"]
    assert (check["name"], check["figure"]) == ("attack success: heuristic", 0.0)
    told = run("audit", "finops/task1", "--pilot", "optimal")
    assert told.code == 2
    assert "claims nothing about single pilots" in told.err
