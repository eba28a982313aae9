"""`ibnetdiscover --ports`.

Shape after the tool's own printing, `dump_ports_report` in
https://github.com/linux-rdma/rdma-core/blob/master/infiniband-diags/ibnetdiscover.c, and after what
https://github.com/treydock/infiniband_exporter reads.
"""

from __future__ import annotations

from pathlib import Path

from fabricgen.verify.dumps.sighting import SEEN, SILENT, Box
from tests.verify.dumps.reading import faults, read, rows

TEXT = """\
CA     2  1 0x0200000000000003 4x NDR - SW     1  1 0x0200000000000001 ( 'n001 mlx5_0' - 'leaf-01 ' )
SW     1  1 0x0200000000000001 4x NDR - CA     2  1 0x0200000000000003 ( 'leaf-01 ' - 'n001 mlx5_0' )
SW     1  2 0x0200000000000001 4x SDR                                    'leaf-01 '
"""
LEAF, NODE = Box("leaf-01", "0x0200000000000001"), Box("n001 mlx5_0", "0x0200000000000003")


def test_each_port_says_who_is_at_its_other_end(tmp_path: Path) -> None:
    assert rows(read(tmp_path, TEXT)) == [
        ("n001 mlx5_0", "1", LEAF, "1", "", SEEN),
        ("leaf-01", "1", NODE, "1", "", SEEN),
        ("leaf-01", "2", None, "", "", SILENT),
    ]


def test_a_line_that_is_cut_off_is_told_with_its_place(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, TEXT[:175])
    assert fault.startswith("2:1: 'SW     1  1 0x02")
