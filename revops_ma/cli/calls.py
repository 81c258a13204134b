"""Options about calls to models, shared by match and tournament."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from revops_ma.arena.calling import CallWishes

CallsOption = Annotated[
    str | None,
    typer.Option(
        "--calls",
        help="Calls to models: `live` keeps figures only, `record` the texts too (as with --out),"
        " a run directory plays its recorded answers again.",
    ),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Fail if a provider does; no rule moves instead.")
]
MaxCalls = Annotated[int | None, typer.Option(min=0, help="Most calls to models in this run.")]
MaxTokens = Annotated[int | None, typer.Option(min=0, help="Most tokens of models, likewise.")]
MaxDollars = Annotated[float | None, typer.Option(min=0, help="Most that models may cost.")]


def wishes_of(
    calls: str | None,
    strict: bool,
    max_calls: int | None,
    max_tokens: int | None,
    max_dollars: float | None,
) -> CallWishes:
    """Put the options together."""
    from revops_ma.arena.calling import CallWishes
    from revops_ma.policies.language.spending import Limits

    return CallWishes(calls, strict, Limits(max_calls, max_tokens, max_dollars))
