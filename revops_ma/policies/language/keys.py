"""Keys of providers: read from the environment when they are needed, and shown to nobody."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from revops_ma.errors import BadInput

SHOWN = 300
"""Characters of a provider's message that are kept."""

_BEARER = re.compile(r"(?i)(bearer\s+|api[-_ ]?key['\"]?\s*[:=]\s*['\"]?|[?&]key=)[^\s'\"&,}]+")


def find_key(names: Sequence[str]) -> str:
    """The value of the first variable that is set, "" if none is; BadInput for an unusable one."""
    for name in names:
        key = os.environ.get(name, "").strip()
        if key and not (key.isascii() and key.isprintable() and " " not in key):
            raise BadInput(f"{name} holds characters that no HTTP header can carry")
        if key:
            return key
    return ""


def scrubbed(text: object, key: str) -> str:
    """One short line of a provider's message, without keys that it may have echoed."""
    line = " ".join(str(text).split())
    if key:
        line = line.replace(key, "***")
    return _BEARER.sub(r"\1***", line)[:SHOWN]
