"""Two pictures of a run: how it learned, and what came of it. Needs matplotlib (extra `report`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from revops_ma.training.pilot_grpo.evidence import Table

CURVES, COMPARISON = "training_curves.png", "results_comparison.png"


def can_draw() -> bool:
    """Whether matplotlib is there."""
    return find_spec("matplotlib") is not None


def draw_curves(folder: Path, histories: Mapping[str, Sequence[Mapping[str, Any]]]) -> Path:
    """Returns and survival by rollout: sampled play of training, and validation, per run."""
    figure, axes = _figure(1, 2, (10, 4))
    for at, (name, history) in enumerate(histories.items()):
        colour = f"C{at}"
        validated = [line for line in history if "validation" in line]
        for axis, key in zip(axes, ("survival", "return"), strict=True):
            rollouts = [line["iteration"] for line in history]
            axis.plot(rollouts, [line[key] for line in history], colour, alpha=0.25)
            axis.plot(
                [line["iteration"] for line in validated],
                [line["validation"][key] for line in validated],
                colour,
                marker="o",
                label=name,
            )
    for axis, title in zip(axes, ("survival", "episode return"), strict=True):
        axis.set(xlabel="rollout", ylabel=title)
        axis.grid(alpha=0.3)
    axes[0].legend(title="validation (pale: training)")
    return _save(figure, folder / CURVES)


def draw_comparison(folder: Path, table: Table) -> Path:
    """Survival of every pilot against every adversary, with 95 % intervals."""
    figure, (axis,) = _figure(1, 1, (9, 4))
    width = 0.8 / len(table.agents)
    for at, agent in enumerate(table.agents):
        found = [table.survival(agent, other) for other in table.adversaries]
        means = [each.mean or 0.0 for each in found]
        spread = [
            [mean - (each.low or 0.0) for mean, each in zip(means, found, strict=True)],
            [(each.high or 0.0) - mean for mean, each in zip(means, found, strict=True)],
        ]
        places = [place + at * width for place in range(len(means))]
        axis.bar(places, means, width, yerr=spread, capsize=2, label=agent)
    axis.set_xticks([place + 0.4 - width / 2 for place in range(len(table.adversaries))])
    axis.set_xticklabels(table.adversaries)
    axis.set(ylabel="survival", ylim=(0, 1))
    axis.set_title(f"{len(table.seeds)} held-out seeds, 95 % intervals")
    axis.legend()
    return _save(figure, folder / COMPARISON)


def _figure(rows: int, columns: int, size: tuple[float, float]) -> tuple[Any, list[Any]]:
    # No pyplot: it would open a window where there is a display.
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False)
    return figure, list(axes.flat)


def _save(figure: Any, path: Path) -> Path:
    figure.savefig(path, dpi=110, metadata={"Software": None})
    return path
