"""`iblinkinfo`, with and without `--line`.

Shape after the tool's own printing, `print_port` and `print_node_header`, in
https://github.com/linux-rdma/rdma-core/blob/master/infiniband-diags/iblinkinfo.c; rates have spaces before them in
releases of long ago (4X 10.0 Gbps) and of now (53.125 Gbps, 106.25 Gbps).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.verify.dumps.sighting import DOWN, SEEN, SILENT, Box, find_link_gbps
from fabricgen.verify.reading import read_all
from tests.verify.dumps.reading import faults, read, rows

TEXT = """CA: n001 mlx5_0:
      0x0200000000000003      2    1[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>       1    1[  ] "leaf-01" ( )
Switch: 0x0200000000000001 leaf-01:
           1    1[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>       2    1[  ] "n001 mlx5_0" ( )
           1    2[  ] ==(                Down/ Polling)==>             [  ] "" ( )
           1    3[  ] ==( 1X          2.5 Gbps   Init/  LinkUp)==>       7    4[  ] "spine-01" ( Could be 4X)
           1    4[  ] ==( 4X        106.25 Gbps Active/  LinkUp)==>    "Port not available"
"""
NODE, LEAF = Box("n001 mlx5_0", "0x0200000000000003"), Box("leaf-01", "0x0200000000000001")
SEEN_THERE = [
    ("n001 mlx5_0", "1", LEAF, "1", "", SEEN),
    ("leaf-01", "1", NODE, "1", "", SEEN),
    ("leaf-01", "2", None, "", "", DOWN),
]


def test_neighbours_are_known_by_their_numbers_in_the_subnet(tmp_path: Path) -> None:
    seen = read(tmp_path, TEXT)
    assert rows(seen) == [
        *SEEN_THERE,
        ("leaf-01", "3", Box("spine-01"), "4", "", SEEN),
        ("leaf-01", "4", None, "", "", SILENT),
    ]
    assert (set(seen.agents.values()), seen.lists_all) == ({"ib"}, frozenset())
    assert seen.gbps.tolist() == [400, 400, 0, 2, 0]


@pytest.mark.parametrize(
    ("lanes", "lane", "gbps"),
    [
        *[("4x", "SDR", 10.0), ("4X", "14.0625", 56.0), ("2x", "HDR", 100.0), ("4", "212.5", 800.0)],
        *[("4x", "???", 0.0), ("??", "NDR", 0.0), ("N/A", "N/A", 0.0), ("4x", "1", 0.0), ("", "", 0.0)],
    ],
)
def test_width_and_lane_are_a_rate(lanes: str, lane: str, gbps: float) -> None:
    assert find_link_gbps(lanes, lane) == gbps


def test_lines_of_one_port_each(tmp_path: Path) -> None:
    text = (
        '0x0200000000000003 "                   n001 mlx5_0"      2    1[  ] '
        '==( 4X      25.78125 Gbps Active/  LinkUp)==>  0x0200000000000001      1    1[  ] "leaf-01" ( )\n'
        '0x0200000000000001 "                       leaf-01"      1    1[  ] '
        '==( 4X      25.78125 Gbps Active/  LinkUp)==>  0x0200000000000003      2    1[  ] "n001 mlx5_0" ( )\n'
        '0x0200000000000001 "                       leaf-01"      1    2[  ] '
        '==(                Down/ Polling)==>             [  ] "" ( )\n'
    )
    assert rows(read(tmp_path, text)) == SEEN_THERE


def test_what_is_no_line_of_it_is_told(tmp_path: Path) -> None:
    assert faults(tmp_path, TEXT[: TEXT.index('"spine-01')]) == [
        "6:1: the line does not say what is at the other end",
    ]
    assert faults(tmp_path, TEXT.replace("           1    2[  ]", "here")) == [
        "5:1: the line does not say which port it is of"
    ]
    assert faults(tmp_path, TEXT[: TEXT.index("==( 1X")]) == ["6:1: '1    3[  ]' is no line of iblinkinfo"]


def test_warnings_between_the_lines_are_passed_over(tmp_path: Path) -> None:
    warned = TEXT.replace("Switch:", "ibwarn: [7] mad_rpc: _do_madrpc failed\nSwitch:")
    assert rows(read(tmp_path, warned)) == rows(read(tmp_path, TEXT))


def test_a_router_is_no_part_of_the_node_above(tmp_path: Path) -> None:
    """Neither its links nor its speeds: both are read from the same nodes."""
    router = TEXT.replace("CA: n001 mlx5_0:", "RT: router-01:").split("Switch:")
    text = f"Switch:{router[1]}{router[0]}".replace("0x0200000000000003", "0x020000000000000A")
    assert [(row[0], row[1]) for row in rows(read(tmp_path, text))][-1] == ("router-01", "1")
    file = tmp_path / "ports.txt"
    file.write_text(text, encoding="utf-8")
    reports = read_all([str(file)], jobs=1, optics=True).reports
    assert [(report.box, report.port) for report in reports] == [(LEAF, port) for port in "1234"]
