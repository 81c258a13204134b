"""Provider by name: the module of that name in this package has a function `from_card`."""

from __future__ import annotations

import importlib
import os

from revops_ma.cards import LanguageCard
from revops_ma.errors import BadInput, CardError
from revops_ma.policies.language.protocol import Provider


def provider_of(card: LanguageCard) -> Provider:
    """Make the provider of a card, its libraries still unloaded; CardError for bad options."""
    module = importlib.import_module(f"revops_ma.policies.language.{card.provider}")
    found: Provider = module.from_card(card)
    return found


def model_of(card: LanguageCard) -> str:
    """The model id to ask for: of the variable REVOPS_MA_<PROVIDER>_MODEL, or of the card."""
    return os.environ.get(model_variable(card.provider), "").strip() or card.model


def model_variable(provider: str) -> str:
    """Name of the variable that overrides the model of a provider's cards."""
    return f"REVOPS_MA_{provider.upper()}_MODEL"


def need_library(module: str, provider: str) -> None:
    """Load a provider's library, so that no call has to wait for it.

    Raises BadInput that says what to install where it is missing.
    """
    try:
        importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise BadInput(
            f'the provider {provider} needs {module} ({error}): pip install "revops-ma[llm]"'
        ) from None


def refuse_options(card: LanguageCard) -> None:
    """CardError where a card has options, for providers that know none."""
    if card.options:
        raise CardError(
            f"agent {card.name}, [options]: {card.provider} has none, got {', '.join(card.options)}"
        )
