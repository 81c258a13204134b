"""What libraries warn of although it is meant to be so, and bars of things that take no time.

Importing this module imports transformers.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator
from contextlib import contextmanager

from transformers.utils import logging

EXPECTED_WARNINGS = (
    ".*past_key_values.*is deprecated.*",  # transformers, of a keyword that it still wants
    ".*gradient_checkpointing.*is deprecated.*",  # transformers, of what TRL and PEFT still call it
    ".*rollout_func.*experimental.*",
)


@contextmanager
def quiet() -> Generator[None]:
    """Leave these warnings and bars out."""
    had_bars = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            for message in EXPECTED_WARNINGS:
                warnings.filterwarnings("ignore", message)
            yield
    finally:
        if had_bars:
            logging.enable_progress_bar()
