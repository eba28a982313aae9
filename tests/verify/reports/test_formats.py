"""Each format says the same, whatever is in names, and in the same bytes."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest

from fabricgen.reports.formats import list_formats
from fabricgen.verify.actions import Consequence, End, Kind
from fabricgen.verify.report import REPORTS, Report, write_report
from tests.conftest import require
from tests.lint.test_reports import JUNIT
from tests.verify.reports.made import LEAF, NAUGHTY, dark, exchanged, made, swapped

EXTRA = (f"{NAUGHTY}:1 - {LEAF}:Ethernet1",)
TEXT_FORMATS = [form for form in list_formats(REPORTS) if form != "xlsx"]


def everything() -> Report:
    notes = (f"{NAUGHTY} is taken for p1-su02-n001: three of four of its ports are there",)
    return made(exchanged(), swapped(), dark(), unseen=(f"{LEAF}:32",), extra=EXTRA, notes=notes)


def nothing() -> Report:
    return made(unseen=tuple(made().plan.cable_ids.tolist()))


def text_of(form: str, report: Report) -> str:
    return write_report(form, report).decode()


def test_the_formats_are_those_of_the_contract() -> None:
    assert list_formats(REPORTS) == ("csv", "github", "json", "junit", "text", "xlsx")


def test_people_read_what_to_pull_and_where_to_put_it() -> None:
    action = replace(swapped(), consequence=Consequence())
    assert text_of("text", made(action, unseen=(f"{LEAF}:32",))) == (
        """\
leaf-spine: 24 cables: 21 as planned, 2 elsewhere, 1 unseen

unit            verified  elsewhere    dark   unseen
p1/su1           9 of 12          2       0        1
p1/su2          12 of 12          0       0        0

rack                          verified  elsewhere    dark   unseen
p1-su01-net01                  9 of 12          2       0        1
net-compute-spine-01          13 of 16          2       0        1
and 3 racks verified whole

1 action, 2 plugs to move

1. two plugs of compute-leaf-p1-su01-r1-01 are swapped: Ethernet224 and Ethernet232 (2 plugs;
   swap-46e17949)
   lay the first plug aside until its place is free
   pull compute-leaf-p1-su01-r1-01:Ethernet232  rack p1-su01-net01 (h1.R01.02) U46, cage 30
    put compute-leaf-p1-su01-r1-01:Ethernet224  cage 29
        label h1.R01.02-U46:29 > h1.N01.01-U46:1
   pull compute-leaf-p1-su01-r1-01:Ethernet224  rack p1-su01-net01 (h1.R01.02) U46, cage 29
    put compute-leaf-p1-su01-r1-01:Ethernet232  cage 30
        label h1.R01.02-U46:30 > h1.N01.01-U45:1
        the planned cable does not reach here, so another is plugged: have the planned one ready
   or swap the two plugs at the spines (2 plugs)
"""
    )


@pytest.mark.parametrize("form", ["text", "github", "junit"])
def test_people_read_what_it_costs_until_then(form: str) -> None:
    assert "until then: rails crossed (compute 1->2)" in text_of(form, made(swapped())).replace("-&gt;", "->")


def test_what_is_green_is_short() -> None:
    lines = text_of("text", made()).splitlines()
    assert lines[0] == "leaf-spine: 24 cables: 24 as planned"
    assert lines[-1].split() == ["p1/su2", "12", "of", "12", "0", "0", "0"]
    assert not made().has_differences()


def test_json_has_the_keys_of_the_contract() -> None:
    found = json.loads(write_report("json", everything()))
    counts = {"as_planned": 20, "dark": 1, "elsewhere": 2, "unseen": 1, "harmless": 0, "extra": 1}
    assert found["cables"] == counts
    by_kind = {action["kind"]: action for action in found["actions"]}
    assert by_kind.keys() == {"exchange", "swap", "dark"}
    swap = by_kind["swap"]
    assert swap["moves"] == 2
    assert swap["cables"] == [f"{LEAF}:29", f"{LEAF}:30"]
    assert swap["ends"][0].items() >= {"device": LEAF, "port": "Ethernet224", "rack": "p1-su01-net01", "u": 46}.items()
    assert swap["ends"][0]["label"] == "h1.R01.02-U46:29 > h1.N01.01-U46:1"
    assert [step["pull"]["port"] for step in swap["steps"]] == ["Ethernet232", "Ethernet224"]
    exchange = by_kind["exchange"]
    assert (exchange["moves"], exchange["boxes"], exchange["alternatives"][0]["moves"]) == (0, 2, 4)
    assert {action["kind"] for action in found["actions"]} <= {kind.value for kind in Kind}


def test_json_tells_which_cables_are_right_and_how_far_each_place_is() -> None:
    found = json.loads(write_report("json", everything()))
    assert found["verified"][LEAF].split() == ["1", "2"]
    units = {unit["name"]: unit for unit in found["progress"]["units"]}
    assert units["p1/su1"].items() >= {"total": 12, "verified": 8, "unseen": 1, "dark": 1, "elsewhere": 2}.items()
    assert sum(unit["total"] for unit in units.values()) == 24


def test_csv_has_a_row_a_plug_and_a_place() -> None:
    rows = list(csv.DictReader(io.StringIO(text_of("csv", everything()))))
    assert [row["order"] for row in rows] == ["1", "2", "3", "4", "5", "6"]
    assert [row["kind"] for row in rows] == ["swap", "swap", "dark", "dark", "exchange", "exchange"]
    assert (rows[0]["pull_port"], rows[0]["put_port"], rows[0]["pull_u"]) == ("Ethernet232", "Ethernet224", "46")
    assert rows[2]["put_device"] == ""
    assert len(text_of("csv", made()).splitlines()) == 1


def test_no_cell_is_a_formula() -> None:
    end = End("@n001", "+1", "-rack", 1, "=2", "=3")
    report = made(replace(dark(), ends=(end,), text="=HYPERLINK(1)"))
    for row in csv.reader(io.StringIO(text_of("csv", report))):
        assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row)
    book = openpyxl.load_workbook(io.BytesIO(write_report("xlsx", report)))
    assert all(cell.data_type != "f" for sheet in book for row in sheet.iter_rows() for cell in row)


def test_junit_is_xml_with_a_case_an_action() -> None:
    root = ET.fromstring(write_report("junit", everything()))
    suites = {suite.get("name"): suite for suite in root}
    assert [case.get("name") for case in suites["p1/su1"]] == [f"{a.kind.value} {a.id}" for a in (swapped(), dark())]
    assert root.get("failures") == "4"
    assert root.get("tests") == str(len(root.findall(".//testcase")))
    for report in (everything(), made(), nothing()):
        for element in ET.fromstring(write_report("junit", report)).iter():
            required, allowed, children = JUNIT[element.tag]
            assert required <= set(element.keys()) <= required | allowed
            assert {child.tag for child in element} <= children
    assert [suite.get("skipped") for suite in ET.fromstring(write_report("junit", nothing()))] == ["1", "1"]


def test_annotations_stay_on_their_lines() -> None:
    lines = text_of("github", everything()).splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["::error"] * 4 + ["::warning"]
    assert "n\\x1b[31m\\n::error::=cmd" in "".join(lines)
    assert text_of("github", made()).startswith("::notice title=fabricgen verify::leaf-spine: 24 cables")


@pytest.mark.parametrize("form", TEXT_FORMATS)
def test_no_name_of_a_dump_reaches_a_terminal_as_it_is(form: str) -> None:
    text = text_of(form, everything())
    assert "\x1b" not in text
    assert not any(line.startswith("::error::=cmd") for line in text.splitlines())
    assert all(line.isprintable() for line in text.split("\n"))


@pytest.mark.parametrize("form", list_formats(REPORTS))
def test_the_same_finding_has_the_same_bytes(form: str) -> None:
    assert write_report(form, everything()) == write_report(form, everything())


def test_the_workbook_has_what_to_move_and_labels_to_compare() -> None:
    book = openpyxl.load_workbook(io.BytesIO(write_report("xlsx", everything())))
    assert book.sheetnames == ["cover", "moves", "actions", "labels"]
    head, *rows = book["moves"].iter_rows(values_only=True)
    moves = [dict(zip(head, row, strict=True)) for row in rows]
    assert [move["no"] for move in moves] == ["1.1", "1.2", "2.1", "2.2", "3.1", "3.2"]
    assert [move["do"] for move in moves] == ["pull", "pull", "look", "look", "box", "box"]
    assert moves[0]["rack"] == "p1-su01-net01\nh1.R01.02"
    assert (moves[0]["cage"], moves[0]["put_cage"], moves[0]["put_device"]) == ("30", "29", "same")
    labels = [row[2] for row in book["labels"].iter_rows(min_row=2, values_only=True)]
    assert "h1.R01.02-U46:29" in labels
    assert "p1-su02-n001" in labels


@pytest.mark.office
def test_a_spreadsheet_program_opens_the_workbook(tmp_path: Path) -> None:
    office = shutil.which("soffice")
    require("" if office else "soffice is missing: `apt-get install libreoffice-calc` to open workbooks")
    (tmp_path / "moves.xlsx").write_bytes(write_report("xlsx", everything()))
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    command = [
        office,
        profile,
        "--headless",
        "--convert-to",
        "pdf",
        "--outdir",
        str(tmp_path),
        str(tmp_path / "moves.xlsx"),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    assert (tmp_path / "moves.pdf").stat().st_size > 10_000
