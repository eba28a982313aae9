"""Facts from a built folder: the same as from the cluster that built it, and bad files are said by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fabricgen.cluster import Cluster
from fabricgen.diff.compare import compare
from fabricgen.diff.inventory import Inventory, from_folder
from fabricgen.export.table import ExportContext, part
from fabricgen.kernel.diagnostics import InputError

Compile = Callable[..., Cluster]
Facts = Callable[..., Inventory]


def write(cluster: Cluster, folder: Path) -> Path:
    for name in ("devices", "links", "cables"):
        for path, content in part(name).files(cluster, ExportContext()):
            (folder / path).write_bytes(content)
    return folder


@pytest.fixture
def built(cluster: Compile, tmp_path: Path) -> Path:
    return write(cluster("leaf-spine"), tmp_path)


@pytest.mark.parametrize("name", ["leaf-spine", "nvl72-gb200", "superpod-b200", "superpod-b300"])
def test_a_folder_holds_the_facts_of_its_cluster(cluster: Compile, inventory: Facts, tmp_path: Path, name: str) -> None:
    found = from_folder(write(cluster(name), tmp_path))
    assert found == inventory(name)
    assert not compare(found, inventory(name))


def test_order_of_rows_and_further_columns_do_not_count(built: Path, inventory: Facts) -> None:
    for file in built.glob("*.csv"):
        header, *rows = file.read_text().splitlines()
        lines = [f"note,{header}", *(f'"a, b",{row}' for row in reversed(rows))]
        file.write_text("\r\n".join(lines))
    assert from_folder(str(built)) == inventory("leaf-spine")


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
    assert_fault(built, "cables.csv", "rows of different fabric, medium or length")


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b'device,"'])
def test_a_file_that_is_no_list_is_named(built: Path, content: bytes) -> None:
    (built / "devices.csv").write_bytes(content)
    assert_fault(built, "devices.csv", "")


def assert_fault(folder: Path, name: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        from_folder(folder)
    assert {d.code for d in caught.value.diagnostics} == {"FG028"}
    assert name in str(caught.value)
    assert says in str(caught.value)
