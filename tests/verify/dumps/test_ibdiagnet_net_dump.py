"""`ibdiagnet2.net_dump`, by its columns as public tools that read it quote them; no file of NVIDIA's is public."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.verify.dumps.sighting import DOWN, SEEN, SILENT, Box
from tests.verify.dumps.reading import faults, read, rows

HEAD = (
    "# : IB# : Sta : PhysSta : MTU : LWA : LSA : FEC mode : Retran : Neighbor Guid : N# : NLID : Neighbor Description"
)
UP = "ACT : LINK UP : 5 : 4x : 100 : MLNX_RS_544_514_PLR : NO-RTR"
TEXT = f"""\
"MF0;leaf-01:MQM9700/U1", Mellanox, 0x0200000000000001, LID 10
{HEAD}
sw1p1 : 1 : {UP} : 0x0200000000000003 : 1 : 20 : "n001 mlx5_0"
sw1p2 : 2 : {UP} : 0x0200000000000002 : sw2p1 : 11 : "MF0;spine-01:MQM9700/U1"
sw2p1 : 3 : DOWN : POLLING : N/A : N/A : N/A : N/A : N/A :  :  :  :
sw2p2 : 4 : INI : LINK UP : 5 : 4x : 100 : RS : NO-RTR : N/A : : :
"MF0;spine-01:MQM9700/U1", Mellanox, 0x0200000000000002, LID 11
{HEAD}
sw2p1 : 3 : {UP} : 0x0200000000000001 : sw1p2 : 10 : "MF0;leaf-01:MQM9700/U1"
"""
LEAF = Box("MF0;leaf-01:MQM9700/U1", "0x0200000000000001")
SPINE = Box("MF0;spine-01:MQM9700/U1", "0x0200000000000002")
NODE = Box("n001 mlx5_0", "0x0200000000000003")


def test_ports_have_the_number_of_the_subnet_at_both_ends(tmp_path: Path) -> None:
    assert rows(read(tmp_path, TEXT)) == [
        (LEAF.name, "1", NODE, "1", "", SEEN),
        (LEAF.name, "2", SPINE, "3", "", SEEN),
        (LEAF.name, "3", None, "", "", DOWN),
        (LEAF.name, "4", None, "", "", SILENT),
        (SPINE.name, "3", LEAF, "2", "", SEEN),
    ]


def test_columns_are_found_by_their_names(tmp_path: Path) -> None:
    """Releases call and order those between otherwise: `FEC mode : Retran` is `FEC : RTR` in some."""
    moved = TEXT.replace("FEC mode : Retran", "FEC : RTR")
    assert rows(read(tmp_path, moved)) == rows(read(tmp_path, TEXT))


def test_asics_of_one_switch_are_boxes_of_one_name(tmp_path: Path) -> None:
    planes = TEXT.replace("/U1", "/U2").replace("0x0200000000000001", "0x0200000000000009")
    seen = read(tmp_path, TEXT + planes)
    assert {box.chassis for box in seen.boxes if "leaf-01" in box.name} == {LEAF.chassis, "0x0200000000000009"}


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "sw1p1 : 1 :",
            "sw1p1 : one :",
            ["3:1: the row is none of a port: 'sw1p1 : one : ACT : LINK UP : 5 : 4x : 1'"],
        ),
        (
            f"{UP} : 0x0200000000000003",
            f"{UP} : zero",
            ["3:1: the row is none of a port: 'sw1p1 : 1 : ACT : LINK UP : 5 : 4x : 100'"],
        ),
        (
            "Retran : Neighbor Guid : N#",
            "Retran : Neighbor Guid : Peer",
            ["2:1: there is no column 'n#'", "8:1: there is no column 'n#'"],
        ),
        ("sw2p2", "x" * 2001, ["6:1: the line has 2,062 characters"]),
    ],
)
def test_what_is_damaged_is_told_with_its_place(tmp_path: Path, old: str, new: str, told: list[str]) -> None:
    found = faults(tmp_path, TEXT.replace(old, new))
    assert [text[: len(expected)] for text, expected in zip(found, told, strict=True)] == told
