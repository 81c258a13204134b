"""`revops-ma play`: a person plays either side in the terminal, or watches."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console

from revops_ma import catalog
from revops_ma.cli.common import AsJson, Seed, console, print_json
from revops_ma.cli.sparkline import sparkline
from revops_ma.errors import BadInput
from revops_ma.game import Agent, Reply, View
from revops_ma.luck import check_seed
from revops_ma.table import Table, Turn

HUMAN = "human"
LEAVE = {"q", "quit", "exit"}
HELP = {"?", "help"}
NARROWEST = 60
"""Letters that a line of a turn takes at least, however narrow the terminal is."""


class Leave(Exception):
    """The person at the keyboard has had enough."""


class Human:
    """An agent that asks at the terminal until it gets a move that can be read."""

    name = identity = HUMAN

    def __init__(self, screen: Console) -> None:
        """Ask on a screen."""
        self.screen = screen
        self.knows_how: set[str] = set()
        """Roles whose hint was shown."""

    def act(self, view: View) -> Reply:
        """Show the one waiting game and read a line; `?` shows all that there is to know."""
        self.screen.print(view.screen(0), soft_wrap=True)
        if view.role.name not in self.knows_how:
            self._hint(view)
        while True:
            try:
                line = input(f"{view.role.name}> ").strip()
            except EOFError:
                raise Leave from None
            if line.casefold() in LEAVE:
                raise Leave
            if line.casefold() in HELP:
                self.screen.print(view.texts[0], soft_wrap=True)
                self._hint(view)
                continue
            reply = view.role.typed(line)
            if not reply.refused:
                return reply
            refusal = reply.refused[0]
            self.screen.print(f"Not a move: {refusal.reason} {refusal.detail}", style="yellow")

    def seated(self, scenario: Any, players: Mapping[str, Agent]) -> Agent:
        """Sit down."""
        return self

    def _hint(self, view: View) -> None:
        self.knows_how.add(view.role.name)
        self.screen.print(view.role.typing_hint, style="dim", soft_wrap=True)


def play(
    scenario: Annotated[str, typer.Argument(help="Scenario card, e.g. revops/normal.")],
    pilot: Annotated[str, typer.Option(help="Agent card, or `human`.")] = HUMAN,
    crisis: Annotated[
        str | None, typer.Option(help="Agent card, or `human`; the scenario's own if absent.")
    ] = None,
    seed: Seed = None,
    delay: Annotated[
        float, typer.Option(min=0.0, max=60.0, help="Seconds between turns to watch.")
    ] = 0.0,
    as_json: AsJson = False,
) -> None:
    """Play one episode: as the pilot, as the crisis engine, or watch two agents.

    Example: revops-ma play revops/normal --pilot heuristic --crisis hunter --delay 0.3
    """
    if as_json and HUMAN in (pilot, crisis):
        raise BadInput("--json tells one document at the end: name two agents, not `human`")
    scene = catalog.scenario(scenario)
    crisis = crisis or scene.card.against
    table = Table(scene.world, scene.settings, [check_seed(seed)])
    screen = console()
    players = _players(scene, {"pilot": pilot, "crisis": crisis}, screen)
    lines: dict[str, list[float]] = {}
    try:
        _play(table, players, lines, None if as_json else screen, delay)
    except Leave:
        screen.print("Left the game; nothing is kept.")
        return
    if as_json:
        print_json(_document(table, scene.name, {"pilot": pilot, "crisis": crisis}))
    else:
        _print_end(table, lines, screen)


def _players(scene: Any, names: Mapping[str, str], screen: Console) -> dict[str, Agent]:
    agents: dict[str, Agent] = {
        role: Human(screen) if name == HUMAN else catalog.agent(name, role, scene)
        for role, name in names.items()
    }
    return {role: agent.seated(scene, agents) for role, agent in agents.items()}


def _play(
    table: Table,
    players: Mapping[str, Agent],
    lines: dict[str, list[float]],
    screen: Console | None,
    delay: float,
) -> None:
    if screen is not None:
        screen.print(f"Seed {table.seeds[0]}. Leave with q.", style="dim")
    _trace(table, lines)
    while views := table.waiting():
        view = views[0]
        table.take(view, players[view.role.name].act(view))
        turn = table.log[-1]
        if turn.outcome.scored[0]:
            _trace(table, lines)
        if screen is not None:
            is_own = players[view.role.name].name == HUMAN and not table.is_over
            _print_turn(table, turn, screen, with_answer=not is_own)
            time.sleep(delay)


def _trace(table: Table, lines: dict[str, list[float]]) -> None:
    for name, value in table.world.trace(table.games, np.array([0])).items():
        lines.setdefault(name, []).append(float(value[0]))


def _print_turn(table: Table, turn: Turn, screen: Console, *, with_answer: bool) -> None:
    """Tell a turn; where the world knows what came of it, in two lines that never wrap."""
    entry = table.world.narrate(table.games, turn.role, turn.outcome, 0)
    if entry is None:
        screen.print(_turn_line(table, turn).rstrip(), style=_colour(turn), soft_wrap=True)
        return
    width = max(screen.width - 1, NARROWEST)
    paid = f"  {turn.outcome.rewards[0, 0]:+.3f}" if turn.outcome.scored[0] else ""
    end = f"  {entry.mark}{paid}"
    head = _cropped(_turn_head(table, turn), width - len(end))
    lines = [f"{head:<{width - len(end)}}{end}"]
    if with_answer and entry.answer:
        lines.append(_cropped(f"{'':13}{entry.answer}", width))
    style = _colour(turn) if turn.role else _TONES[entry.tone]
    screen.print("\n".join(lines), style=style, soft_wrap=True)


_TONES = {"plain": "", "good": "green", "bad": "red"}


def _cropped(line: str, width: int) -> str:
    return line if len(line) <= width else f"{line[: width - 3]}..."


def _turn_head(table: Table, turn: Turn) -> str:
    role = table.world.roles[turn.role]
    step = int(table.steps[0]) + (not turn.outcome.scored[0])
    return f"{step:>3}  {role.name:<7} {role.caption(turn.outcome.played, 0)}"


def _turn_line(table: Table, turn: Turn) -> str:
    line = f"{_turn_head(table, turn):<39}"
    if turn.outcome.scored[0]:
        figures = table.world.trace(table.games, np.array([0]))
        shown = [f"{name} {_short(float(value[0]))}" for name, value in figures.items()]
        line += f" reward {turn.outcome.rewards[0, 0]:+.3f}  {'  '.join(shown[:4])}"
    return line


def _short(value: float) -> str:
    if abs(value) >= 1_000:
        return f"{value:,.0f}"
    return f"{value:.3f}" if abs(value) < 1 else f"{value:.1f}"


def _colour(turn: Turn) -> str:
    if turn.role > 0:
        return "magenta"
    return "red" if turn.outcome.scored[0] and turn.outcome.rewards[0, 0] < 0 else ""


def _print_end(table: Table, lines: Mapping[str, list[float]], screen: Console) -> None:
    won = bool(table.world.won(table.games, np.array([0]))[0])
    ending = table.world.endings(table.games, np.array([0]))[0].replace("_", " ")
    steps = int(table.steps[0])
    screen.print(
        f"\n{'Won' if won else 'Lost'}: {ending} after {steps} step{'s' * (steps != 1)},"
        f" return {table.returns[0, 0]:.3f}",
        style="bold green" if won else "bold red",
    )
    widest = max(map(len, lines), default=0)
    for name, values in lines.items():
        drawn = sparkline(values, sys.stdout.encoding)
        screen.print(f"{name:>{widest}} {drawn}  {_short(values[0])} to {_short(values[-1])}")


def _document(table: Table, scenario: str, players: Mapping[str, str]) -> dict[str, Any]:
    rows = np.array([0])
    names = [role.name for role in table.world.roles]
    return {
        "scenario": scenario,
        **players,
        "seed": table.seeds[0],
        "won": bool(table.world.won(table.games, rows)[0]),
        "ending": table.world.endings(table.games, rows)[0],
        "steps": int(table.steps[0]),
        "returns": dict(zip(names, table.returns[0].tolist(), strict=True)),
        "facts": {name: float(v[0]) for name, v in table.world.facts(table.games, rows).items()},
        "turns": [
            {
                "role": names[turn.role],
                "move": table.world.roles[turn.role].caption(turn.outcome.played, 0),
                "reward": float(turn.outcome.rewards[0, 0]) if turn.outcome.scored[0] else None,
            }
            for turn in table.log
        ],
    }


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(play)
