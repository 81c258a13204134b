"""Short ways to set up a desk and to play on it."""

from typing import Any

from revops_ma import catalog
from revops_ma.table import Table, play
from revops_ma.worlds.finops import grading
from revops_ma.worlds.finops.calls import Call
from revops_ma.worlds.finops.desk import Desk, Rules, open_desk
from revops_ma.worlds.finops.engine import Step, serve
from revops_ma.worlds.finops.tables import CrmUser, Customer, Invoice, Subscription
from revops_ma.worlds.finops.tickets import Family, Policy, Ticket, fixed_tasks

GOLDEN_OF_TASK2 = ("cus_001", "cus_003", "cus_005", "cus_007", "cus_012", "cus_018")
GOLDEN_OF_TASK3 = ("sub_202", "sub_204", "sub_207", "sub_211")


def open_task(name: str, regression: str = "score", severity_budget: int = 0) -> Desk:
    return opened(fixed_tasks()[name].named(name), regression, severity_budget)


def opened(ticket: Ticket, regression: str = "score", severity_budget: int = 0) -> Desk:
    desk = open_desk(ticket, Rules(regression, severity_budget, 3), seed=0)
    grading.refresh(desk)
    return desk


def mixed_ticket(family: Family, max_steps: int = 20) -> Ticket:
    """A ticket whose database fills every table, so that out-of-scope writes are possible."""
    return Ticket(
        "mixed",
        family,
        "Customer 'Acme' was double-charged in March.",
        max_steps,
        Policy(customer="Acme", period="2026-03"),
        (
            Customer("cus_1", "Acme", "a@x.example", "active"),
            Customer("cus_2", "Bolt", "b@x.example", "active"),
        ),
        (
            Invoice("inv_1", "cus_1", "2026-03", "2026-03-01", 40_000),
            Invoice("inv_2", "cus_1", "2026-03", "2026-03-01", 40_000),
            Invoice("inv_3", "cus_2", "2026-03", "2026-03-01", 10_000),
        ),
        (CrmUser("crm_1", "Ann", "Ann@x.example", "cancelled"),),
        (
            Subscription("sub_1", "ann@X.example", "team", "active"),
            Subscription("sub_2", "bob@x.example", "team", "active"),
        ),
    )


def ask(desk: Desk, tool: str, **args: Any) -> Step:
    return serve(desk, Call(tool, args))


def run_match(pilot: str, crisis: str, scenario: str, seeds: Any = (0,)) -> Table:
    scene = catalog.scenario(scenario)
    players = {
        "pilot": catalog.agent(pilot, "pilot", scene),
        "crisis": catalog.agent(crisis, "crisis", scene),
    }
    seated = {role: agent.seated(scene, players) for role, agent in players.items()}
    return play(Table(scene.world, scene.settings, list(seeds)), seated)


def scores(table: Table) -> list[float]:
    return table.world.facts(table.games, range(len(table)))["score"].tolist()
