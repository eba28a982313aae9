"""Rows of text from columns with few distinct cells: they say what plain columns say, whatever is put together."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from ipaddress import ip_address
from typing import Any

import numpy as np
import pytest

from fabricgen.numbering.blocks.column import IPv4Column, make_column, merge_families
from fabricgen.numbering.blocks.family import V6
from fabricgen.numbering.lazy_columns import (
    ComputedColumn,
    ConcatenatedColumn,
    StackedColumn,
    Strings,
    encode_column,
    encode_or_empty,
    repeat_value,
)
from fabricgen.reports import row_text
from fabricgen.reports.table import Table
from fabricgen.reports.tables.csv import write, write_blocks

ROWS = 29
PLACE = np.arange(ROWS, dtype=np.int32)
FEW, MANY = PLACE * 7 % 4, PLACE * 5 % 23
NAMES = [f"d{i}" for i in range(23)]


def columns() -> dict[str, Sequence[Any]]:
    """Columns of every kind, alike and unlike."""
    device = encode_column(NAMES, MANY)
    return {
        "fabric": encode_column(["a", "b", "c", "d"], FEW),
        "speed": encode_column([400.0, 0.5, 8.0, 100.0], FEW),
        "device": device,
        "rack": encode_column([f"r{i // 2}" for i in range(23)], MANY),
        "label": ConcatenatedColumn((device, ":", encode_column(["p1", "p2", "p3", "p4"], FEW), " > ", device)),
        "unit": PLACE.tolist(),
        "none": encode_or_empty(["x", "y"], FEW % 3 - 1),
        "all": repeat_value("same", ROWS),
        "stack": StackedColumn((encode_column(NAMES, MANY[:11]), [], [f"s{i}" for i in range(ROWS - 11)])),
        "told": ComputedColumn(ROWS, lambda start, stop: [f"t{i}" for i in range(start, stop)]),
    }


def plain(table: Table) -> bytes:
    """The same table by Python's own writer."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(table.columns)
    for row in table.rows():
        rows.writerow([f"{cell:g}" if isinstance(cell, float) else cell for cell in row])
    return out.getvalue().encode()


@pytest.mark.parametrize("block", [1, 4, 29, 4096])
@pytest.mark.parametrize("most", [0, 8, 4096])
def test_rows_are_those_of_plain_columns(block: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_text, "BLOCK", block)
    monkeypatch.setattr(row_text, "_MOST_COMBINATIONS", most)
    table = Table("all", columns())
    assert write(table) == plain(table)
    assert len(list(write_blocks(table))) == 1 + -(-ROWS // block)


@pytest.mark.parametrize("text", ['say "no"', "a,b", "two\nlines", "line\r"])
def test_what_needs_quotes_has_them_wherever_it_stands(text: str) -> None:
    odd = encode_column([text, "plain"], FEW % 2)
    kinds: dict[str, Sequence[Any]] = {
        "keyed": odd,
        "joined": ConcatenatedColumn(("<", odd, encode_column(NAMES, MANY))),
        "around": ConcatenatedColumn((encode_column(NAMES, MANY), text)),
        "told": ComputedColumn(ROWS, odd.read),
        "list": list(odd),
    }
    table = Table("odd", kinds)
    assert list(csv.reader(io.StringIO(write(table).decode(), newline=""))) == [[*kinds], *map(list, table.rows())]


@pytest.mark.parametrize(("met", "left"), [(1 << 20, 1), (275, 2)])
def test_columns_of_few_texts_become_one(met: int, left: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_text, "_MOST_SEARCHED", met)  # 12 texts of the first three columns, and 23 devices
    found = columns()
    pieces = [found["fabric"], ",", found["none"], ",", found["all"], ",", found["device"], ",", found["rack"], "\n"]
    merged = row_text._merge_pieces(pieces, ROWS)
    assert len(merged) == left
    rows = ["".join(row) for row in zip(*([p] * ROWS if isinstance(p, str) else p for p in pieces), strict=True)]
    assert list(map("".join, zip(*merged, strict=True))) == rows


def test_what_is_asked_twice_of_a_vocabulary_is_made_once() -> None:
    asked: list[str] = []

    def upper(texts: Strings) -> Strings:
        asked.extend(texts)
        return encode_column([word.upper() for word in texts], FEW).vocabulary

    made, names, others = (
        row_text.memoize(upper),
        encode_column(["a", "b"], FEW).vocabulary,
        encode_column(["a", "b"], FEW).vocabulary,
    )
    assert made(names) is made(names)
    assert asked == ["a", "b"]
    assert made(others) is not made(names)


def test_a_table_of_stacked_columns_is_written_section_by_section() -> None:
    halves = [
        (encode_column(NAMES, MANY[part]), repeat_value(kind, len(MANY[part]))) for kind, part in SECTIONS.items()
    ]
    table = Table("two", dict(zip(("device", "kind"), map(StackedColumn, zip(*halves, strict=True)), strict=True)))
    assert [len(section) for section in table.sections()] == [11, 0, ROWS - 11]
    assert write(table) == plain(table)


SECTIONS = {"first": slice(11), "none": slice(11, 11), "last": slice(11, None)}


@pytest.mark.parametrize("name", columns())
def test_a_column_is_read_as_a_plain_one(name: str) -> None:
    column = columns()[name]
    cells = list(column)
    assert len(cells) == len(column) == ROWS
    assert [column[i] for i in range(-ROWS, ROWS)] == cells * 2
    assert [*column[3:17], *column[17:100]] == cells[3:]
    assert list(column[::5]) == cells[::5]
    assert np.array(column, dtype=object).tolist() == cells
    with pytest.raises(IndexError):
        column[ROWS]


def test_rows_without_an_index_are_empty() -> None:
    assert list(encode_column(NAMES, MANY).take_or_empty(np.array([1, -1, 0]))) == [NAMES[MANY[1]], "", NAMES[MANY[0]]]
    assert list(encode_column(NAMES, MANY[:0]).take_or_empty(np.array([-1, -1]))) == ["", ""]


def test_columns_of_unequal_length_are_no_table() -> None:
    with pytest.raises(ValueError, match="differ in length"):
        Table("bad", {"a": [1, 2], "b": [1]})


def test_addresses_are_spelled_as_they_are() -> None:
    numbers = [0, 1, 255, 256, 65535, 65536, 65537, 167772161, 4294967295, 2886729729]
    lengths = np.array([0, 32, 31, 30, 8, 16, 32, 31, 32, 0])
    texts = ["" if not n else str(ip_address(n)) for n in numbers]
    column = IPv4Column(np.array(numbers))
    assert column.texts() == texts
    prefixes = [text and f"{text}/{n}" for text, n in zip(texts, lengths.tolist(), strict=True)]
    assert column.prefixes(lengths) == prefixes
    other = make_column(V6, [1 << 112, *range(9)])
    assert list(merge_families([column, other], [lengths, lengths])) == ["1::/0", *prefixes[1:]]
    assert list(merge_families([column, other])) == ["1::", *texts[1:]]
