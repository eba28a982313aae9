"""Reads the sheets of untrusted workbooks and CSV files as rows of text.

Formulas are not evaluated, and sizes are limited before unpacking; a cell that holds no plain value is unreadable.
"""

from __future__ import annotations

import csv
import io
import re
import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import count
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from fabricgen.as_built.faults import refuse
from fabricgen.kernel.diagnostics import Span
from fabricgen.kernel.text_input import decode_text, read_bytes
from fabricgen.kernel.units import format_number
from fabricgen.publish.reading import refuse_unfinished_around

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


def read_workbook(raw: bytes, file: str) -> Iterator[Sheet]:
    """Yield the sheets of a workbook in their order; raises InputError (FG084) if it is damaged, too large or none.

    Formulas are not evaluated, links not followed, macros not run; a workbook with entities or a DTD is refused.
    """
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    # before openpyxl sees it: what it would unpack is bounded, and XML with entities is refused
    _check_parts(raw, file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of validations and print settings that openpyxl leaves out
        try:
            book = load_workbook(io.BytesIO(raw), read_only=True, data_only=False, keep_links=False)
        except (*_DAMAGE, InvalidFileException) as error:
            _refuse_damaged(file, error)
        rows = count(1)
        for sheet in book.worksheets:
            name = f"{file}:{sheet.title}"
            sheet.reset_dimensions()  # what a sheet says of its own size may be wrong
            yield Sheet(name, _read_rows(sheet, name, rows))


def _check_parts(raw: bytes, file: str) -> None:
    """Raise InputError (FG084) for a workbook that would unpack to too much, and for XML with a DTD."""
    at, most = Span(file, 1, 1), min(MAX_UNPACKED, max(LEAST_UNPACKED, MOST_TIMES * len(raw)))
    try:
        if raw.count(b"PK\x01\x02") > MOST_PARTS:  # before all of them are objects
            refuse(f"the workbook has more than {MOST_PARTS:,} parts", at)
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
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
    # raise InputError where XML is in UTF-16, or has a DTD before its first element, which could name files or grow
    element = re.search(rb"<[A-Za-z_]", head)
    if b"\0" in head or element is None or b"<!" in head[: element.start()].replace(b"<!--", b""):
        refuse(
            f"the part {part} of the workbook is not plain XML", at, "save the workbook anew with a spreadsheet program"
        )


def _refuse_damaged(file: str, error: Exception) -> NoReturn:
    # raise InputError for a file that the library cannot read, with the library's reason
    reason = str(error).splitlines()[0][:120] if str(error) else type(error).__name__
    refuse(
        f"cannot read '{file}' as a workbook: {reason}",
        Span(file, 1, 1),
        "save it anew as .xlsx, without a password, or as .csv",
    )


def _read_rows(sheet: Any, name: str, so_far: Iterator[int]) -> Iterator[tuple[int, list[CellText]]]:
    """Yield (row number from 1, cells) of a sheet; `so_far` counts the rows of all sheets. Raises InputError (FG084)
    for too many rows, and for damage.
    """
    try:
        for last, row in enumerate(sheet.iter_rows(max_col=MOST_COLUMNS), start=1):
            if next(so_far) > MOST_ROWS:
                refuse(f"more than {MOST_ROWS:,} rows", Span(name, last, 1), "delete the empty ones at the end")
            if row:
                yield last, [_read_cell(cell) for cell in row]
    except _DAMAGE as error:
        _refuse_damaged(name, error)


def _read_cell(cell: Any) -> CellText:
    """Return a cell as it is displayed, whole numbers without a fraction; `Unreadable` for a formula, an error and a
    date.
    """
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
        return format_number(value)
    if isinstance(value, datetime | date | time | timedelta):
        return Unreadable("a date, which spreadsheets make of 1/2 and the like")
    return str(value).strip()


MOST_COLUMNS = 48
"""The most columns that are read of a sheet."""


MOST_ROWS = 2_000_000
"""The most rows of all sheets of a file, empty ones included."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A cell that holds something other than text or a number; `why` says what."""

    why: str


CellText: TypeAlias = str | Unreadable


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet: its name in messages (`wiring.xlsx:wiring`), and (row number from 1, cells) of its rows."""

    name: str
    rows: Iterator[tuple[int, list[CellText]]]


MAX_BYTES = 64 * 1024 * 1024
"""The largest file that is read, bytes."""


_WORKBOOKS = (".xlsx", ".xlsm")


def read_sheets(file: str) -> Iterator[Sheet]:
    """Yield the sheets of a workbook, or the one of a CSV file, to be read one after another.

    Raises InputError: FG001, FG084 for a file that is neither, too large, or damaged; FG028 for one in a folder in
    which a build was stopped while it landed.
    """
    refuse_unfinished_around(Path(file))
    raw = read_bytes(Path(file), file, limit=MAX_BYTES)
    if len(raw) > MAX_BYTES:
        refuse(f"cannot read '{file}': it is larger than {MAX_BYTES >> 20} MiB", Span(file, 1, 1), "split it by rack")
    if file.lower().endswith(_WORKBOOKS):
        yield from read_workbook(raw, file)
    elif file.lower().endswith(".csv"):
        yield Sheet(file, _read_csv(decode_text(raw, file, limit=MAX_BYTES, kind="CSV"), file))
    else:
        refuse(f"'{file}' is neither a workbook (.xlsx) nor .csv", Span(file, 1, 1), "save the sheet as one of these")


def _read_csv(text: str, file: str) -> Iterator[tuple[int, list[CellText]]]:
    # (row number, cells) of a CSV file; raises InputError for what is no CSV
    head = next((line for line in text.splitlines() if line.strip()), "")
    # spreadsheets write semicolons where the comma is the decimal sign
    mark = max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    line = 0
    try:
        for cells in reader:
            # a cell may hold line ends: a row is told by its first line
            first, line = line + 1, reader.line_num
            yield first, [_read_csv_cell(cell.strip()) for cell in cells[:MOST_COLUMNS]]
    except csv.Error as error:
        refuse(f"this is no CSV: {error}", Span(file, reader.line_num, 1), "close every quotation mark")


def _read_csv_cell(text: str) -> CellText:
    return Unreadable("a formula") if text.startswith("=") else text
