"""A bill of materials from a file: CSV or JSON, as `fabricgen bom` writes them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from fabricgen.diff.folder import checked, in_devices_w, listing_of
from fabricgen.diff.listing import COLUMNS, Listing
from fabricgen.kernel.diagnostics import InputError, Span, fault
from fabricgen.kernel.text_input import read_regular
from fabricgen.kernel.units import number
from fabricgen.publish.reading import Built, cannot_read, refuse_unfinished_around

LIST = "bom.csv"
"""The bill in a built folder."""

RACKS = "racks.csv"
"""What says there which optics are in the maxima of their devices."""

Bill: TypeAlias = "tuple[Listing, float | None]"
"""A bill, and the power of optics that its lines name twice, W; None where it is not known."""

SUFFIXES = (".csv", ".json")
"""Suffixes of such files."""

MOST_BYTES = 64 * 1024 * 1024

_CODE = "FG074"
_HINT = "compare with a bom.csv or bom.json as `fabricgen bom` wrote it, a built folder or a blueprint"


def read_bom(file: Path) -> Listing:
    """The lines of a bill in a file, taken as it stands; further columns are ignored.

    Raises InputError: FG074, with the line if known, for a file that is no bill; FG028 for one in a folder in which a
    build was stopped while it landed.
    """
    refuse_unfinished_around(file)
    try:
        return _listing(file, read_regular(file, MOST_BYTES))
    except OSError as error:
        raise _refused(file, f"{file}: {error.strerror or error}") from error


def built_bom(built: Built) -> Bill:
    """The bill in a built folder; raises InputError as `read_bom`, and FG054 where it is not as it was built."""
    file = built.folder / LIST
    try:
        content = read_regular(file)
    except OSError as error:
        raise _as_no_bill(cannot_read(file, error)) from error
    built.check(LIST, content)
    return _listing(file, content), in_devices_w(built)


def _listing(file: Path, content: bytes) -> Listing:
    try:
        if file.suffix == ".json":
            return checked(file, "bom", _json_columns(file, content, COLUMNS["bom"]))
        return listing_of(file, content, "bom")
    except InputError as error:
        raise _as_no_bill(error) from error


def _as_no_bill(error: InputError) -> InputError:
    return InputError(replace(each, code=_CODE, hint=each.hint or _HINT) for each in error.diagnostics)


def _json_columns(file: Path, content: bytes, names: tuple[str, ...]) -> list[list[str]]:
    try:
        rows = json.loads(content.decode("utf-8-sig"), parse_int=float)
    except (ValueError, RecursionError) as error:
        raise _refused(file, f"{file} cannot be read as JSON: {error}") from error
    if not isinstance(rows, list) or not all(_is_line(row, names) for row in rows):
        raise _refused(file, f"{file} is no list of objects with {', '.join(names)}")
    return [[_text(row[name]) for row in rows] for name in names]


def _is_line(row: Any, names: tuple[str, ...]) -> bool:
    """Whether a row has all columns, and in them nothing that has parts."""
    return isinstance(row, dict) and all(name in row and not isinstance(row[name], dict | list) for name in names)


def _text(cell: Any) -> str:
    """A cell spelled as in CSV."""
    is_number = isinstance(cell, int | float) and not isinstance(cell, bool)
    return number(cell) if is_number else str(cell)


def _refused(file: Path, message: str) -> InputError:
    return fault(_CODE, message, hint=_HINT, span=Span(str(file), 1, 1))
