"""A sheet of a workbook or of a CSV file, as rows of text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

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
