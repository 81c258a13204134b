"""The eleven tools of the desk. Reads show whole rows; the three that mutate grade nothing."""

from __future__ import annotations

from typing import Annotated

from revops_ma.worlds.finops.desk import Desk, Ending, Write
from revops_ma.worlds.finops.toolkit import (
    Answer,
    Choice,
    Number,
    Text,
    Tool,
    conflict,
    missing,
    tool,
)

CustomerId = Annotated[str, Text("id of a customer, such as cus_001; exact, case-sensitive")]
InvoiceId = Annotated[str, Text("id of an invoice, such as inv_901; exact, case-sensitive")]
SubscriptionId = Annotated[str, Text("id of a subscription, such as sub_201; exact")]
CustomerName = Annotated[str, Text("part of a name, in any case", may_be_blank=False)]
Email = Annotated[str, Text("the whole e-mail address, in any case", may_be_blank=False)]
Percent = Annotated[float, Number("percent off all future invoices", above=0, most=100)]
CustomerStatus = Annotated[str, Choice("which customers", ("active", "inactive", "all"))]
CrmStatus = Annotated[str, Choice("which CRM users", ("active", "cancelled", "all"))]


@tool()
def search_customers(desk: Desk, name: CustomerName) -> Answer:
    """Find customers whose name contains a text, by id. No hit is an empty list."""
    wanted = name.strip().casefold()
    rows = desk.tables.customers.values()
    return {"customers": [row._asdict() for row in rows if wanted in row.name.casefold()]}


@tool()
def get_customer(desk: Desk, customer_id: CustomerId) -> Answer:
    """Show one customer."""
    customer = desk.tables.customers.get(customer_id)
    return {"customer": customer._asdict()} if customer else missing("customer", customer_id)


@tool()
def list_customers(desk: Desk, status: CustomerStatus = "active") -> Answer:
    """List the customers of one status, by id; only the active ones if none is named."""
    rows = desk.tables.customers.values()
    return {"customers": [row._asdict() for row in rows if status in ("all", row.status)]}


@tool()
def list_invoices(desk: Desk, customer_id: CustomerId) -> Answer:
    """List all invoices of one customer, by id."""
    if customer_id not in desk.tables.customers:
        return missing("customer", customer_id)
    return {"invoices": [row._asdict() for row in desk.tables.invoices_of(customer_id)]}


@tool()
def get_invoice(desk: Desk, invoice_id: InvoiceId) -> Answer:
    """Show one invoice."""
    invoice = desk.tables.invoices.get(invoice_id)
    return {"invoice": invoice._asdict()} if invoice else missing("invoice", invoice_id)


@tool()
def list_crm_users(desk: Desk, status: CrmStatus) -> Answer:
    """List the users that the CRM knows with one status, by id."""
    rows = desk.tables.crm_users.values()
    return {"crm_users": [row._asdict() for row in rows if status in ("all", row.status)]}


@tool()
def get_subscription_by_email(desk: Desk, email: Email) -> Answer:
    """Show the billing subscription of an e-mail address; null if it has none."""
    found = desk.tables.subscription_of(email)
    return {"subscription": found._asdict() if found else None}


@tool(mutates=True)
def create_refund(desk: Desk, invoice_id: InvoiceId) -> Answer:
    """Refund one invoice in full. A refund cannot be taken back."""
    invoice = desk.tables.invoices.get(invoice_id)
    if invoice is None:
        return missing("invoice", invoice_id)
    if invoice.status == "refunded":
        return conflict("already_refunded", f"{invoice_id} is refunded already")
    desk.tables.invoices[invoice_id] = invoice._replace(status="refunded")
    desk.note_write(Write.REFUND, invoice_id)
    return {"refund": {"invoice_id": invoice_id, "amount_cents": invoice.amount_cents}}


@tool(mutates=True)
def apply_discount(desk: Desk, customer_id: CustomerId, percent: Percent) -> Answer:
    """Give a customer a discount. Another percent replaces an earlier one, nothing stacks."""
    customer = desk.tables.customers.get(customer_id)
    if customer is None:
        return missing("customer", customer_id)
    if customer.discount_percent == percent:
        return conflict("already_applied", f"{customer_id} has {percent:g} % already")
    desk.tables.customers[customer_id] = customer._replace(discount_percent=percent)
    desk.note_write(Write.DISCOUNT, customer_id)
    return {"customer": desk.tables.customers[customer_id]._asdict()}


@tool(mutates=True)
def cancel_subscription(desk: Desk, subscription_id: SubscriptionId) -> Answer:
    """Cancel a billing subscription. It cannot be taken back."""
    subscription = desk.tables.subscriptions.get(subscription_id)
    if subscription is None:
        return missing("subscription", subscription_id)
    if subscription.status == "cancelled":
        return conflict("already_cancelled", f"{subscription_id} is cancelled already")
    desk.tables.subscriptions[subscription_id] = subscription._replace(status="cancelled")
    desk.note_write(Write.CANCEL, subscription_id)
    return {"subscription": desk.tables.subscriptions[subscription_id]._asdict()}


@tool(reads=False)
def submit(desk: Desk) -> Answer:
    """Hand the work in for grading. This ends the case."""
    desk.ending = Ending.SUBMITTED
    return {"submitted": True}


TOOLS: dict[str, Tool] = {
    made.name: made
    for made in (
        search_customers,
        get_customer,
        list_customers,
        list_invoices,
        get_invoice,
        list_crm_users,
        get_subscription_by_email,
        create_refund,
        apply_discount,
        cancel_subscription,
        submit,
    )
}
"""All tools by name. All are always callable; a table that a ticket does not use is empty."""

TOOL_NAMES = tuple(TOOLS)
READS = tuple(name for name, made in TOOLS.items() if made.reads)
FAILABLE = tuple(name for name, made in TOOLS.items() if made.reads or made.mutates)
"""Tools that can be down: every one but `submit`, which is no call to a backend."""
