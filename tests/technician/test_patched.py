"""Structured cabling in the workbooks: trunks and jumpers have sheets, and cables made of them say so."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path

import numpy as np
import openpyxl
import pytest

from fabricgen.bom.bill import make_bill
from fabricgen.bom.ordered import list_order_lines
from fabricgen.export.drawings.floor_pages import find_whole_hall, list_window_racks
from fabricgen.export.drawings.rack_contents import FilledRacks
from fabricgen.export.files import labels, patches, racks
from fabricgen.export.locations import locate_racks
from fabricgen.export.table import ExportContext
from fabricgen.export.technician.pack import TechnicianPack
from fabricgen.export.technician.pulled_rows import DIRECT
from fabricgen.export.technician.sheets import (
    make_patch_sheets,
    make_pull_sheet,
    make_pull_table,
    make_rack_sheet,
    make_wiring_sheet,
)
from fabricgen.export.technician.workbook import PANELS, list_volumes, write_workbook
from tests.conftest import BLUEPRINTS, bytes_of, example_cluster


@pytest.mark.slow
def test_jumpers_and_trunks_have_sheets_and_cables_say_that_they_go_through_panels() -> None:
    cluster = example_cluster("patched-hall")
    (volume,) = list_volumes(cluster)
    book = openpyxl.load_workbook(io.BytesIO(write_workbook(TechnicianPack(cluster), volume)), read_only=True)
    assert PANELS in {cell for row in book["cover"].iter_rows(values_only=True) for cell in row}
    rows = ("h1.R01", "h1.R02", "h1.N01")
    assert book.sheetnames[:7] == ["cover", *(f"{list_} {row}" for list_ in ("trunks", "patches") for row in rows)]
    sheets = [list(book[f"patches {row}"].iter_rows(values_only=True)) for row in rows]
    header, body = sheets[0][0], [row for sheet in sheets for row in sheet[1:]]
    assert cluster.plan.patching is not None
    planned = patches.make_table(cluster, cluster.plan.patching)
    ports = zip(*(planned.columns[name] for name in ("rack", "panel", "port", "device", "socket")), strict=True)
    assert sorted((row[0], row[2], row[3], row[4], row[5]) for row in body) == sorted(ports)
    for sheet in sheets:
        places = [(row[0], row[2], row[3]) for row in sheet[1:]]
        assert places == sorted(places)
    assert "cable" not in header  # or it would be read back as a list of cables
    header, *body = book["p1-su01-rk01"].iter_rows(values_only=True)
    via, tag = header.index("via"), header.index("tag")
    assert {(str(row[tag])[0], (row[via] or "").partition(":")[0]) for row in body} == {("C", "U48"), ("O", "")}


@pytest.mark.slow
@pytest.mark.parametrize("at", ["rack", "row-end"])
def test_each_jumper_and_trunk_is_pulled_as_itself(at: str) -> None:
    """Cables through panels were bundled and stepped as if they ran between their devices, and half of their jumpers
    were counted.
    """
    sets = (f"cabling.patch.nodes.at={at}",)
    pack, rows = TechnicianPack(example_cluster("patched-hall", *sets)), label_rows("patched-hall", *sets)
    by_number = {int(row["number"]): row for row in rows}
    sheet = make_pull_sheet(pack, np.arange(len(pack.records.pull.rows)), "p", "")
    columns = {column.name: column.cells or () for column in sheet.columns}
    names = ("a_end", "b_end", "channel", "part", "length_m", "bundle", "labels")
    told: list[int] = []
    patched = Counter[str]()
    for a_end, b_end, channel, part, length_m, bundle, text in zip(*(columns[name] for name in names), strict=True):
        spans = [span.split("-") for span in str(text).split(", ") if span]
        labels_of_row = [by_number[n] for span in spans for n in range(int(span[0]), int(span[-1]) + 1)]
        told += [int(row["number"]) for row in labels_of_row]
        if not channel:
            continue
        # each plug of the row has a label that says its place, and the place of the plug at the other end
        places = [list_places(str(end)) for end in (a_end, b_end)]
        near = {(row["near_location"], row["far_location"]) for row in labels_of_row}
        assert near == {*zip(*places, strict=True), *zip(*places[::-1], strict=True)}
        count, _, piece = str(part).rpartition("x ")
        assert int(count or 1) == len(places[0]) == len(labels_of_row) / 2
        assert {(row["cable"], row["part"], float(row["length_m"]), row["bundle"]) for row in labels_of_row} == {
            (channel, piece, length_m, bundle)
        }
        patched[str(channel)] += len(places[0])
    assert sorted(told) == sorted(by_number)
    # a cable between twin-port cages is four jumpers, two at either end
    assert patched["compute-leaf-p1-su01-r1-01:57"] == 4
    assert Counter(patched.values()) == ({1: 24, 4: 256} if at == "rack" else {1: 8, 4: 128})


def list_places(end: str) -> list[str]:
    """`P:57/1` and `P:57/2` of `P:57/1+2`."""
    place, colon, ports = end.rpartition(":")
    cage, slash, numbers = ports.rpartition("/")
    return [f"{place}{colon}{cage}{slash}{number}" for number in numbers.split("+")]


def test_steps_are_of_racks_between_which_something_is_laid() -> None:
    """Uplinks through patch racks were a step from row to row, where trunks alone go."""
    pack = TechnicianPack(example_cluster("patched-hall"))
    table = make_pull_table(pack).columns
    steps = {(name, apart == "trunk") for name, apart in zip(table["step_name"], table["apart"], strict=True)}
    assert [name for name, _ in steps if " to " in name and "trunks" not in name] != []
    kinds = {str(name).partition(" h1")[0] for name, of_trunks in steps if of_trunks}
    assert kinds == {"trunks", "trunks along"}
    assert table["apart"][:24] == ["trunk"] * 24
    compute = {
        str(name) for name, bundle in zip(table["step_name"], table["bundle"], strict=True) if "compute" in str(bundle)
    }
    assert compute == {f"{word} h1.{row}" for row in ("R01", "R02") for word in ("along", "inside racks of")} | {
        "along h1.N01"
    }


@pytest.mark.slow
def test_a_cable_through_panels_is_done_when_both_of_its_jumpers_are(tmp_path: Path, fabricgen) -> None:
    """The tick at one of two jumpers would say of the whole channel that it is plugged in."""
    blueprint = BLUEPRINTS / "patched-hall.yaml"
    pack = TechnicianPack(example_cluster("patched-hall"))
    rows = np.flatnonzero(pack.records.pull.rows.end >= 0)
    rows = rows[pack.records.pull.rows.end[rows] < 2]
    sheet = make_pull_sheet(pack, rows, "pull", "")
    cells = {column.name: list(column.cells or [""] * len(rows)) for column in sheet.columns}
    first = cells["cable"][0]
    for ticked, told in (("a", "0 done, 1 open"), ("ab", "1 done, 0 open")):
        lines = [",".join(cells)]
        for at, cable in enumerate(cells["cable"]):
            if cable == first:
                values = {name: str(column[at]) for name, column in cells.items()}
                values["done"] = "x" if values["end"] in ticked else ""
                lines.append(",".join(values.values()))
        file = tmp_path / f"{ticked}.csv"
        file.write_text("\n".join(lines) + "\n")
        assert f"1 cable listed of 310: {told}" in fabricgen("as-built", blueprint, file).out


@pytest.mark.slow
def test_a_tail_of_a_splitter_in_a_panel_tells_which_it_is() -> None:
    """Far ends of a breakout over two connectors were at the ports of both, and their label said of no tail."""
    rows = {row["code"]: row for row in label_rows("multi-plane", "cabling.patch.all.at=rack")}
    nic = [rows[f"p1-su01-n001:OSFP1|b{n}"] for n in range(1, 9)]
    at_panel = [row["far_location"].rpartition(":")[2] for row in nic]
    first, second = (port.partition("/")[0] for port in (at_panel[0], at_panel[4]))
    assert int(second) == int(first) + 1
    assert at_panel == [f"{port}/{n}" for port in (first, second) for n in range(1, 5)]
    assert len({row["near_location"] for row in nic}) == 8


def test_a_row_of_the_list_of_jumpers_is_one_of_them() -> None:
    """Each row of a pair said `2x PART`: who fetched by the list had twice as many as the bill orders."""
    cluster = example_cluster("patched-hall", "cabling.products=[nvidia-linkx, generic]")
    sheets = make_patch_sheets(cluster, {"h1": tuple(range(len(cluster.plan.racks)))})
    jumpers = next(sheet for _, sheet in sheets if "Jumpers" in sheet.title)
    (parts,) = (column.cells or () for column in jumpers.columns if column.name == "part")
    ordered = {line.part: line.quantity for line in list_order_lines(make_bill(cluster))}
    fetched = Counter(str(part) for part in parts)
    assert sum(fetched.values()) > 1000
    assert fetched == {part: ordered[part] for part in fetched}


def test_trunks_are_listed_in_the_order_of_their_numbers() -> None:
    """The tenth stood behind the first."""
    cluster = example_cluster("patched-hall", "cabling.patch.uplinks.trunk_fibres=24")
    sheets = [
        sheet for _, sheet in make_patch_sheets(cluster, {"h1": tuple(range(len(cluster.plan.racks)))})
        if "Trunks" in sheet.title
    ]  # fmt: skip
    names = [str(cell) for sheet in sheets for c in sheet.columns if c.name == "trunk" for cell in c.cells or ()]
    runs: dict[str, list[int]] = {}
    for name in names:
        run, _, number = name.rpartition("-")
        runs.setdefault(run, []).append(int(number))
    assert max(map(len, runs.values())) > 9
    assert all(numbers == sorted(numbers) for numbers in runs.values())


def test_no_length_is_asked_of_what_has_several() -> None:
    """`as-built` refuses the length of a patched cable (FG087): its jumpers and its trunk have one each."""
    pack = TechnicianPack(example_cluster("patched-hall"))
    rows, pulled = np.arange(len(pack.records.cable)), np.arange(len(pack.records.pull.rows))
    patching = pack.cluster.plan.patching
    assert patching is not None
    through = np.flatnonzero(patching.policy[pack.records.cable] >= 0)
    assert 0 < len(through) < len(rows)
    own = (make_rack_sheet(pack, 0, "r"), make_pull_sheet(pack, pulled, "p", ""), make_wiring_sheet(pack, rows, "w"))
    closed = [{column.name: column.closed for column in sheet.columns}["built_length_m"] for sheet in own]
    assert closed[1] == np.flatnonzero(pack.records.pull.rows.end != DIRECT).tolist()
    assert closed[2] == through.tolist()
    first, row, _ = pack.ends_by_rack
    assert row[: first[1]][closed[0]].tolist() == [at for at in row[: first[1]].tolist() if at in set(through.tolist())]


def test_lists_of_trunks_and_jumpers_can_be_read_on_a4() -> None:
    """Their small text of 8 pt was printed with 5.4 and 5.7 pt."""
    cluster = example_cluster("patched-hall")
    for _, sheet in make_patch_sheets(cluster, {"h1": tuple(range(len(cluster.plan.racks)))}):
        points = sum((7 * column.width + 5) * 0.75 for column in sheet.columns)
        assert 8 * (297 / 25.4 - 0.8) * 72 / points >= 6.2
        names = {column.name: column for column in sheet.columns}
        for name in names.keys() & {"trunk", "part", "device", "channel", "rack", "panel", "a_rack", "a_panel"}:
            line = 7 * names[name].width * 0.75 / 4.6  # characters of 8 pt
            assert max(len(str(cell)) for cell in names[name].cells or ()) <= 2 * line


def test_without_panels_there_is_no_word_of_them() -> None:
    cluster = example_cluster("leaf-spine")
    book = openpyxl.load_workbook(
        io.BytesIO(write_workbook(TechnicianPack(cluster), list_volumes(cluster)[0])), read_only=True
    )
    assert not [name for name in book.sheetnames if name.startswith(("patches", "trunks"))]
    assert PANELS not in {cell for row in book["cover"].iter_rows(values_only=True) for cell in row}
    assert "via" not in next(book["p1-su01-rk01"].iter_rows(values_only=True))


def test_panels_take_up_units_of_racks_and_are_drawn_in_elevations() -> None:
    cluster = example_cluster("patched-hall")
    patching, table = cluster.plan.patching, racks.make_table(cluster).columns
    assert patching is not None
    used = dict(zip(table["rack"], table["units_used"], strict=True))
    place = dict(zip(table["rack"], table["column"], strict=True))
    drawn = FilledRacks(cluster)
    for number, name in enumerate(table["rack"]):
        rack = drawn.make_rack(number)
        assert sum(item.height for item in rack.items) == used[name] == rack.used_u.value
        standing = [u for item in rack.items for u in range(item.u, item.u + item.height)]
        assert standing == sorted(set(standing))
    assert used["p1-su01-rk01"] == 4 * 6 + 1  # four nodes of 6 U, one panel
    assert (used["patch-uplinks-row01-01"], place["patch-uplinks-row01-01"]) == (2, -1)
    assert sum(item.model == "mpo-apc-72" for n in range(len(used)) for item in drawn.make_rack(n).items) == 20
    assert locate_racks(cluster)[list(used).index("patch-uplinks-row01-01")] == "h1.R01.P01"


def test_a_floor_plan_of_a_hall_of_stated_size_shows_the_patch_racks_before_its_rows() -> None:
    cluster = example_cluster("patched-hall", "floor.halls.h1.rows=8")
    table = cluster.plan.racks
    drawn = list_window_racks(table, find_whole_hall(table, 0))
    assert any(table.names[rack].startswith("patch-uplinks") for rack in drawn)
    assert len(drawn) == len(table)


def label_rows(name: str, *sets: str) -> list[dict[str, str]]:
    ((_, content),) = labels.files(example_cluster(name, *sets), ExportContext())
    return list(csv.DictReader(io.StringIO(bytes_of(content).decode())))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "sets"),
    [
        ("patched-hall", ()),
        ("patched-hall", ("cabling.patch.nodes.at=row-end",)),
        ("multi-plane", ("cabling.patch.all.at=row-end",)),
    ],
)
def test_every_plug_and_panel_port_of_jumpers_has_one_label(name: str, sets: tuple[str, ...]) -> None:
    cluster, rows = example_cluster(name, *sets), label_rows(name, *sets)
    assert cluster.plan.patching is not None
    for column in ("near_location", "code"):
        assert len({row[column] for row in rows}) == len(rows), column
    ports = patches.make_table(cluster, cluster.plan.patching).columns
    assert {(r["near_device"], r["near_port"]) for r in rows if "p" in r["end"]} == {
        (panel, str(port)) for panel, port in zip(ports["panel"], ports["port"], strict=True)
    }
    at = {row["near_location"]: row for row in rows}

    def other(row: dict[str, str]) -> dict[str, str]:
        """The label at the plug that a label tells of, also where it tells of a tail."""
        return at.get(row["far_location"]) or at[row["far_location"].rpartition("/")[0]]

    assert all(other(other(other(row))) == other(row) for row in rows)
    trunks = 2 * len(cluster.plan.patching.trunks)
    assert [row["medium"] == "trunk" for row in rows] == [True] * trunks + [False] * (len(rows) - trunks)


def test_labels_of_a_jumper_and_a_trunk_by_hand() -> None:
    rows = {row["code"]: row for row in label_rows("patched-hall")}
    cage, port = (rows[f"compute-leaf-p1-su01-r1-01:1|{end}"] for end in ("b1", "bp1"))
    assert (cage["line1"], cage["line2"]) == (port["line2"], port["line1"])
    assert port["line1"] == "h1.R01.05-U48:1"
    assert port["line3"] == "C1 SR 1 m"
    trunk = rows["nodes:p1-su01-rk01:p1-su01-net01:om4-2|a"]
    assert [trunk[f"line{n}"] for n in (1, 2, 3)] == [
        "h1.R01.01-U48:19-36", "h1.R01.05-U48:19-36", "144 fibres 10 m",
    ]  # fmt: skip


def test_far_ends_on_several_devices_are_told_apart_by_these() -> None:
    """A cable from a twin-port cage to two nodes has a plug in a cage of one name on each: NIC1, not NIC1/2."""
    cluster = example_cluster("patched-hall")
    assert cluster.plan.patching is not None
    columns = patches.make_table(cluster, cluster.plan.patching).columns
    places = list(zip(columns["device"], columns["cage"], columns["socket"], strict=True))
    assert {cage == socket for device, cage, socket in places if "-n0" in device} == {True}
    assert len(set(places)) == len(places)
