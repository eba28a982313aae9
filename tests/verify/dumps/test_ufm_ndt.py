"""NDT files of UFM, by the columns and ports of github.com/Mellanox/ufm_sdk_3.0, plugins/UFM_NDT_Plugin."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.verify.dumps.sighting import SEEN, SILENT, Box
from tests.verify.dumps.reading import faults, read, rows

BRIEF = """\
StartDevice,StartPort,EndDevice,EndPort,State,Domain
leaf-01,Port 1,n001 mlx5_0,Port 1,Active,In-Scope
leaf-01,Port 2,,,Disabled,Disconnected
leaf-01,Port 3,,,Disabled,Boundary
"""
TO_HOSTS = """\
#StartDevice,StartPort,EndDevice,EndPort,LinkType
SAT111092710053,SAT111092710053 ibp11s0f0,SAT11-0101-0927-20IB0,Port 1, Data
"""
FULL = """\
,rack #,U height,#Fields:StartDevice,StartPort,StartDeviceLocation,EndDevice,EndPort,EndDeviceLocation,U height,LinkType
,"Rack IB0, #1",U41,leaf-01,Port 21,F01,director-01,Blade 1_Port 1/1,F02,U25,Data
"""


def test_a_link_is_seen_from_both_ends_and_only_what_is_disconnected_sees_nobody(tmp_path: Path) -> None:
    assert rows(read(tmp_path, BRIEF, "ndt.csv")) == [
        ("leaf-01", "1", Box("n001 mlx5_0"), "1", "", SEEN),
        ("leaf-01", "2", None, "", "", SILENT),
        ("n001 mlx5_0", "1", Box("leaf-01"), "1", "", SEEN),
    ]


def test_files_of_hosts_and_of_directors(tmp_path: Path) -> None:
    assert rows(read(tmp_path, TO_HOSTS, "hosts.ndt"))[0] == (
        *("SAT111092710053", "ibp11s0f0", Box("SAT11-0101-0927-20IB0"), "1", "", SEEN),
    )
    assert rows(read(tmp_path, FULL, "switches.ndt"))[0] == (
        *("leaf-01", "21", Box("director-01"), "Blade 1_Port 1/1", "", SEEN),
    )


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("StartDevice,", "Start,", ["1:1: there is no column 'StartDevice'"]),
        (
            "n001 mlx5_0,Port 1",
            "n001 mlx5_0,",
            ["2:1: the row names no end of a link: 'leaf-01,Port 1,n001 mlx5_0,,Active,In-Sc'"],
        ),
        ("leaf-01,Port 2", '"leaf-01"x,Port 2', ["3:1: the row is not CSV: ',' expected after '\"'"]),
    ],
)
def test_what_is_damaged_is_told_with_its_place(tmp_path: Path, old: str, new: str, told: list[str]) -> None:
    assert faults(tmp_path, BRIEF.replace(old, new), "ndt.csv") == told
