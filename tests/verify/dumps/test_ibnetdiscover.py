"""`ibnetdiscover`.

Shape after the tool's own printing, `out_switch_port` and `out_ca_port` in
https://github.com/linux-rdma/rdma-core/blob/master/infiniband-diags/ibnetdiscover.c, and the file of a network in its
manual page, https://github.com/linux-rdma/rdma-core/blob/master/infiniband-diags/man/ibnetdiscover.8.in.rst
"""

from __future__ import annotations

from pathlib import Path

from fabricgen.verify.dumps.sighting import SEEN, Box
from tests.verify.dumps.reading import faults, read, rows

TEXT = """#
# Topology file: generated on Wed Nov 25 12:00:00 2026
#
# Initiated from node 0200000000000002 port 0200000000000003

vendid=0x2c9
devid=0xd2f2
sysimgguid=0x200000000000001
switchguid=0x200000000000001(200000000000001)
Switch\t129 "S-0200000000000001"\t\t# "MF0;leaf-01:MQM9700/U1" enhanced port 0 lid 1 lmc 0
[1]\t"H-0200000000000002"[1](200000000000003) \t\t# "n001 mlx5_0" lid 2 4xNDR
[33]\t"S-0200000000000009"[7]\t\t# "spine-01" lid 4 4xNDR

vendid=0x2c9
devid=0x1021
sysimgguid=0x200000000000002
caguid=0x200000000000002
Ca\t1 "H-0200000000000002"\t\t# "n001 mlx5_0"
[1](200000000000003) \t"S-0200000000000001"[1]\t\t# lid 2 lmc 0 "MF0;leaf-01:MQM9700/U1" lid 1 4xNDR
"""
LEAF, NODE = Box("MF0;leaf-01:MQM9700/U1", "0x0200000000000001"), Box("n001 mlx5_0", "0x0200000000000002")


def test_each_switch_and_adapter_is_a_dump(tmp_path: Path) -> None:
    seen = read(tmp_path, TEXT)
    assert rows(seen) == [
        (LEAF.name, "1", NODE, "1", "", SEEN),
        (LEAF.name, "33", Box("spine-01", "0x0200000000000009"), "7", "", SEEN),
        (NODE.name, "1", LEAF, "1", "", SEEN),
    ]
    assert (set(seen.agents.values()), seen.gbps.tolist()) == ({"ib"}, [400, 400, 400])
    assert [seen.boxes[owner] for owner in seen.lists_all] == [LEAF]


def test_files_for_ibsim_have_shorter_lines(tmp_path: Path) -> None:
    text = 'Switch 36 "S-1"\n[1] "H-2"[1]\n\nHca 1 "H-2"\n'
    assert faults(tmp_path, text) == ["4:1: 'Hca 1 \"H-2\"' is no line of ibnetdiscover"]
    assert rows(read(tmp_path, text.replace("Hca", "Ca"))) == [("", "1", Box("", "0x0000000000000002"), "1", "", SEEN)]


def test_what_is_no_line_of_it_is_told(tmp_path: Path) -> None:
    cut_off = TEXT[: TEXT.index("S-0200000000000009") + 4]
    assert faults(tmp_path, cut_off) == ["12:1: '[33]\t\"S-02' is no line of ibnetdiscover"]


def test_nodes_grouped_by_chassis(tmp_path: Path) -> None:
    """`ibnetdiscover -g` prints switches of a chassis first, twice each, and a heading before what is in none."""
    switch, adapter = TEXT.split("\n\n")[1:]
    grouped = switch.replace("(200000000000001)", "(200000000000001)\t# ISR9024D Leaf 1 Chip 1").replace(
        "[33]", "[33][ext 5]"
    )
    text = (
        f"#\n\nChassis 1 (guid 0x2c9000000000001)\n\n# Spine Nodes\n{grouped}\n# Line Nodes\n# Chassis Switches\n"
        f"{grouped}\n# Chassis CAs\nNon-Chassis Nodes\n\n{adapter}"
    )
    assert set(rows(read(tmp_path, text))) == set(rows(read(tmp_path, TEXT, "leaf-02.txt")))


def test_aggregation_nodes_are_part_of_their_switch(tmp_path: Path) -> None:
    """A switch with SHARP has an adapter of its own behind a port inside; what it sees is no cable."""
    name, guid = "Mellanox Technologies Aggregation Node", "0200000000000051"
    within = f'[65]\t"H-{guid}"[1]({guid}) \t\t# "{name}" lid 5 4xNDR\n'
    port = f'[1]({guid}) \t"S-0200000000000001"[65]\t\t# lid 5 lmc 0 "leaf" lid 1 4xNDR\n'
    node = f'\nCa\t1 "H-{guid}"\t\t# "{name}"\n{port}'
    seen = read(tmp_path, TEXT.replace("[33]", f"{within}[33]", 1) + node)
    assert rows(seen) == rows(read(tmp_path, TEXT, "leaf-02.txt"))
    assert not [box for box in seen.boxes if "Aggregation" in box.name]
