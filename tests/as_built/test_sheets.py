"""Sheets that cannot be taken are refused at their cell, and nothing is written."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from fabricgen.as_built import workbook
from fabricgen.as_built.faults import MOST_FAULTS
from tests.conftest import BLUEPRINTS

LEAF, SPINE = "compute-leaf-p1-su01-r1-01", "compute-spine-01"
HEAD = "cable,a_device,a_cage,b_device,b_cage,done,built_a_cage,built_b_cage,built_length_m,remark"
KEY = f"{LEAF}:29,{LEAF},29,{SPINE},1"

Take = Callable[..., tuple[int, str]]


@pytest.fixture
def take(tmp_path: Path, fabricgen) -> Take:
    """Imports lines (below the header) or a file; (exit code, what is told). No overlay may be left by a fault."""

    def call(*lines: str, file: Path | None = None, head: str = HEAD) -> tuple[int, str]:
        sheet = file or tmp_path / "list.csv"
        if file is None:
            sheet.write_text("\n".join((head, *lines, "")), encoding="utf-8")
        overlay = tmp_path / "overlay.yaml"
        overlay.unlink(missing_ok=True)
        ran = fabricgen("as-built", BLUEPRINTS / "leaf-spine.yaml", sheet, "-o", overlay)
        assert overlay.exists() == (ran.code == 0)
        return ran.code, ran.err.replace(f"{tmp_path}/", "")

    return call


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (f"{KEY},x,=B2,,,", "list.csv:2:7: error[FG084]: built_a_cage holds a formula"),
        (f"{KEY},x,,,12 inches,", "list.csv:2:9: error[FG084]: '12 inches' is no length"),
        (f'{KEY},x,,,"1,500",', "list.csv:2:9: error[FG084]: '1,500' is no length"),
        (f"{KEY},x,,,0.0001,", "list.csv:2:9: error[FG084]: '0.0001' is no length"),
        (f"{KEY},x,,,0,", "list.csv:2:9: error[FG084]: '0' is no length"),
        (f"{KEY},later,,,,", "list.csv:2:6: error[FG084]: 'later' is neither done nor fault"),
        (f"{KEY},,99,,,", f"list.csv:2:7: error[FG084]: {LEAF} (sn4700) has no cage '99'"),
        (f"{KEY},,30,,,", f"list.csv:2:7: error[FG084]: cage 30 of {LEAF} is taken: cable {LEAF}:30 stays there"),
        (f"{KEY},,1,,,", f"list.csv:2:7: error[FG084]: cage 1 of {LEAF} is taken"),
        (f"{KEY},,,compute-spine-07:1,,", "list.csv:2:8: error[FG084]: there is no device 'compute-spine-07'"),
        (f"{KEY},,,compute-spine-02:1,,", "list.csv:2:8: error[FG084]: cage 1 of compute-spine-02 is taken"),
        (f"{KEY},,,compute-leaf-p1-su01-r1-01:1,,", "which is of another tier, leaf instead of spine"),
        (f"other-leaf-01:29,{LEAF},29,{SPINE},1,x,,,,", "list.csv:2:1: error[FG084]: leaf-spine has no cable"),
        (f"{LEAF}:29,{LEAF},29,compute-spine-02,1,x,,,,", f"list.csv:2:4: error[FG084]: the b end of {LEAF}:29 is at"),
        (f"{LEAF}:29,{LEAF},28,{SPINE},1,x,,,,", f"list.csv:2:3: error[FG084]: the a end of {LEAF}:29 is in cage 29"),
        (",,,,,,,7,,", "list.csv:2:8: error[FG084]: '7' is written beside no cable"),
        (f"{KEY},,,,,{'x' * 201}", "list.csv:2:10: error[FG084]: the remark has 201 characters"),
    ],
)
def test_a_line_that_cannot_be_taken_is_told_at_its_cell(take: Take, line: str, told: str) -> None:
    code, err = take(line)
    assert code == 2
    assert told in err


def test_all_faults_are_told_at_once_within_reason(take: Take) -> None:
    _, err = take(f"{KEY},,99,,x,", f"{LEAF}:30,{LEAF},30,compute-spine-02,1,?,,,,")
    assert err.count("error[FG084]") == 3
    code, err = take(*(f"no-leaf:{n},{LEAF},1,{SPINE},1,,,,," for n in range(300)))
    assert (code, err.count("error[FG084]")) == (2, MOST_FAULTS + 1)
    assert "of another cluster" in err


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ("cable,part", "no sheet has the columns of the wiring list"),
        ("cable,done", "the header lacks a_device, a_cage, b_device, b_cage"),
        (f"{HEAD},done", "the column 'done' is there twice"),
    ],
)
def test_a_header_that_is_not_that_of_the_list(take: Take, head: str, told: str) -> None:
    code, err = take(KEY, head=head)
    assert code == 2
    assert told in err


def test_lists_of_other_spreadsheets_are_read(take: Take) -> None:
    swapped = HEAD.replace(",", ";").replace("built_a_cage", "Built A cage")
    code, err = take(f"{LEAF}:29;{LEAF};29;{SPINE};1;X;Ethernet240;;12,5;so", head=f"\ufeff{swapped}")
    assert code == 2
    assert f"list.csv:2:7: error[FG084]: cage 31 of {LEAF} is taken: cable {LEAF}:31 stays there\n" in err
    assert "(a swap is two lines); free are 3, 4, 5, 6\n" in err


def saved(path: Path, *rows: list[object]) -> Path:
    book = openpyxl.Workbook()
    book.active.title = "rack 7"
    book.active.append(HEAD.split(","))
    for row in rows:
        book.active.append(row)
    book.save(path)
    return path


def test_cells_that_a_spreadsheet_made_something_else_of(take: Take, tmp_path: Path) -> None:
    import datetime

    key: list[object] = [f"{LEAF}:29", LEAF, 29, SPINE, 1]
    rows = [
        [*key, True, "=1+1"],
        [*key, True, datetime.date(2026, 1, 2)],
        [*key, True, "#REF!"],
        [*key, True, 30.5],
    ]
    code, err = take(file=saved(tmp_path / "rack.xlsx", *rows))
    assert code == 2
    assert "rack.xlsx:rack 7:2:7: error[FG084]: built_a_cage holds a formula" in err
    assert "rack.xlsx:rack 7:3:7: error[FG084]: built_a_cage holds a date" in err
    assert "rack.xlsx:rack 7:4:7: error[FG084]: built_a_cage holds the error value #REF!" in err
    assert f"rack.xlsx:rack 7:5:7: error[FG084]: cage 30 of {LEAF} has no connector 5" in err
    assert take(file=saved(tmp_path / "fine.xlsx", [*key, True, 29.0, "", 15]))[0] == 0


def repacked(source: Path, target: Path, change: Callable[[str, bytes], bytes]) -> Path:
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.namelist():
            new.writestr(part, change(part, old.read(part)))
    return target


def test_a_workbook_that_means_harm_is_refused(take: Take, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = saved(tmp_path / "plain.xlsx", [f"{LEAF}:29", LEAF, 29, SPINE, 1, "x"])
    bomb = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;">]>'
    file = repacked(
        plain,
        tmp_path / "laughs.xlsx",
        lambda part, data: bomb + data.partition(b"?>")[2] if part.endswith("sheet1.xml") else data,
    )
    assert "is not plain XML" in take(file=file)[1]
    monkeypatch.setattr(workbook, "MAX_UNPACKED", 10_000)
    big = repacked(plain, tmp_path / "big.xlsx", lambda part, data: data + b" " * 1_000_000)
    assert "are the most" in take(file=big)[1]
    monkeypatch.setattr(workbook, "MAX_UNPACKED", 1 << 29)
    monkeypatch.setattr(workbook, "LEAST_UNPACKED", 10_000)
    assert "unpacks to" in take(file=big)[1]
    monkeypatch.setattr(workbook, "MOST_PARTS", 3)
    assert "has more than 3 parts" in take(file=plain)[1]
    monkeypatch.setattr(workbook, "MOST_PARTS", 99)
    monkeypatch.setattr(workbook, "MOST_ROWS", 3)
    long = saved(tmp_path / "long.xlsx", *([""] for _ in range(9)), [f"{LEAF}:29"])
    assert "long.xlsx:rack 7:4:1: error[FG084]: more than 3 rows" in take(file=long)[1]
    monkeypatch.setattr(workbook, "MAX_BYTES", 100)
    assert "cannot read" in take(file=plain)[1]


@pytest.mark.parametrize("content", [b"", b"PK\3\4 nothing", b"\xd0\xcf\x11\xe0 a password"])
def test_a_file_that_is_no_workbook(take: Take, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "list.xlsx"
    file.write_bytes(content)
    code, err = take(file=file)
    assert code == 2
    assert "as a workbook" in err


def test_a_damaged_workbook(take: Take, tmp_path: Path) -> None:
    plain = saved(tmp_path / "plain.xlsx", [f"{LEAF}:29", LEAF, 29, SPINE, 1, "x"])
    for victim in ("sheet1.xml", "workbook.xml", "styles.xml", "[Content_Types].xml"):
        cut = repacked(
            plain, tmp_path / "cut.xlsx", lambda part, data, v=victim: data[: len(data) // 2] if v in part else data
        )
        code, err = take(file=cut)
        assert code == 2
        assert "as a workbook" in err
    empty = tmp_path / "empty.xlsx"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w"):
        pass
    empty.write_bytes(buffer.getvalue())
    assert take(file=empty)[0] == 2


def test_other_kinds_of_file_are_named(take: Take, tmp_path: Path) -> None:
    file = tmp_path / "list.ods"
    file.write_bytes(b"PK")
    assert "list.ods:1:1: error[FG084]: 'list.ods' is neither a workbook (.xlsx) nor .csv" in take(file=file)[1]
    assert "FG001" in take(file=tmp_path / "missing.csv")[1]


def test_an_overlay_never_takes_anything_else_away(tmp_path: Path, fabricgen) -> None:
    sheet = tmp_path / "list.csv"
    sheet.write_text(f"{HEAD}\n{KEY},x,9,,,\n", encoding="utf-8")
    blueprint = tmp_path / "site.yaml"
    text = (BLUEPRINTS / "leaf-spine.yaml").read_text(encoding="utf-8")
    own = f'cable_of: {{"{LEAF}:29": {{a_cage: 10}}}}\n'
    blueprint.write_text(text + own, encoding="utf-8")
    ran = fabricgen("as-built", blueprint, sheet, "-o", blueprint)
    assert ran.code == 2
    assert "writing it anew would take that away" in ran.err
    assert blueprint.read_text(encoding="utf-8") == text + own
    ran = fabricgen("as-built", blueprint, sheet, "-o", tmp_path / "overlay.yaml")
    assert ran.code == 2
    assert f"a_cage of {LEAF}:29 is '9' here; the blueprint states it at {blueprint}:" in ran.err
    assert not (tmp_path / "overlay.yaml").exists()
    assert "-> '9'" in fabricgen("as-built", blueprint, sheet).out


def test_a_blueprint_that_does_not_take_the_overlay_is_told_how(tmp_path: Path, fabricgen) -> None:
    blueprint = tmp_path / "site.yaml"
    blueprint.write_text((BLUEPRINTS / "leaf-spine.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "built").mkdir()
    for cage, cable in ((9, 29), (10, 30)):
        sheet = tmp_path / "list.csv"
        sheet.write_text(
            f"{HEAD}\n{LEAF}:{cable},{LEAF},{cable},compute-spine-0{cable - 28},1,x,{cage},,,\n", encoding="utf-8"
        )
        ran = fabricgen("as-built", blueprint, sheet, "-o", tmp_path / "built/cables.yaml")
        assert "write `include: built/cables.yaml` into it" in ran.err
    assert (tmp_path / "built/cables.yaml").read_text(encoding="utf-8").splitlines()[3:] == [
        f'  "{LEAF}:29": {{a_cage: "9"}}',
        f'  "{LEAF}:30": {{a_cage: "10"}}',
    ]


@pytest.mark.parametrize(("slip", "meant"), [("built_lenght_m", "built_length_m"), ("Remarks", "remark")])
def test_a_column_that_nobody_reads_is_told(take: Take, slip: str, meant: str) -> None:
    code, told = take(f"{KEY},,,,12,moved", head=HEAD.replace(meant, slip))
    assert code == 2
    assert f"the column '{slip.lower()}' is not read" in told
    assert f"call it {meant}, or delete it" in told
