"""What libraries warn of although it is meant to be so."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from contextlib import contextmanager

EXPECTED_WARNINGS = (
    ".*past_key_values.*is deprecated.*",  # transformers, of a keyword that it still wants
    ".*gradient_checkpointing.*is deprecated.*",  # transformers, of what TRL and PEFT still call it
    ".*rollout_func.*experimental.*",
)


@contextmanager
def quiet() -> Generator[None]:
    """Leave these warnings out."""
    with warnings.catch_warnings():
        for message in EXPECTED_WARNINGS:
            warnings.filterwarnings("ignore", message)
        yield
