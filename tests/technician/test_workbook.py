"""The workbooks: what each sheet holds, what is locked, the same bytes, and that a spreadsheet program prints them."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import openpyxl
import pytest
import xlsxwriter
from openpyxl.workbook import Workbook

from fabricgen.export.files import cables, technician
from fabricgen.export.locations import locate_racks
from fabricgen.export.table import ExportContext, list_part_names
from fabricgen.export.technician import workbook as technician_volumes
from fabricgen.export.technician.labels import make_label_table
from fabricgen.export.technician.pack import TechnicianPack, list_home_rows
from fabricgen.export.technician.sheet import (
    PLACE,
    TEXT,
    SheetColumn,
    Styles,
    WorkSheet,
    make_redline_columns,
    write_sheet,
)
from fabricgen.export.technician.sheets import list_pull_sheets, make_pull_sheet, make_rack_sheet, make_wiring_sheet
from fabricgen.export.technician.workbook import MOST_RACKS, list_volumes, make_sheet_names, write_workbook
from tests.conftest import example_cluster, require

HAND = ["done", "built_a_cage", "built_b_cage", "built_length_m", "remark"]
KEY = {"cable", "a_device", "a_cage", "b_device", "b_cage"}


@cache
def files(name: str) -> dict[str, bytes]:
    return dict(technician.files(example_cluster(name), ExportContext()))


@cache
def book(name: str) -> Workbook:
    return openpyxl.load_workbook(io.BytesIO(files(name)[f"technician/{name}.xlsx"]))


def rows_of(name: str, sheet: str) -> list[dict[str, object]]:
    header, *body = book(name)[sheet].iter_rows(values_only=True)
    return [dict(zip(map(str, header), row, strict=True)) for row in body]


def test_it_is_written_on_request_only() -> None:
    assert {"technician", "labels"} <= set(list_part_names(on_request=True)) - set(list_part_names(on_request=False))


def test_a_small_cluster_has_one_workbook_with_a_sheet_a_rack() -> None:
    assert list(files("leaf-spine")) == [
        "technician/pull.csv",
        "technician/racks.csv",
        "technician/leaf-spine.xlsx",
    ]
    assert book("leaf-spine").sheetnames == [
        *("cover", "bundles", "pull 01", "pull 02"),
        *("p1-su01-rk01", "p1-su01-net01", "p1-su02-rk01", "p1-su02-net01", "net-compute-spine-01"),
        "wiring",
    ]


def test_the_wiring_sheet_is_cables_csv_with_room_for_the_hand() -> None:
    planned = cables.make_table(example_cluster("leaf-spine"))
    header, *body = book("leaf-spine")["wiring"].iter_rows(values_only=True)
    assert list(header) == [*planned.columns, *HAND]
    assert [row[: -len(HAND)] for row in body] == [tuple(c if c != "" else None for c in row) for row in planned.rows()]
    assert {row[-len(HAND) :] for row in body} == {(None,) * len(HAND)}


@pytest.mark.parametrize("name", ["leaf-spine", "superpod-b300", "dual-tor"])
def test_a_wiring_list_on_a3_can_be_read(name: str) -> None:
    """Its small text of 8 pt was printed with 5.5 pt, and labels of more than two lines were cut."""
    pack = TechnicianPack(example_cluster(name))
    sheet = make_wiring_sheet(pack, np.arange(len(pack.records.cable)), "wiring")
    points = sum((7 * column.width + 5) * 0.75 for column in sheet.columns)  # 7 pixels a character of Arial 10
    printed = (420 / 25.4 - 0.8) * 72  # A3 landscape without its margins
    assert 8 * min(1, printed / points) >= 6
    cells = {column.name: column for column in sheet.columns}
    for end in ("label_a", "label_b"):
        column = cells[end]
        room = (7 * column.width * 0.75) / 4.6  # characters of 8 pt in a line
        assert all(len(str(c)) <= n * room for c, n in zip(column.cells or (), sheet.lines, strict=True))


@pytest.mark.slow
def test_a_workbook_has_no_empty_sheet() -> None:
    """Network racks that are the far end of all their cables had empty lists of bundles and wiring."""
    cluster = example_cluster("superpod-b300", "pods.p1.su=4", "floor.racks_per_row=80")
    pack, last = TechnicianPack(cluster), list_volumes(cluster)[-1]
    alone = replace(last, racks=last.racks[-1:])
    made = openpyxl.load_workbook(io.BytesIO(write_workbook(pack, alone)))
    assert made.sheetnames[0] == "cover"
    assert all(page.max_row > 1 for page in made.worksheets)


def test_a_crew_takes_the_pages_of_its_row() -> None:
    """The lists of bundles and cables of several rows were one sheet each, and no page said whose it is."""
    cluster = example_cluster("leaf-spine", "floor.racks_per_row=1", "pods.p1.su=3")
    pack, volume = TechnicianPack(cluster), list_volumes(cluster)[0]
    made = openpyxl.load_workbook(io.BytesIO(write_workbook(pack, volume)))
    zones = [f"h1.R0{row}" for row in range(1, 7)]
    listed, places = list(made.sheetnames), locate_racks(cluster).tolist()
    assert [name for name in listed if name.startswith(("bundles", "wiring"))] == [
        f"{name} {zone}" for name in ("bundles", "wiring") for zone in zones
    ]
    place = dict(zip(cluster.plan.racks.names, places, strict=True))
    for zone in zones:
        page = made[f"wiring {zone}"]
        assert page.oddHeader.left.text == f"{zone}: Wiring list"
        header, *body = page.iter_rows(values_only=True)
        ends = [header.index(name) for name in ("a_rack", "b_rack")]
        assert all(
            min(place[str(row[end])] for end in ends if ".R" in place[str(row[end])])[:6] == zone for row in body
        )
    assert sum(made[f"wiring {zone}"].max_row - 1 for zone in zones) == len(list_home_rows(pack, volume.racks))
    for number, name in enumerate(name for name in listed if name.startswith("pull")):
        assert (made[name].oddHeader.left.text or "").startswith(f"Pull {number + 1}: ")


@pytest.mark.parametrize("name", ["mixed-generations", "superpod-b300", "full-cluster"])
def test_a_pull_sheet_is_the_work_of_a_shift_in_one_step(name: str) -> None:
    """Steps had a sheet each, of up to 1,500 fibres; what one of more than 100 jumpers has is shared by its sheets."""
    pack = TechnicianPack(example_cluster(name))
    pull, rows = pack.records.pull, list_home_rows(pack, tuple(range(len(pack.cluster.plan.racks))))
    sheets = list(list_pull_sheets(pack, rows))
    assert np.concatenate([sheet_rows for _, sheet_rows, _ in sheets]).tolist() == rows.tolist()
    seen, work = set[int](), np.bincount(pull.step[pull.bundle], pack.jumpers)
    small = 0
    for number, (_, sheet_rows, title) in enumerate(sheets, start=1):
        bundles = set(pull.bundle[sheet_rows].tolist())
        assert not bundles & seen  # each bundle is on one sheet
        seen |= bundles
        (step,) = set(pull.step[list(bundles)].tolist())
        jumpers = int(pack.jumpers[sheet_rows].sum())
        assert jumpers <= 100
        small += jumpers < 60 < work[step]
        assert title.startswith(f"Pull {number}: {pull.steps[step]}")
        assert f": {len(bundles)} bundle" in title
        assert title.endswith(f"{jumpers} jumper{'s' * (jumpers != 1)}")
    assert small <= len(sheets) / 10


@pytest.mark.slow
@pytest.mark.parametrize("name", ["monday", "superpod-b300", "patched-hall"])
def test_where_a_plug_goes_is_read_at_arms_length(name: str) -> None:
    """12 pt or more on A4, where they were 9 pt: names of device and rack 8 pt; no end is wider than its column."""
    pack = TechnicianPack(example_cluster(name))
    rows = list_home_rows(pack, tuple(range(len(pack.cluster.plan.racks))))
    _, first, title = next(list_pull_sheets(pack, rows))
    for sheet in (make_pull_sheet(pack, first, "pull 01", title), make_rack_sheet(pack, 0, "rack")):
        points = sum((7 * column.width + 5) * 0.75 for column in sheet.columns if not column.hidden)
        scale = min(1, (297 / 25.4 - 0.8) * 72 / points)
        assert 15 * scale >= 11.5
        assert 10 * scale >= 7.5
        places = [column for column in sheet.columns if column.use == PLACE]
        assert [column.name for column in places] in (["a_end", "b_end"], ["port", "far_end"])
        for column in places:
            assert max(len(str(cell)) for cell in column.cells or ()) * 15 * 0.6 <= (7 * column.width + 5) * 0.75 * 1.25


def test_the_first_fibre_of_a_pair_goes_to_the_first() -> None:
    """What the cover says of `41/1+2`: both ends count the fibres of a row alike."""
    pairs = 0
    for name in ("superpod-b300", "full-cluster", "multi-plane", "monday"):
        plugs = TechnicianPack(example_cluster(name)).records.plugs
        for row in np.flatnonzero(np.bincount(plugs.row[plugs.tails == 1]) > 1)[:200].tolist():
            at = np.flatnonzero(plugs.row == row)
            for end in plugs.ends:
                assert (np.diff(end.jumper[at]) == 1).all()
            pairs += 1
    assert pairs > 100
    assert any("Fibre 1 goes to 1, fibre 2 to 2" in paragraph for paragraph in technician_volumes.HOW)


@pytest.mark.parametrize("name", ["leaf-spine", "monday", "patched-hall"])
def test_each_plug_has_a_running_number_of_its_own(name: str) -> None:
    """Pull sheets say which labels of the roll a row takes, those of its jumpers where it goes through panels."""
    cluster = example_cluster(name)
    pack = TechnicianPack(cluster)
    labels = make_label_table(pack.records)
    rows = [dict(zip(labels.columns, row, strict=True)) for row in labels.rows()]
    assert [row["number"] for row in rows] == list(range(1, len(rows) + 1))
    told: list[int] = []
    orders = pack.records.pull.order.tolist()
    # of all that is pulled at once
    places_by_order: dict[int, set[str]] = {}
    for order, *places in zip(orders, *pack.pulled_ends, strict=True):
        places_by_order.setdefault(order, set()).update(str(place).rpartition(":")[0] for place in places)
    for text, order in zip(pack.label_numbers.tolist(), orders, strict=True):
        numbers = [n for span in filter(None, text.split(", ")) for n in range(*_bounds(span))]
        told += numbers
        assert {str(rows[number - 1]["line1"]).rpartition(":")[0] for number in numbers} <= places_by_order[order]
    assert sorted(told) == [row["number"] for row in rows]


def _bounds(span: str) -> tuple[int, int]:
    """Where a span of numbers begins, and where it is past: 3-5 is 3 and 6."""
    first, _, last = span.partition("-")
    return int(first), int(last or first) + 1


def test_a_rack_sheet_has_all_that_ends_there_from_the_top_down() -> None:
    rows = rows_of("leaf-spine", "p1-su01-net01")
    planned = cables.make_table(example_cluster("leaf-spine")).columns
    ends = Counter(rack for side in "ab" for rack in planned[f"{side}_rack"] if rack == "p1-su01-net01")
    assert len(rows) == ends["p1-su01-net01"]
    units = [row["u"] for row in rows]
    assert units == sorted(units, reverse=True)
    first = rows[0]
    assert (first["device"], first["port"], first["far_end"]) == (
        "compute-leaf-p1-su01-r1-01",
        "1/1",
        "h1.R01.01-U01:eth1",
    )
    sockets = [row["port"] for row in rows if row["device"] == first["device"]]
    numbers = [[int(part) for part in str(s).replace("+", "/").split("/")] for s in sockets]
    assert numbers == sorted(numbers)


@pytest.mark.parametrize("sheet", ["wiring", "pull 01", "p1-su01-net01"])
def test_redlines_are_open_and_the_plan_is_locked(sheet: str) -> None:
    page = book("leaf-spine")[sheet]
    assert page.protection.sheet
    assert not page.protection.password
    assert not page.protection.autoFilter  # False: may be used
    names = [cell.value for cell in page[1]]
    assert KEY | set(HAND) <= set(names)
    for cell in page[2]:
        name, grey = names[cell.column - 1], cell.fill.fgColor.rgb == "FFBFBFBF"
        (column,) = (d for d in page.column_dimensions.values() if d.min <= cell.column <= d.max)
        locked = cell.protection.locked if cell.has_style else column.protection.locked
        assert locked == (name not in HAND or grey), name
    assert page.freeze_panes == "A2"
    assert page.auto_filter.ref
    assert page.print_title_rows == "$1:$1"
    assert page.page_setup.orientation == "landscape"
    offered = {cells.type: cells for cells in page.data_validations.dataValidation}
    assert offered["list"].formula1 == '"done,fault"'
    assert (offered["decimal"].formula1, offered["decimal"].formula2) == ("0.001", "1000000")
    assert (offered["textLength"].operator, offered["textLength"].formula1) == ("lessThanOrEqual", "200")


def test_a_rack_sheet_leaves_the_cage_of_the_other_rack_to_its_own_sheet() -> None:
    page = book("leaf-spine")["p1-su01-rk01"]
    names = [cell.value for cell in page[1]]
    near, far = names.index("built_a_cage"), names.index("built_b_cage")
    ends = {row["end"] for row in rows_of("leaf-spine", "p1-su01-rk01")}
    assert ends == {"a"}  # nodes are the lower ends
    fills = [(row[near].fill.fgColor.rgb, row[far].fill.fgColor.rgb) for row in page.iter_rows(min_row=2)]
    assert {far for _, far in fills} == {"FFBFBFBF"}
    assert "FFBFBFBF" not in {near for near, _ in fills}


def test_pull_sheets_and_pull_csv_agree() -> None:
    table = list(csv.DictReader(io.StringIO(files("leaf-spine")["technician/pull.csv"].decode())))
    assert [int(row["order"]) for row in table] == list(range(1, 25))
    sheets = rows_of("leaf-spine", "pull 01") + rows_of("leaf-spine", "pull 02")
    seen = list(dict.fromkeys((row["order"], row["cable"], row["bundle"]) for row in sheets))
    assert seen == [(int(row["order"]), row["cable"], row["bundle"]) for row in table]
    assert [row["cables"] for row in rows_of("leaf-spine", "bundles")] == [8, 8, 4, 4]


def test_the_same_bytes_every_time() -> None:
    cluster = example_cluster("leaf-spine")
    again = write_workbook(TechnicianPack(cluster), list_volumes(cluster)[0])
    assert again == files("leaf-spine")["technician/leaf-spine.xlsx"]


def test_large_clusters_are_split_by_rows_and_every_cable_is_in_one_wiring_list() -> None:
    small, large = (example_cluster("superpod-b300", f"pods.p1.su={su}", "floor.racks_per_row=16") for su in (4, 5))
    books = list_volumes(small)
    assert [book.name for book in books] == ["h1.R01-R04", "h1.R05", "h1.N01-N02"]
    assert sorted(rack for book in books for rack in book.racks) == list(range(len(small.plan.racks)))
    assert all(len(book.racks) <= MOST_RACKS for book in books)
    names = [
        {small.plan.racks.names[i] for i in books[0].racks},
        {large.plan.racks.names[i] for i in list_volumes(large)[0].racks},
    ]
    assert names[0] == names[1]  # growth leaves full workbooks alone
    rows = [row for book in books for row in list_home_rows(TechnicianPack(small), book.racks).tolist()]
    assert sorted(rows) == list(range(len(small.plan.cables.end_cable)))


def test_a_row_of_more_racks_than_a_workbook_takes_is_cut() -> None:
    cluster = example_cluster("superpod-b300", "pods.p1.su=4", "floor.racks_per_row=80")
    assert [(book.name, len(book.racks)) for book in list_volumes(cluster)] == [
        ("h1.R01.1", 64),
        ("h1.R01.2", 4),
        ("h1.N01-N02", 2),
    ]


def test_racks_of_many_ends_share_a_workbook_with_fewer_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(technician_volumes, "MOST_ENDS", 24)  # racks of nodes have 8 ends, those of switches 16
    assert [(book.name, len(book.racks)) for book in list_volumes(example_cluster("leaf-spine"))] == [
        ("h1.R01.1", 2),
        ("h1.R01.2", 2),
        ("h1.N01", 1),
    ]


@pytest.mark.parametrize(
    ("wanted", "legal"),
    [
        (["a/b:c", "A_B_C"], ["a_b_c", "A_B_C~2"]),
        (["x" * 40, "x" * 31], ["x" * 31, "x" * 29 + "~2"]),
        (["History", "''", ""], ["History~2", "sheet", "sheet~2"]),
        (["'quoted'", "[1]*?\\"], ["quoted", "_1____"]),
    ],
)
def test_names_that_a_spreadsheet_refuses_are_made_legal(wanted: list[str], legal: list[str]) -> None:
    assert make_sheet_names(wanted) == legal


def test_a_rack_called_like_a_sheet_of_ours_does_not_take_its_name() -> None:
    racks = example_cluster("leaf-spine").plan.racks
    cluster = example_cluster("leaf-spine")
    plan = cluster.plan._replace(racks=replace(racks, names=("wiring", "Cover", *racks.names[2:])))
    named = openpyxl.load_workbook(
        io.BytesIO(write_workbook(TechnicianPack(replace(cluster, plan=plan)), list_volumes(cluster)[0])),
        read_only=True,
    ).sheetnames
    assert named[0] == "cover"
    assert named[-1] == "wiring"
    assert {"wiring~2", "Cover~2"} <= set(named)


def test_text_that_looks_like_a_formula_or_a_link_stays_text() -> None:
    hostile = ["=1+1", "+cmd|' /C calc'!A0", "@SUM(1)", "http://example.com", "<b>&amp;</b>", "{=A1}"]
    buffer = io.BytesIO()
    target = xlsxwriter.Workbook(buffer, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False})
    sheet = WorkSheet("x", "&A=1&", len(hostile), (SheetColumn("text", 9, TEXT, hostile), *make_redline_columns()))
    write_sheet(target, Styles(target), sheet, "=2&P")
    target.close()
    page = openpyxl.load_workbook(io.BytesIO(buffer.getvalue()))["x"]
    cells = [row[0] for row in page.iter_rows(min_row=2)]
    assert [cell.value for cell in cells] == hostile
    assert {cell.data_type for cell in cells} == {"s"}
    assert page.oddHeader.left.text == "&&A=1&&"


@pytest.mark.office
def test_libreoffice_prints_each_rack_on_pages_of_its_own(tmp_path: Path) -> None:
    for tool, package in (("soffice", "libreoffice-calc-nogui"), ("pdftotext", "poppler-utils")):
        require("" if shutil.which(tool) else f"{tool} is missing: `apt-get install {package}` to print workbooks")
    (tmp_path / "pack.xlsx").write_bytes(files("leaf-spine")["technician/leaf-spine.xlsx"])
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    command = ["soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", str(tmp_path), "pack.xlsx"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=300, capture_output=True)
    shown = subprocess.run(["pdftotext", "-layout", "pack.pdf", "-"], cwd=tmp_path, check=True, capture_output=True)
    pages = shown.stdout.decode().split("\f")[:-1]
    assert "Technician's pack: leaf-spine" in pages[0]
    for rack in ("p1-su01-rk01", "p1-su01-net01", "net-compute-spine-01"):
        mine = [page for page in pages if page.lstrip().startswith(f"Rack {rack} at ")]
        assert mine, rack
        assert all("far_end" in page and "built_length" in page for page in mine)  # heads on every page
    assert any(f"page {len(pages)} of {len(pages)}" in page for page in pages)
    text = "".join(pages)
    assert "h1.R01.01-U01:eth2" in text
    assert "###" not in text  # a number that does not fit its column
