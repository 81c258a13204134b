"""What tokens cost, from a dated file. An unknown model costs an unknown amount, not nothing."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from revops_ma.calls import ModelTally
from revops_ma.errors import BadInput

FILE_VARIABLE = "REVOPS_MA_PRICES"
"""Path of a price file of one's own."""
_SHIPPED = Path(__file__).with_name("prices.toml")
_MILLION = 1e6
_VERSION = re.compile(r"(?:-preview)?(?:-(?:\d[\d-]*|latest))?$")
"""What a served version adds to the name of a model: `-preview`, `-001`, a date."""

_STRICT = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Price(BaseModel):
    """Dollars per million tokens of one model, within some days."""

    model_config = _STRICT

    model: str
    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)
    """Of a question's tokens from a cache; those of `input` where the provider says nothing."""
    since: date = Field(default=date.min, alias="from")
    until: date = date.max

    def dollars(self, took: ModelTally) -> float:
        """What the tokens of a model cost."""
        prompt, output, thoughts, cached = took.tokens
        cheap = cached * (self.input if self.cached is None else self.cached)
        fresh = (prompt - cached) * self.input
        return (fresh + cheap + (output + thoughts) * self.output) / _MILLION


class PriceList(BaseModel):
    """A price file."""

    model_config = _STRICT

    read: date
    """When the prices were looked up."""
    source: str = ""
    price: list[Price]

    def of(self, model: str, day: date) -> Price | None:
        """The price of a model, or of the model that a version belongs to; None if unknown."""
        bare = model.rpartition("/")[2]
        for name in (bare, _VERSION.sub("", bare)):
            for price in self.price:
                if price.model == name and price.since <= day <= price.until:
                    return price
        return None


def price_list() -> PriceList:
    """The prices that hold: of the file in REVOPS_MA_PRICES, or the shipped ones.

    Raises BadInput for a file that cannot be read.
    """
    return _read(Path(os.environ.get(FILE_VARIABLE) or _SHIPPED))


def dollars_of(models: Mapping[str, ModelTally]) -> float | None:
    """What the calls cost at today's prices; None where a price or a number of tokens is unknown.

    Calls that nobody answered have no tokens and cost nothing.
    """
    prices, day = price_list(), datetime.now(UTC).date()
    total = 0.0
    for name, took in models.items():
        price = prices.of(name, day)
        if took.untold or (price is None and (any(took.tokens))):
            return None
        total += price.dollars(took) if price else 0.0
    return total


def is_priced(model: str) -> bool:
    """Whether the cost of a model is known today."""
    return price_list().of(model, datetime.now(UTC).date()) is not None


@cache
def _read(path: Path) -> PriceList:
    try:
        return PriceList.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, ValidationError) as error:
        first = " ".join(str(error).split())[:200]
        raise BadInput(f"{path}: not a readable price file: {first}") from None
