"""Sheet names that spreadsheets accept."""

from __future__ import annotations

import re
from collections.abc import Iterable

LONGEST = 31
"""The most characters of a sheet name (Excel specifications and limits, Microsoft: Rename a worksheet)."""

_RESERVED = frozenset({"history"})

_UNFIT = re.compile(r"[\[\]:*?/\\\x00-\x1f]")


def sheet_names(wanted: Iterable[str]) -> list[str]:
    """A legal name for each wanted one, distinct without regard to case, and changed as little as possible."""
    taken = set(_RESERVED)
    found = []
    for text in wanted:
        stem = _UNFIT.sub("_", text).strip("' ") or "sheet"
        name, number = stem[:LONGEST].rstrip("'"), 1
        while name.casefold() in taken:
            number += 1
            tail = f"~{number}"
            name = stem[: LONGEST - len(tail)] + tail
        taken.add(name.casefold())
        found.append(name)
    return found
