"""Reads the sheets of untrusted XLSX workbooks: formulas are not evaluated, and sizes are limited before unpacking."""

from __future__ import annotations

import io
import re
import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from itertools import count
from typing import Any, NoReturn

from fabricgen.as_built.faults import refuse
from fabricgen.as_built.sheet import MOST_COLUMNS, MOST_ROWS, CellText, Sheet, Unreadable
from fabricgen.kernel.diagnostics import Span
from fabricgen.kernel.units import number

MAX_UNPACKED = 512 * 1024 * 1024
"""The most that all parts of a workbook may unpack to, bytes."""

LEAST_UNPACKED, MOST_TIMES = 64 * 1024 * 1024, 100
"""A small workbook may unpack to so many bytes, a larger one to so many times its size: sheets of text to 10 to 30."""

MOST_PARTS = 10_000
"""The most parts of a workbook; a sheet has two."""

_PROLOG = 64 * 1024
"""The first XML element of a part must begin within so many bytes."""

_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    LookupError,  # of keys, and of encodings that nobody knows
    ArithmeticError,
    ValueError,
    TypeError,
    AttributeError,
    SyntaxError,  # of XML
    OSError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    AssertionError,
)
"""Exceptions that reading a damaged workbook may raise."""


def workbook_sheets(data: bytes, file: str) -> Iterator[Sheet]:
    """The sheets of a workbook in their order; raises InputError (FG084) where it is damaged, too large or no workbook.

    Formulas are not evaluated, links not followed, macros not run; a workbook with entities or a DTD is refused.
    """
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    _check_parts(data, file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of validations and print settings that openpyxl leaves out
        try:
            book = load_workbook(io.BytesIO(data), read_only=True, data_only=False, keep_links=False)
        except (*_DAMAGE, InvalidFileException) as error:
            _refuse_damaged(file, error)
        rows = count(1)
        for sheet in book.worksheets:
            name = f"{file}:{sheet.title}"
            sheet.reset_dimensions()  # what a sheet says of its own size may be wrong
            yield Sheet(name, _rows(sheet, name, rows))


def _check_parts(data: bytes, file: str) -> None:
    """Raise InputError for a workbook that would unpack to too much, and for XML with a DTD."""
    at, most = Span(file, 1, 1), min(MAX_UNPACKED, max(LEAST_UNPACKED, MOST_TIMES * len(data)))
    try:
        if data.count(b"PK\x01\x02") > MOST_PARTS:  # before all of them are objects
            refuse(f"the workbook has more than {MOST_PARTS:,} parts", at)
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
            unpacked = sum(part.file_size for part in parts)
            if unpacked > most:
                refuse(
                    f"the workbook unpacks to {unpacked >> 20:,} MiB; {most >> 20} MiB are the most",
                    at,
                    "split it by rack",
                )
            for part in parts:
                if part.filename.endswith((".xml", ".rels")):
                    with archive.open(part) as stream:
                        _check_prolog(stream.read(_PROLOG), part.filename, at)
    except _DAMAGE as error:
        _refuse_damaged(file, error)


def _check_prolog(head: bytes, part: str, at: Span) -> None:
    element = re.search(rb"<[A-Za-z_]", head)
    if b"\0" in head or element is None or b"<!" in head[: element.start()].replace(b"<!--", b""):
        refuse(
            f"the part {part} of the workbook is not plain XML", at, "save the workbook anew with a spreadsheet program"
        )


def _refuse_damaged(file: str, error: Exception) -> NoReturn:
    reason = str(error).splitlines()[0][:120] if str(error) else type(error).__name__
    refuse(
        f"cannot read '{file}' as a workbook: {reason}",
        Span(file, 1, 1),
        "save it anew as .xlsx, without a password, or as .csv",
    )


def _rows(sheet: Any, name: str, so_far: Iterator[int]) -> Iterator[tuple[int, list[CellText]]]:
    """(row number, cells) of a sheet; `so_far` counts the rows of all sheets."""
    try:
        for last, row in enumerate(sheet.iter_rows(max_col=MOST_COLUMNS), start=1):
            if next(so_far) > MOST_ROWS:
                refuse(f"more than {MOST_ROWS:,} rows", Span(name, last, 1), "delete the empty ones at the end")
            if row:
                yield last, [_text(cell) for cell in row]
    except _DAMAGE as error:
        _refuse_damaged(name, error)


def _text(cell: Any) -> CellText:
    """A cell as it is displayed; whole numbers without a fraction."""
    value = cell.value
    if value is None:
        return ""
    if cell.data_type == "f":
        return Unreadable("a formula")
    if cell.data_type == "e":
        return Unreadable(f"the error value {value}")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, datetime | date | time | timedelta):
        return Unreadable("a date, which spreadsheets make of 1/2 and the like")
    return str(value).strip()
