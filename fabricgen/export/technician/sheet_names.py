"""Names that a spreadsheet takes for its sheets."""

from __future__ import annotations

import re
from collections.abc import Iterable

LONGEST = 31
"""Characters of a sheet's name (Excel specifications and limits, Microsoft: Rename a worksheet)."""

_RESERVED = frozenset({"history"})

_UNFIT = re.compile(r"[\[\]:*?/\\\x00-\x1f]")


def sheet_names(wanted: Iterable[str]) -> list[str]:
    """A legal name for each that is wanted, unlike all others in whatever case; changed no more than it must be."""
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
