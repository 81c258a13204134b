"""Counters that a monitoring system reads at /metrics, in Prometheus' text format."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Metrics:
    """What happened since the server started. Only the event loop counts."""

    opened: int = 0
    """Sessions begun."""
    refused: int = 0
    """Sessions turned down because all slots were taken."""
    reaped: int = 0
    """Sessions closed for being idle or old."""
    episodes: int = 0
    steps: int = 0
    step_seconds: float = 0.0
    """Total time of resets and steps."""
    problems: Counter[str] = field(default_factory=Counter)
    """Problems told, by code."""

    def text(self, active: int, most: int) -> str:
        """Everything as text; `active` sessions of `most`."""
        lines = [
            *_told("sessions_active", "gauge", "Sessions right now", active),
            *_told("sessions_max", "gauge", "Most sessions at a time", most),
            *_told("sessions_opened_total", "counter", "Sessions begun", self.opened),
            *_told("sessions_refused_total", "counter", "Sessions turned down", self.refused),
            *_told("sessions_reaped_total", "counter", "Idle or old sessions closed", self.reaped),
            *_told("episodes_total", "counter", "Episodes begun", self.episodes),
            *_told("steps_total", "counter", "Moves played", self.steps),
            *_told("step_seconds_total", "counter", "Time of calls", round(self.step_seconds, 6)),
            "# HELP revops_ma_problems_total Problems told, by code",
            "# TYPE revops_ma_problems_total counter",
            *(
                f'revops_ma_problems_total{{code="{code}"}} {count}'
                for code, count in sorted(self.problems.items())
            ),
        ]
        return "\n".join(lines) + "\n"


def _told(name: str, kind: str, about: str, value: float) -> list[str]:
    full = f"revops_ma_{name}"
    return [f"# HELP {full} {about}", f"# TYPE {full} {kind}", f"{full} {value}"]
