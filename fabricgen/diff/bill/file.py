"""A bill of materials from a file: CSV or JSON, as `fabricgen bom` writes them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from fabricgen.diff.folder import checked, columns_of
from fabricgen.diff.listing import COLUMNS, Listing
from fabricgen.kernel.diagnostics import InputError, Span, fault
from fabricgen.kernel.units import number

SUFFIXES = (".csv", ".json")
"""Suffixes of such files."""

MOST_BYTES = 64 * 1024 * 1024

_CODE = "FG074"
_HINT = "compare with a bom.csv or bom.json as `fabricgen bom` wrote it, a built folder or a blueprint"


def read_bom(file: Path) -> Listing:
    """The lines of a bill in a file; further columns are ignored.

    Raises InputError (FG074), with the line if known, for a file that is no bill.
    """
    try:
        if file.exists() and file.stat().st_size > MOST_BYTES:
            raise _refused(file, f"{file} is larger than {MOST_BYTES >> 20} MiB")
        names = COLUMNS["bom"]
        return checked(file, "bom", _json_columns(file, names) if file.suffix == ".json" else columns_of(file, names))
    except InputError as error:
        raise InputError(replace(each, code=_CODE, hint=each.hint or _HINT) for each in error.diagnostics) from error


def _json_columns(file: Path, names: tuple[str, ...]) -> list[list[str]]:
    try:
        rows = json.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise _refused(file, f"{file} cannot be read as JSON: {reason}") from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) and set(names) <= row.keys() for row in rows):
        raise _refused(file, f"{file} is no list of objects with {', '.join(names)}")
    return [[_text(row[name]) for row in rows] for name in names]


def _text(cell: Any) -> str:
    """A cell spelled as in CSV."""
    is_number = isinstance(cell, int | float) and not isinstance(cell, bool)
    return number(cell) if is_number else str(cell)


def _refused(file: Path, message: str) -> InputError:
    return fault(_CODE, message, hint=_HINT, span=Span(str(file), 1, 1))
