"""Lists of links as CSV."""

from __future__ import annotations

from pathlib import Path

from fabricgen.verify.dumps.sighting import SEEN, SILENT, Box
from tests.verify.dumps.reading import faults, read, rows

HEAD = "device,port,neighbor,neighbor_port\n"


def test_a_row_is_a_port_and_columns_stand_in_any_order(tmp_path: Path) -> None:
    text = "Neighbor,rack,device,neighbor_port,port\nn001,rk1,leaf-01,NIC1,Ethernet0\n,rk1,leaf-01,,Ethernet4\n\n"
    seen = read(tmp_path, text + 'leaf-01,"rk,2",n001,Ethernet0,NIC1\n')
    assert rows(seen) == [
        ("leaf-01", "Ethernet0", Box("n001"), "NIC1", "", SEEN),
        ("leaf-01", "Ethernet4", None, "", "", SILENT),
        ("n001", "NIC1", Box("leaf-01"), "Ethernet0", "", SEEN),
    ]
    assert set(seen.agents.values()) == {"list"}
    assert seen.lists_all == {0, 1}


def test_semicolons_tabs_line_ends_and_marks_of_spreadsheets_are_read(tmp_path: Path) -> None:
    for text in (
        "\ufeffdevice;port;neighbor;neighbor_port\r\na;1;b;2\r\n",
        "device\tport\tneighbor\tneighbor_port\na\t1\tb\t2",
    ):
        assert rows(read(tmp_path, text)) == [("a", "1", Box("b"), "2", "", SEEN)]


def test_all_bad_rows_are_told_at_their_fields(tmp_path: Path) -> None:
    text = HEAD + "a,1,b\n,1,b,2\na,,b,2\na,1,,2\na,1,b,2\n"
    assert faults(tmp_path, text) == [
        "2:1: 3 fields where the header has 4",
        "3:1: the row names no device",
        "4:2: the row names no port",
        "5:3: the row names no neighbor",
    ]
    assert faults(tmp_path, HEAD + 'a,1,"b,2\n')[0].startswith("2:1: the row is not CSV")


def test_wrong_columns_are_told(tmp_path: Path) -> None:
    assert faults(tmp_path, "device,port,neighbor\na,1,b\n") == ["1:1: there is no column 'neighbor_port'"]
    assert faults(tmp_path, "device,port,port,neighbor,neighbor_port\n") == ["1:1: column 'port' occurs twice"]
    assert "is none of the dumps" in faults(tmp_path, "a_device,a_port\nx,1\n")[0]
