"""HTTP failures as typed responses, the same for every provider."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

from revops_ma.policies.language.protocol import Finish, Response
from revops_ma.policies.language.remote import Attempt

_DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)s")
_BUSY = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_EARLY)
"""Refusals (4xx) that pass by themselves."""


def finish_of_status(code: int) -> Finish:
    """What an HTTP status that is not 200 means."""
    if code == HTTPStatus.TOO_MANY_REQUESTS:
        return Finish.RATE_LIMITED
    if code >= HTTPStatus.INTERNAL_SERVER_ERROR or code in _BUSY:
        return Finish.SERVER_ERROR
    return Finish.CLIENT_ERROR


def failed(finish: Finish, model: str, detail: str, wait: float | None = None) -> Attempt:
    """A try that brought no answer."""
    return Attempt(Response(finish, model=model, detail=detail), wait)


def retry_after(headers: Mapping[str, str] | None) -> float | None:
    """Seconds of a Retry-After header, a number or a date; None without one that can be read."""
    value = (headers or {}).get("retry-after")
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):
            return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def retry_info(details: Any) -> float | None:
    """Seconds of a google.rpc.RetryInfo in the body of an error; None without one."""
    found = details.get("error", details) if isinstance(details, Mapping) else None
    listed = found.get("details") if isinstance(found, Mapping) else None
    for entry in listed if isinstance(listed, Sequence) else ():
        delay = entry.get("retryDelay") if isinstance(entry, Mapping) else None
        if isinstance(delay, str) and (match := _DURATION.fullmatch(delay)):
            return float(match[1])
    return None
