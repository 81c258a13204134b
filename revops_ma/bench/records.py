"""What it costs that a run survives being killed: the same tournament with and without `--out`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from revops_ma.arena.tournament import play_tournament
from revops_ma.bench.meter import Line, Subject, measure, ratio

SCENARIO = "revops/normal"
FIRST_SEED = 1_000_000
PILOTS = ("heuristic", "heuristic-tuned", "random", "fixed-marketing")
CRISES = ("rule-based", "lookahead", "random", "none")
_EPISODES = 125
"""Episodes of each of the 16 pairings: a tournament of 2,000."""


def durability(seconds: float) -> list[Line]:
    """Episodes per second in memory and on disk, and their ratio."""
    memory, disk = measure(
        [
            Subject(
                "tournament in memory",
                "episodes/s",
                f"{', '.join(PILOTS)} against {', '.join(CRISES)}, figures worked out.",
                lambda: lambda: _episodes(None),
            ),
            Subject(
                "tournament with --out",
                "episodes/s",
                "The same with moves, digests, hash chain and fsync: 40 to 60 us an episode, two"
                " thirds of it for moves as text.",
                lambda: _on_disk,
            ),
        ],
        seconds,
    )
    note = (
        "With --out over without. The dearest case: these players are the fastest there are; what"
        " a record costs does not grow with the time that players think."
    )
    return [memory, disk, ratio("durability", disk, memory, note)]


def _on_disk() -> int:
    with tempfile.TemporaryDirectory(prefix="revops-ma-bench-") as folder:
        return _episodes(Path(folder) / "run")


def _episodes(out: Path | None) -> int:
    played = play_tournament(PILOTS, CRISES, SCENARIO, _EPISODES, FIRST_SEED, out)
    return len(played.episodes)
