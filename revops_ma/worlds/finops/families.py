"""How a ticket of each family is dealt: the wanted rows, and the traps around them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from revops_ma.worlds.finops.dice import Dice
from revops_ma.worlds.finops.names import address, companies, near_names, people
from revops_ma.worlds.finops.settings import GeneratorSettings
from revops_ma.worlds.finops.tables import CrmUser, Customer, Invoice, Subscription
from revops_ma.worlds.finops.tickets import Family, Policy, Ticket
from revops_ma.worlds.finops.wording import MONTHS

_YEAR = 2026
_PLANS = ("starter", "team", "business")

_REFUND_TEXTS = (
    "Customer '{name}' emailed saying they were double-charged for their {month} invoice. Please"
    " find the duplicate charge and refund exactly one of the two identical {month} invoices. Do"
    " not touch any other customer's invoices.",
    "We were double-charged in {month}, writes '{name}'. Find the two identical {month} invoices"
    " and refund exactly one of them. Leave all other invoices and customers alone.",
)
_LOYALTY_TEXTS = (
    "Apply a {percent}% loyalty discount to every active customer whose lifetime spend (sum of all"
    " their invoices) exceeds ${over}. Do NOT discount customers below the threshold.",
    "Every active customer who has spent more than ${over} over their lifetime (sum of all their"
    " invoices) gets a {percent}% loyalty discount. Nobody else does.",
)
_CROSSCHECK_TEXTS = (
    "Cross-reference our CRM with our Billing system. For any user whose CRM status is 'cancelled'"
    " but who still has an 'active' billing subscription, cancel the billing subscription. Do NOT"
    " cancel subscriptions that are already cancelled.",
    "Some users are cancelled in the CRM but still billed. Find every user with CRM status"
    " 'cancelled' and an 'active' billing subscription, and cancel that subscription. Leave"
    " everybody else alone.",
)


@dataclass
class _Books:
    """Rows while they are being written; ids are given out at the end, in random order."""

    customers: list[tuple[str, str]] = field(default_factory=list)
    """(name, status)"""
    charges: list[tuple[str, int, int]] = field(default_factory=list)
    """(customer name, month, cents)"""

    def add(self, name: str, status: str, charges: Sequence[tuple[int, int]]) -> None:
        """Write a customer and its (month, cents) charges."""
        self.customers.append((name, status))
        self.charges.extend((name, month, cents) for month, cents in charges)

    def rows(self, dice: Dice) -> tuple[tuple[Customer, ...], tuple[Invoice, ...]]:
        """Give out ids."""
        dice.shuffle(self.customers)
        dice.shuffle(self.charges)
        customers = tuple(
            Customer(f"cus_{number:03}", name, address(name), status)
            for number, (name, status) in enumerate(self.customers, start=101)
        )
        ids = {row.name: row.id for row in customers}
        invoices = tuple(
            Invoice(
                f"inv_{number}",
                ids[name],
                f"{_YEAR}-{month:02}",
                f"{_YEAR}-{month:02}-{dice.number(1, 28):02}",
                cents,
            )
            for number, (name, month, cents) in enumerate(self.charges, start=1001)
        )
        return customers, invoices


def deal_refund(settings: GeneratorSettings, dice: Dice, task_id: str) -> Ticket:
    """A double charge among look-alikes, other duplicates, equal amounts, and near misses."""
    subject, *others = companies(dice, settings.size)
    month, cents = dice.number(2, 11), dice.number(50, 1500) * 100
    books = _Books()
    more = [(month - 1, cents), (month + 1, cents), (month, cents + dice.number(1, 50) * 100)]
    kept = more[: dice.number(1, 3)]
    books.add(subject, "active", [(month, cents), (month, cents), *kept])
    lookalikes = near_names(subject)
    dice.shuffle(lookalikes)
    for number in range(settings.distractors):
        pair = [(month, cents if number % 2 == 0 else dice.number(50, 1500) * 100)] * 2
        double = lookalikes.pop() if lookalikes and number % 2 == 0 else others.pop()
        books.add(double, "active", pair)
    for name in others:
        books.add(name, "active", _ordinary(dice, month, cents))
    text = dice.pick(_REFUND_TEXTS).format(name=subject, month=MONTHS[month - 1])
    policy = Policy(customer=subject, period=f"{_YEAR}-{month:02}")
    customers, invoices = books.rows(dice)
    steps = 4 + settings.spare
    return Ticket(task_id, Family.REFUND, text, steps, policy, customers, invoices)


def _ordinary(dice: Dice, month: int, cents: int) -> list[tuple[int, int]]:
    """One to three single charges, now and then with the amount of the double one."""
    months = list(range(month - 1, month + 2))
    dice.shuffle(months)
    amounts = (cents, dice.number(50, 1500) * 100)
    return [(each, dice.pick(amounts)) for each in months[: dice.number(1, 3)]]


def deal_loyalty(settings: GeneratorSettings, dice: Dice, task_id: str) -> Ticket:
    """Spends far from, next to and exactly at the threshold; rich customers that are inactive."""
    golden = dice.number(2, min(settings.golden, settings.size - 1))
    policy = Policy(over_cents=dice.number(4, 20) * 10_000)
    over, books = policy.over_cents, _Books()
    names = companies(dice, settings.size + settings.distractors)
    for number, name in enumerate(names):
        if number < golden:
            spend = over + (1 if number == 0 else dice.number(1, over))
            books.add(name, "active", _split(dice, spend))
        elif number < settings.size:
            short = (0, 1)[number - golden] if number - golden < 2 else dice.number(1, over - 100)
            books.add(name, "active", _split(dice, over - short))
        else:
            books.add(name, "inactive", _split(dice, over + dice.number(1, over)))
    text = dice.pick(_LOYALTY_TEXTS).format(percent=policy.percent, over=f"{over // 100:,}")
    customers, invoices = books.rows(dice)
    steps = 2 + settings.size + golden + settings.spare
    return Ticket(task_id, Family.LOYALTY, text, steps, policy, customers, invoices)


def _split(dice: Dice, total: int) -> list[tuple[int, int]]:
    """A sum in one to three charges of different months, each of at least a cent."""
    parts: list[int] = []
    for _ in range(dice.number(0, 2)):
        if total > 2:
            parts.append(dice.number(1, total - 1))
            total -= parts[-1]
    months = list(range(1, 13))
    dice.shuffle(months)
    return list(zip(months, [*parts, total], strict=False))


def deal_crosscheck(settings: GeneratorSettings, dice: Dice, task_id: str) -> Ticket:
    """Users cancelled on both sides, on one, and users whom billing never knew."""
    golden = dice.number(2, min(settings.golden, settings.size - 1))
    unknown = dice.number(1, 2) if settings.size - golden > 2 else 0
    kinds = ["active"] * golden + ["none"] * unknown
    kinds += ["cancelled"] * (settings.size - golden - unknown)
    users = [("cancelled", billing) for billing in kinds]
    users += [("active", "active")] * settings.distractors
    dice.shuffle(users)
    names = people(dice, len(users))
    crm_users = tuple(
        CrmUser(f"crm_{number}", name, address(name), status)
        for number, (name, (status, _)) in enumerate(zip(names, users, strict=True), start=101)
    )
    billed = [
        (row.email, billing)
        for row, (_, billing) in zip(crm_users, users, strict=True)
        if billing != "none"
    ]
    dice.shuffle(billed)
    subscriptions = tuple(
        Subscription(f"sub_{number}", email, dice.pick(_PLANS), billing)
        for number, (email, billing) in enumerate(billed, start=201)
    )
    text = dice.pick(_CROSSCHECK_TEXTS)
    steps = 2 + settings.size + golden + settings.spare
    return Ticket(
        task_id,
        Family.CROSSCHECK,
        text,
        steps,
        Policy(),
        crm_users=crm_users,
        subscriptions=subscriptions,
    )


DEALERS: dict[str, Callable[[GeneratorSettings, Dice, str], Ticket]] = {
    "refund": deal_refund,
    "loyalty": deal_loyalty,
    "crosscheck": deal_crosscheck,
}
"""How each family is dealt."""
