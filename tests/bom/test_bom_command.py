"""`fabricgen bom`: totals, traces, differences, price files and the workbook, as a buyer meets them."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from tests.conftest import BLUEPRINTS, Ran, require

LEAF_SPINE = BLUEPRINTS / "leaf-spine.yaml"
Command = Callable[..., Ran]

PRICES = "part,unit_price,currency,lead_time_weeks,vendor_part,notes\nsn4700,1000.5,EUR,12,MSN4700,=SUM(A1)\n"


def read_rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    file = tmp_path / "prices.csv"
    file.write_text(PRICES)
    return file


def test_totals_end_in_the_whole(fabricgen: Command, prices: Path) -> None:
    command = ("bom", LEAF_SPINE, "--prices", prices, "--set", "spares.switches=20%")
    *groups, total = read_rows(fabricgen(*command, "--by", "tier,kind", "--format", "csv").out)
    lines = read_rows(fabricgen(*command).out)
    assert total["tier"] == "(total)"
    for column in ("quantity", "spares"):
        assert sum(int(row[column]) for row in groups) == int(total[column]) == sum(int(line[column]) for line in lines)
    assert float(total["total_price"]) == sum(float(row["total_price"]) for row in groups) == 1000.5 * 10
    assert {row["tier"] for row in groups if row["kind"] == "cable"} <= {"node-leaf", "leaf-spine", "(spares)"}


def test_prices_are_shown_in_ten_thousandths(fabricgen: Command, tmp_path: Path) -> None:
    (tmp_path / "prices.csv").write_text("part,unit_price\nsn4700,0.1234\n")
    bill = read_rows(fabricgen("bom", LEAF_SPINE, "--prices", tmp_path / "prices.csv").out)
    row = next(row for row in bill if row["unit_price"])
    assert (row["quantity"], row["unit_price"], row["total_price"]) == ("8", "0.1234", "0.9872")


def test_totals_are_shown_to_people_as_columns(fabricgen: Command) -> None:
    shown = fabricgen("bom", LEAF_SPINE, "--by", "kind").out.splitlines()
    assert shown[0].split() == ["kind", "quantity", "spares", "power_w", "no_figure"]
    assert len({len(line) for line in shown}) == 1
    assert shown[-1].startswith("(total)")


def test_what_a_price_file_says_beyond_prices_is_listed_and_is_no_formula(fabricgen: Command, prices: Path) -> None:
    row = next(r for r in read_rows(fabricgen("bom", LEAF_SPINE, "--prices", prices).out) if r["part"] == "sn4700")
    assert (row["lead_time_weeks"], row["currency"], row["vendor_part"]) == ("12", "EUR", "MSN4700")
    assert row["notes"] == "'=SUM(A1)"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("part,unit_price\nsn4700,1\nsn4700,2\n", "prices.csv:3:1: error[FG031]: 'sn4700' is priced twice"),
        ("part,unit_price,currency\na,1,EUR\nb,1,USD\n", "prices.csv:3:1: error[FG031]: prices in EUR and in USD"),
        ("part,unit_price,currency\na,1,euro\n", "prices.csv:2:1: error[FG031]: 'euro' is no currency"),
        ("part,unit_price,lead_time_weeks\na,1,soon\n", "prices.csv:2:1: error[FG031]: 'soon' is no lead time"),
        ("part,price\na,1\n", "prices.csv:1:1: error[FG031]: a price file has the columns part and unit_price"),
        ("part,unit_price\na,nan\n", "prices.csv:2:1: error[FG031]: 'nan' is no price"),
        ("part,unit_price\na,1_000\n", "prices.csv:2:1: error[FG031]: '1_000' is no price"),
        ("part,unit_price\na,1,250.00\n", "prices.csv:2:1: error[FG031]: the line has 1 more than the 2 columns"),
        ("part;unit_price\na;1\n", "hint: found: part;unit_price; separate columns by commas"),
    ],
)
def test_a_price_file_is_refused_where_it_is_wrong(fabricgen: Command, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "prices.csv").write_text(text)
    ran = fabricgen("bom", LEAF_SPINE, "--prices", tmp_path / "prices.csv")
    assert ran.code == 2
    assert said in ran.err


def test_a_bill_is_priced_by_filling_in_its_own_column(fabricgen: Command, tmp_path: Path) -> None:
    """What `bom` wrote without prices is a price file; rows that are still empty have no price."""
    bill, priced = tmp_path / "bom.csv", tmp_path / "priced.csv"
    assert fabricgen("bom", LEAF_SPINE, "-o", bill).code == 0
    assert fabricgen("bom", LEAF_SPINE, "--prices", bill).out == bill.read_text(encoding="utf-8")
    lines = read_rows(bill.read_text(encoding="utf-8"))
    for row in lines:
        row["unit_price"] = "19000" if row["part"] == "sn4700" else ""
    with priced.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)
    again = read_rows(fabricgen("bom", LEAF_SPINE, "--prices", priced).out)
    assert {row["part"]: row["unit_price"] for row in again if row["unit_price"]} == {"sn4700": "19000"}
    priced.write_text("part,unit_price,lead_time_weeks\nsn4700,,12\n", encoding="utf-8")
    assert "'' is no price" in fabricgen("bom", LEAF_SPINE, "--prices", priced).err


@pytest.mark.parametrize(
    ("name", "hint"),
    [("bom.xlsx", "save it as CSV in UTF-8"), ("old.gz", "unpack it"), ("old.tar.zst", "--archive` wrote")],
)
def test_a_binary_file_says_what_to_do_first(fabricgen: Command, tmp_path: Path, name: str, hint: str) -> None:
    file = tmp_path / name
    file.write_bytes(b"PK\0\0")
    ran = fabricgen("bom", LEAF_SPINE, "--diff", file)
    message = "holds no build" if ".tar" in name else "is a binary file"
    assert (ran.code, message in ran.err, hint in ran.err) == (2, True, True)


def test_a_part_that_nothing_needs_cannot_be_traced(fabricgen: Command) -> None:
    ran = fabricgen("bom", LEAF_SPINE, "--trace", "sn4701")
    assert (ran.code, ran.out) == (2, "")
    assert "error[FG073]: there is no part 'sn4701'" in ran.err
    assert "did you mean 'sn4700'?" in ran.err


@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_a_bill_differs_from_an_older_file_by_what_was_added(fabricgen: Command, tmp_path: Path, suffix: str) -> None:
    old = tmp_path / f"old.{suffix}"
    assert fabricgen("bom", LEAF_SPINE, "-o", old).code == 0
    unchanged = fabricgen("bom", LEAF_SPINE, "--diff", old)
    assert (unchanged.code, unchanged.out) == (0, "no differences\n")
    grown = fabricgen("bom", LEAF_SPINE, "--set", "pods.p1.su=3", "--diff", old, "--format", "json")
    assert grown.code == 1
    switch = next(row for row in json.loads(grown.out) if row["part"] == "sn4700")
    assert (switch["change"], switch["old_quantity"], switch["new_quantity"], switch["bought"]) == ("more", 8, 10, 2)


def test_a_bill_differs_from_an_older_blueprint_and_build(fabricgen: Command, tmp_path: Path, prices: Path) -> None:
    assert fabricgen("build", LEAF_SPINE, "-o", tmp_path / "out", "--only", "bom").code == 0
    less = ("bom", LEAF_SPINE, "--set", "pods.p1.su=1", "--prices", prices)
    by_build = fabricgen(*less, "--diff", tmp_path / "out")
    by_blueprint = fabricgen(*less, "--diff", LEAF_SPINE)
    assert by_build == by_blueprint
    assert by_build.code == 1
    assert "\nfewer\n" in by_build.out
    assert "  -2 sn4700, -2,001: NVIDIA SN4700 (port side exhaust)\n" in by_build.out


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("old.csv", "part,unit_price\nsn4700,1\n", "has no column"),
        ("old.json", '{"part": "sn4700"}', "is no list of objects"),
        ("old.json", "[" * 100_000, "cannot be read as JSON"),
        ("old.csv", "part,description,kind,quantity,spares,unit_price,power_w\na,b,c,x,0,,\n", "'x' is not a number"),
    ],
)
def test_what_is_no_bill_is_not_compared(fabricgen: Command, tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    ran = fabricgen("bom", LEAF_SPINE, "--diff", tmp_path / name)
    assert (ran.code, ran.out) == (2, "")
    assert f"{name}:" in ran.err
    assert "error[FG074]" in ran.err
    assert said in ran.err


def test_asking_for_two_views_or_an_unknown_total_is_a_mistake_of_use(fabricgen: Command) -> None:
    two_views = fabricgen("bom", LEAF_SPINE, "--by", "site", "--trace", "sn4700")
    unknown = fabricgen("bom", LEAF_SPINE, "--by", "sites")
    assert (two_views.code, unknown.code) == (2, 2)
    assert "exclude one another" in two_views.err
    assert "did you mean 'site'?" in unknown.err


def test_the_workbook_has_a_sheet_for_each_total_and_no_formulas(
    fabricgen: Command, tmp_path: Path, prices: Path
) -> None:
    assert fabricgen("bom", LEAF_SPINE, "--prices", prices, "-o", tmp_path / "bom.xlsx").code == 0
    book = openpyxl.load_workbook(tmp_path / "bom.xlsx")
    titles = ["Order", "By fabric", "By tier", "By SU", "By site", "By kind", "Power", "Not in it"]
    assert book.sheetnames == titles
    lines = read_rows(fabricgen("bom", LEAF_SPINE).out)
    installed = sum(int(line["quantity"]) for line in lines)
    for sheet in book:
        assert (sheet.freeze_panes, sheet.print_title_rows) == ("A2", "$1:$1")
        assert all(cell.data_type != "f" for row in sheet.iter_rows() for cell in row)
        if sheet.title.startswith("By "):
            header = [cell.value for cell in sheet[1]]
            total = dict(zip(header, (cell.value for cell in sheet[sheet.max_row]), strict=True))
            assert (total[header[0]], total["quantity"]) == ("(total)", installed)
            assert sheet.auto_filter.ref.endswith(str(sheet.max_row - 1))


@pytest.mark.office
def test_the_workbook_prints_from_libreoffice(fabricgen: Command, tmp_path: Path) -> None:
    soffice = shutil.which("soffice")
    require("" if soffice else "LibreOffice is missing: `apt-get install libreoffice-calc-nogui`")
    assert fabricgen("bom", LEAF_SPINE, "-o", tmp_path / "bom.xlsx").code == 0
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    command = [soffice, profile, "--headless", "--convert-to", "pdf", "--outdir", tmp_path, tmp_path / "bom.xlsx"]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    assert (tmp_path / "bom.pdf").read_bytes().startswith(b"%PDF")
