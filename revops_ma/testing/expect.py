"""What a broken promise is called, and how it is told."""

from __future__ import annotations

import json
from typing import Any

from revops_ma.game import Role


class ContractBroken(AssertionError):
    """A world or an agent does not keep what `revops_ma.game` promises: what, got, expected."""


def equal(got: Any, expected: Any, what: str) -> None:
    """Raise ContractBroken unless both are the same."""
    expect(got == expected, what, got, repr(expected)[:300])


def expect(holds: Any, what: str, got: Any, expected: str) -> None:
    """Raise ContractBroken, with what was got and what was expected, unless it holds."""
    if not holds:
        raise ContractBroken(f"{what}: got {str(got)[:300]}; expected: {expected}")


def strict_json(packed: list[Any], role: Role) -> str:
    """Write packed moves as JSON without NaN and infinity; ContractBroken where that fails."""
    try:
        return json.dumps(packed, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ContractBroken(
            f"packed moves of the {role.name}: {error}; expected: strict JSON, finite numbers"
        ) from None
