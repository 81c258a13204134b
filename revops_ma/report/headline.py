"""The top of the page: what was played, the key figures, and where they come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from revops_ma.arena.statistics import Estimate
from revops_ma.report import html as h
from revops_ma.report.collect import Findings
from revops_ma.report.html import Markup
from revops_ma.report.parts import (
    Column,
    estimate_columns,
    folded_table,
    note,
    section,
)
from revops_ma.report.units import MISSING, PLAIN, SHARE, Unit, count, figure_of, heading_of, minus


def heading(findings: Findings) -> Markup:
    """Say who played whom, where, on which seeds."""
    seeds = findings.seeds
    told = [
        h.code(findings.scenario),
        f"{count(len(seeds), 'episode')} a matchup"
        if findings.kind == "tournament"
        else count(len(seeds), "episode"),
        f"seeds {seeds.start} to {seeds.stop - 1}" if len(seeds) > 1 else f"seed {seeds.start}",
    ]
    switch = h.button(
        "Dark", type="button", id="theme", class_="theme", hidden=True, aria_pressed="false"
    )
    return h.header(
        h.div(h.p(heading_of(findings.kind), class_="kind"), switch, class_="bar"),
        h.h1(_title(findings)),
        h.ul((h.li(each) for each in told), class_="facts"),
        _warnings(findings),
    )


def _title(findings: Findings) -> str:
    if findings.kind == "match":
        return findings.pairings[0].name
    sides = [
        f"{len(findings.agents(index))} {role.name} agent{'s' * (len(findings.agents(index)) > 1)}"
        for index, role in enumerate(findings.world.roles)
    ]
    return " against ".join(sides)


def _warnings(findings: Findings) -> list[Markup]:
    told = []
    played = findings.total("completed") + findings.total("failed")
    if played < findings.total("planned"):
        left = f"{played:,} of {count(findings.total('planned'), 'planned episode')} are there"
        told.append(note(f"This run is unfinished: {left}. The same command completes it."))
    if not findings.rules.are_current:
        world = findings.world
        told.append(
            note(
                f"Played by version {findings.rules.version} of the rules of {world.name};"
                f" installed is version {world.version}. The figures are those of the records;"
                " episodes are not replayed."
            )
        )
    return told


def key_figures(findings: Findings, extra: Sequence[Markup] = ()) -> Markup:
    """Show the figures that a reader came for, as large numbers."""
    tiles = list(extra)
    if findings.kind == "match":
        tiles += _match_tiles(findings)
    done, failed = findings.total("completed"), findings.total("failed")
    planned = findings.total("planned")
    tiles += [
        tile("Episodes completed", f"{done:,}", f"of {planned:,} planned, {failed:,} failed"),
        tile("Refused moves", f"{findings.total('refused'):,}", "replaced by the rules' fallback"),
        tile("Fallbacks", f"{findings.total('fallbacks'):,}", "turns moved by a rule instead"),
    ]
    return h.div(tiles, class_="tiles", id="key-figures")


def _match_tiles(findings: Findings) -> list[Markup]:
    world, result = findings.world, findings.pairings[0].result
    facts = [(figure_of(world, name), fact) for name, fact in result.facts.items()]
    return [
        estimate_tile(heading_of(world.success), result.survival, SHARE),
        estimate_tile("Episode return", result.episode_return, PLAIN),
        estimate_tile(f"Reward per {world.step_name}", result.reward_per_step, PLAIN),
        *(estimate_tile(shown.title, fact, Unit(shown.unit)) for shown, fact in facts),
    ]


def tile(name: str, value: str, about: str) -> Markup:
    """Make one large number."""
    return h.div(
        h.p(name, class_="name"),
        h.p(value, class_="value"),
        h.p(about, class_="about"),
        class_="tile",
    )


def estimate_tile(name: str, estimate: Estimate, unit: Unit) -> Markup:
    """Make one large number with its interval."""
    if estimate.mean is None:
        return tile(name, MISSING, "no completed episode")
    if estimate.low is None:
        return tile(name, minus(unit.exact(estimate.mean)), "one episode has no interval")
    low, high = unit.exact(estimate.low), unit.exact(estimate.high)
    return tile(
        name, minus(unit.exact(estimate.mean)), minus(f"95% interval {low}\u00a0to\u00a0{high}")
    )


def figures_table(findings: Findings) -> Markup:
    """Give every figure of every matchup."""
    world = findings.world
    facts = [(name, figure_of(world, name)) for name in world.facts_shown]
    columns = [
        *(Column(role.name) for role in world.roles),
        *(Column(name) for name in ("completed", "failed", "refused", "fallbacks")),
        *estimate_columns(
            (world.success, SHARE),
            ("episode return", PLAIN),
            (f"reward per {world.step_name}", PLAIN),
            *((shown.title, Unit(shown.unit)) for _, shown in facts),
        ),
    ]
    rows = []
    for pairing in findings.pairings:
        result = pairing.result
        rows.append(
            [
                *pairing.players,
                result.completed,
                result.failed,
                result.refused,
                result.fallbacks,
                result.survival,
                result.episode_return,
                result.reward_per_step,
                *(result.facts[name] for name, _ in facts),
            ]
        )
    title = "Figures of each matchup with 95% intervals"
    return folded_table(title, columns, rows)


def provenance(findings: Findings) -> Markup:
    """Say what the figures can be reproduced from."""
    manifest, rules = findings.run.manifest, findings.rules
    settings = rules.settings.model_dump(mode="json")
    versions = ", ".join(f"{name} {number}" for name, number in manifest["versions"].items())
    facts = [
        ("Rules", f"{rules.world.name}, version {rules.version}"),
        ("Settings", ", ".join(_settings(settings)) or "none"),
        ("Seeds", f"{findings.seeds.start} to {findings.seeds.stop - 1}, in each matchup"),
        ("Packages", versions),
        ("Config hash", h.code(manifest["config_hash"])),
        ("Hash of the last record", h.code(manifest["head"])),
    ]
    rows = [
        [name, role.name, identity]
        for index, role in enumerate(findings.world.roles)
        for name, identity in _identities(findings, index)
    ]
    agents = folded_table("Agents", [Column("agent"), Column("role"), Column("identity")], rows)
    listed = h.dl([h.dt(name), h.dd(value)] for name, value in facts)
    lead = (
        "Shares have Wilson intervals, means bootstrap intervals, both of 95%. Failed episodes are"
        " counted and left out of all figures. Everything on this page follows from the records of"
        " the run."
    )
    return section("provenance", "Provenance", listed, agents, lead=lead)


def _settings(settings: Mapping[str, Any], within: str = "") -> Iterator[str]:
    """Settings as `name = value`, those of tables as `table.name = value`; unset ones left out."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _settings(value, f"{within}{name}.")
        elif value is not None:
            yield f"{within}{name} = {value}"


def _identities(findings: Findings, role: int) -> list[tuple[str, str]]:
    name = findings.world.roles[role].name
    names = [pairing.players[role] for pairing in findings.pairings]
    identities = [players[name] for players in findings.run.config["matchups"]]
    return list(dict.fromkeys(zip(names, identities, strict=True)))
