"""Dealt tickets: fair, different, and the same for the same seed anywhere."""

import hashlib
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from revops_ma import catalog
from revops_ma.errors import BadInput
from revops_ma.worlds.finops.bots.reference import careful_call, optimal_call
from revops_ma.worlds.finops.bots.thoughtless import THOUGHTLESS
from revops_ma.worlds.finops.generator import accepted_ticket, play_alone
from revops_ma.worlds.finops.grading import golden_set, reported
from revops_ma.worlds.finops.settings import GeneratorSettings
from revops_ma.worlds.finops.tickets import Family, Ticket

from .helpers import opened, run_match, scores

ROOT = Path(__file__).parents[3]
FAMILIES = ("refund", "loyalty", "crosscheck")


def generator(family: str) -> GeneratorSettings:
    return catalog.scenario(f"finops/{family}").settings.generate


def ticket(family: str, seed: int) -> Ticket:
    return accepted_ticket(generator(family), seed)


def check_fairness(family: str, seeds: range) -> None:
    settings = generator(family)
    for seed in seeds:
        dealt = accepted_ticket(settings, seed)
        for reference in (optimal_call, careful_call):
            desk = play_alone(dealt, seed, lambda seen, _, play=reference: play(seen))
            assert (seed, desk.raw) == (seed, 1.0)
            assert desk.steps <= dealt.max_steps - settings.spare
        for name, decide in THOUGHTLESS.items():
            score = reported(play_alone(dealt, seed, decide).raw)
            assert score < settings.ceiling, (seed, name, score)


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_a_thousand_tickets_are_solved_by_the_reference_and_by_no_thoughtless_player(
    family: str,
) -> None:
    check_fairness(family, range(1_000))


@pytest.mark.parametrize("family", FAMILIES)
def test_tickets_of_all_kinds_of_seeds_are_solved_by_the_reference_alone(family: str) -> None:
    check_fairness(family, [*range(150), *range(10**6, 10**6 + 50), 2**63 - 1])


@pytest.mark.parametrize("family", FAMILIES)
def test_the_match_itself_keeps_the_thoughtless_under_the_ceiling(family: str) -> None:
    ceiling = generator(family).ceiling
    for pilot in ("do-nothing", "shotgun", "random"):
        assert max(scores(run_match(pilot, "none", f"finops/{family}", range(30)))) < ceiling
    assert min(scores(run_match("optimal", "none", f"finops/{family}", range(30)))) == 0.98


@pytest.mark.parametrize("family", FAMILIES)
def test_seeds_give_different_tickets_and_one_seed_the_same(family: str) -> None:
    dealt = [ticket(family, seed) for seed in range(40)]
    contents = {(each.customers, each.invoices, each.crm_users) for each in dealt}
    assert len(contents) == 40
    accepted_ticket.cache_clear()
    assert [ticket(family, seed) for seed in range(40)] == dealt


def digest_of_tickets_and_games() -> str:
    """Hash of dealt tickets and of the final states of storms played on them."""
    content = hashlib.sha256()
    for family in FAMILIES:
        content.update(repr([ticket(family, seed) for seed in range(10)]).encode())
        table = run_match("careful", "random", f"finops/{family}-storm", range(5))
        for row in range(5):
            content.update(table.world.fingerprint(table.games, row))
    return content.hexdigest()


DEAL = """
from tests.worlds.finops.test_generator import digest_of_tickets_and_games
print(digest_of_tickets_and_games())
"""


def test_processes_with_different_hash_seeds_deal_and_play_the_same() -> None:
    digests = {digest_of_tickets_and_games()}
    for hash_seed in ("1", "271828"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-c", DEAL]
        out = subprocess.run(
            command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True
        )
        digests.add(out.stdout.strip())
    assert len(digests) == 1


def test_refund_tickets_hold_the_traps_that_they_promise() -> None:
    near = others = 0
    for seed in range(30):
        dealt = ticket("refund", seed)
        name = dealt.policy.customer
        assert len(golden_set(opened(dealt))) == 2
        assert name in dealt.text
        near += sum(name in row.name and name != row.name for row in dealt.customers)
        pairs = Counter((row.customer_id, row.period, row.amount_cents) for row in dealt.invoices)
        others += sum(count == 2 for count in pairs.values()) - 1
    assert near >= 30
    assert others >= 30


def test_loyalty_tickets_have_spends_at_and_one_cent_over_the_threshold() -> None:
    for seed in range(30):
        dealt = ticket("loyalty", seed)
        tables, over = dealt.tables(), dealt.policy.over_cents
        spends = {
            row.id: sum(each.amount_cents for each in tables.invoices_of(row.id))
            for row in dealt.customers
        }
        active = {row.id for row in dealt.customers if row.status == "active"}
        assert over in {spends[found] for found in active}
        assert over + 1 in {spends[found] for found in active}
        assert any(spends[row.id] > over for row in dealt.customers if row.status == "inactive")
        assert f"${over // 100:,}" in dealt.text


def test_crosscheck_tickets_overlap_in_part() -> None:
    for seed in range(30):
        dealt = ticket("crosscheck", seed)
        billing = {row.email: row.status for row in dealt.subscriptions}
        gone = [billing.get(row.email) for row in dealt.crm_users if row.status == "cancelled"]
        assert {"active", "cancelled", None} <= set(gone)
        kept = [billing[row.email] for row in dealt.crm_users if row.status == "active"]
        assert set(kept) == {"active"}


@pytest.mark.parametrize("family", FAMILIES)
def test_amounts_are_positive_and_ids_unique(family: str) -> None:
    for seed in range(30):
        dealt = ticket(family, seed)
        rows = (*dealt.customers, *dealt.invoices, *dealt.crm_users, *dealt.subscriptions)
        assert len({row.id for row in rows}) == len(rows)
        assert all(row.amount_cents > 0 for row in dealt.invoices)
        assert dealt.family == Family(family)


def test_size_and_distractors_of_the_card_are_kept() -> None:
    settings = GeneratorSettings(family="loyalty", size=9, golden=2, distractors=7, ceiling=0.6)
    dealt = accepted_ticket(settings, 5)
    statuses = Counter(row.status for row in dealt.customers)
    assert statuses == {"active": 9, "inactive": 7}


def test_settings_that_allow_no_fair_ticket_are_told_as_wrong_input() -> None:
    settings = GeneratorSettings(family="loyalty", size=4, golden=3, ceiling=0.1)
    with pytest.raises(BadInput, match="raise the ceiling"):
        accepted_ticket(settings, 0)
