"""The tables people take away: csv, json and xlsx, to a file or to standard output."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import openpyxl
import pytest

from tests.conftest import BLUEPRINTS

LEAF_SPINE = BLUEPRINTS / "leaf-spine.yaml"


@pytest.mark.parametrize("command", [("bom",), ("wiring",), ("wiring", "--by", "link")], ids=" ".join)
def test_the_three_formats_hold_the_same_rows(command: tuple[str, ...], tmp_path: Path, fabricgen) -> None:
    shown = fabricgen(*command, LEAF_SPINE)
    assert shown.code == 0
    rows = list(csv.DictReader(io.StringIO(shown.out)))
    for suffix in ("json", "xlsx"):
        assert fabricgen(*command, LEAF_SPINE, "-o", tmp_path / f"table.{suffix}").code == 0
    as_json = json.loads((tmp_path / "table.json").read_text())
    assert [{k: _text(v) for k, v in row.items()} for row in as_json] == rows
    sheet = openpyxl.load_workbook(tmp_path / "table.xlsx").active
    header, *body = sheet.iter_rows(values_only=True)
    cells = [dict(zip(header, map(_text, row), strict=True)) for row in body]
    assert [{name: row[name] for name in rows[0]} for row in cells] == rows
    assert not any(value for row in cells for name, value in row.items() if name not in (*rows[0], "remark"))


def test_no_cell_of_any_list_is_a_formula_to_a_spreadsheet() -> None:
    for file in sorted((BLUEPRINTS.parent / "tests" / "golden").glob("*/expected/*.csv")):
        with file.open(newline="", encoding="utf-8") as stream:
            cells = {cell for row in csv.reader(stream) for cell in row}
        assert not {cell for cell in cells if re.match(r"[=+@\t\r]|-(?!\d+(\.\d+)?$)", cell)}, file


def _text(value: object) -> str:
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def test_a_workbook_has_the_same_bytes_every_time(tmp_path: Path, fabricgen) -> None:
    for name in ("a.xlsx", "b.xlsx"):
        assert fabricgen("bom", LEAF_SPINE, "-o", tmp_path / name).code == 0
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()


def test_prices_are_totalled_with_spares(tmp_path: Path, fabricgen) -> None:
    (tmp_path / "prices.csv").write_text("part,unit_price\nsn4700,1000.50\n")
    shown = fabricgen("bom", LEAF_SPINE, "--prices", tmp_path / "prices.csv", "--set", "spares.switches=10%")
    row = next(r for r in csv.DictReader(io.StringIO(shown.out)) if r["part"] == "sn4700")
    assert (row["quantity"], row["spares"], row["unit_price"], row["total_price"]) == ("8", "1", "1000.5", "9004.5")


def test_a_bad_price_is_named_with_its_line(tmp_path: Path, fabricgen) -> None:
    (tmp_path / "prices.csv").write_text("part,unit_price\nsn4700,cheap\n")
    ran = fabricgen("bom", LEAF_SPINE, "--prices", tmp_path / "prices.csv")
    assert ran.code == 2
    assert "prices.csv:2:1: error[FG031]: 'cheap' is no price" in ran.err
