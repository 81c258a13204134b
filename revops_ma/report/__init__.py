"""The report of a run: one HTML file that needs nothing else, neither network nor scripts.

collect.py   a run -> matchups with figures          trail.py    sample episodes, replayed
charts/      figures -> SVG, pure functions          parts.py    panels, legends, tables
headline, payoff, outcomes, moves, samples           the sections
page.py      all of it in one document, with style.css and script.js inside
training.py, selfplay.py  the pages of training and self-play runs
"""

from pathlib import Path

from revops_ma.report import selfplay, training
from revops_ma.report.collect import collect
from revops_ma.report.page import page
from revops_ma.run import REPORT, Run, write_atomically


def write(run_path: Path) -> Path:
    """Write `report.html` into a run directory and return its path.

    Raises BadInput for a directory that is no run, or a run of another kind than match, tournament,
    training and self-play.
    """
    if selfplay.is_selfplay(run_path):
        return selfplay.write(run_path)
    if training.is_training(run_path):
        return training.write(run_path)
    run = Run(run_path)
    target = run.path / REPORT
    write_atomically(target, page(collect(run)))
    return target


__all__ = ["write"]
