"""Facts from a built folder: the same as from the cluster that built it, and bad files are said by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.bom.bill import make_bill
from fabricgen.cluster import Cluster
from fabricgen.diff.bill import describe_bom
from fabricgen.diff.compare import Side, compare_sides
from fabricgen.diff.folder import read_lists
from fabricgen.export import order
from fabricgen.export.table import ExportContext, load_part
from fabricgen.kernel.diagnostics import InputError
from fabricgen.publish.reading import open_built
from tests.conftest import bytes_of
from tests.diff.conftest import cluster_of, side_of

PARTS = ("devices", "links", "cables", "addresses", "bom")


def write(cluster: Cluster, folder: Path, parts: tuple[str, ...] = PARTS) -> Path:
    for name in parts:
        for path, content in load_part(name).files(cluster, ExportContext()):
            (folder / path).write_bytes(bytes_of(content))
    return folder


@pytest.fixture
def built(tmp_path: Path) -> Path:
    return write(cluster_of("leaf-spine"), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["leaf-spine", "monday", "nvl72-gb200", "superpod-b200", "superpod-b300", "two-site"])
def test_a_folder_holds_the_lists_of_its_cluster(tmp_path: Path, name: str) -> None:
    change = compare_sides(Side("folder", read_lists(open_built(write(cluster_of(name), tmp_path)))), side_of(name))
    assert not change
    assert all(not delta.counts()["changed"] for delta in change.deltas.values())


@pytest.mark.slow
def test_optics_in_maxima_of_devices_count_once(tmp_path: Path) -> None:
    """The QM9700 of a pod draw 1,720 W with their optics; the SN5600 of another draw theirs besides."""
    sides = side_of("superpod-b200"), side_of("superpod-b300")
    totals = [order.make_power_table(make_bill(cluster_of(side.name))).columns["power_w"][-1] for side in sides]
    moved = compare_sides(*sides).bom
    assert moved is not None
    assert (moved.old_power_w, moved.new_power_w, moved.twice) == (*(float(str(watts)) for watts in totals), False)
    with_racks, without = tmp_path / "whole", tmp_path / "old"
    for folder, parts in ((with_racks, (*PARTS, "racks")), (without, PARTS)):
        folder.mkdir()
        read = compare_sides(
            Side("folder", read_lists(open_built(write(cluster_of("superpod-b200"), folder, parts)))), sides[1]
        )
        assert read.bom is not None
        twice = folder == without
        assert (read.bom.old_power_w, read.bom.twice) == (moved.old_power_w + (26112 if twice else 0), twice)
        assert ("optics in maxima of devices may count twice" in describe_bom(read.bom)) == twice


def test_order_of_rows_and_further_columns_do_not_count(built: Path) -> None:
    for file in built.glob("*.csv"):
        header, *rows = file.read_text().splitlines()
        lines = [f"note,{header}", *(f'"a, b",{row}' for row in reversed(rows))]
        file.write_text("\r\n".join(lines))
    assert not compare_sides(Side("folder", read_lists(open_built(built))), side_of("leaf-spine"))


def test_numbers_are_compared_by_value(built: Path) -> None:
    file = built / "links.csv"
    file.write_text(file.read_text().replace(",400,", ",400.0,"))
    assert ",400.0," in file.read_text()
    assert not compare_sides(Side("folder", read_lists(open_built(built))), side_of("leaf-spine"))


def test_lists_that_a_folder_lacks_are_said_not_to_be_compared(tmp_path: Path) -> None:
    folder = write(cluster_of("leaf-spine"), tmp_path, ("devices", "links", "cables"))
    change = compare_sides(Side("folder", read_lists(open_built(folder))), side_of("leaf-spine"))
    assert (change.addresses, change.bom) == (None, None)
    assert not change
    assert change.notes == (
        "folder has no addresses.csv, so that is not compared",
        "folder has no bom.csv, so that is not compared",
    )


@pytest.mark.parametrize("name", ["devices.csv", "links.csv", "cables.csv"])
def test_a_missing_file_is_named(built: Path, name: str) -> None:
    (built / name).unlink()
    assert_fault(built, name, "No such file")


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    assert_fault(tmp_path / "nowhere", "nowhere", "No such file")


@pytest.mark.parametrize(
    ("name", "old", "new", "says"),
    [
        ("devices.csv", "loopback", "loop", "has no column 'loopback'"),
        ("devices.csv", "site,", "asn,", "has column 'asn' twice"),
        ("devices.csv", ",generic-server,", ",generic-server,,", "devices.csv:2:1"),
        ("devices.csv", "n002,", "n001,", "p1-su01-n001 is listed twice"),
        ("devices.csv", ",4200000000,", ",as1,", "asn 'as1' is not a number"),
        ("links.csv", ",100,", ",fast,", "speed_gbps 'fast' is not a number"),
        ("links.csv", "n001,eth2,", "n001,eth1,", "p1-su01-n001 eth1 is listed twice"),
        ("cables.csv", "length_m", "length", "has no column 'length_m'"),
    ],
)
def test_a_malformed_file_is_named(built: Path, name: str, old: str, new: str, says: str) -> None:
    file = built / name
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    assert_fault(built, name, says)


@pytest.mark.parametrize("length", ["nan", "inf", "-1", ""])
def test_a_length_is_a_number(built: Path, length: str) -> None:
    file = built / "cables.csv"
    header, first, *rest = file.read_text().splitlines()
    fields = first.split(",")
    fields[header.split(",").index("length_m")] = length
    file.write_text("\n".join([header, ",".join(fields), *rest]))
    assert_fault(built, "cables.csv", f"length_m '{length}' is not a number")


def test_rows_of_a_cable_agree(built: Path) -> None:
    file = built / "cables.csv"
    header, first, *rest = file.read_text().splitlines()
    place = header.split(",").index("length_m")
    fields = first.split(",")
    fields[place] = "77"
    file.write_text("\n".join([header, first, ",".join(fields), *rest]))
    assert_fault(built, "cables.csv", "rows of different part, medium or length")


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b'device,"'])
def test_a_file_that_is_no_list_is_named(built: Path, content: bytes) -> None:
    (built / "devices.csv").write_bytes(content)
    assert_fault(built, "devices.csv", "")


def assert_fault(folder: Path, name: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        read_lists(open_built(folder))
    assert {d.code for d in caught.value.diagnostics} == {"FG028"}
    assert name in str(caught.value)
    assert says in str(caught.value)
