"""Names under which people write secrets, spelled right or not, so that messages do not repeat what stands there."""

from __future__ import annotations

import re
from collections.abc import Iterable

SECRET = "pas+w|pas+phr|pwd|secret|auth|priv|community|token"  # noqa: S105 - a pattern
"""A part of a key that has a secret, as a regular expression."""

_KEY = re.compile(f"(?i){SECRET}|^(cak|key|users|aaa|snmp)$")


def may_be_secret(path: Iterable[object]) -> bool:
    """Whether somebody may have written a secret at a place, by the names that lead there, spelled right or not."""
    return any(isinstance(step, str) and _KEY.search(step) for step in path)
