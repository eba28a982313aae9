"""Configurations with secrets masked, for comparing and printing."""

from __future__ import annotations

import re
from functools import cache

from fabricgen.catalog.loader import Catalog

MASK = "<secret>"


def without_secrets(content: bytes) -> bytes:
    """The text of a configuration of any NOS with a mask in place of each secret or secret reference."""
    text = content.decode(errors="replace")
    for pattern in _patterns():
        text = pattern.sub(_masked, text)
    return text.encode()


def _masked(match: re.Match[str]) -> str:
    start, end = match.start(1) - match.start(), match.end(1) - match.start()
    return match[0][:start] + MASK + match[0][end:]


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    catalog = Catalog()
    return tuple(re.compile(p, re.M) for nos in catalog.known_nos() for p in catalog.naming(nos).configuration.secrets)
