"""`show lldp neighbors` of Junos, as a table, as blocks and as JSON.

The table as a QFX5240 with Junos Evolved prints it, and with another head older releases
(https://github.com/OpenNMS/opennms, features/enlinkd, tests of nms1055); the names of elements in JSON as Juniper's
PyEZ reads them, https://github.com/Juniper/py-junos-eznc/blob/master/lib/jnpr/junos/op/lldp.yml; blocks as in the CLI
reference, `show lldp neighbors`.
"""

from __future__ import annotations

from pathlib import Path

from fabricgen.verify.dumps.sighting import SEEN, Box
from tests.verify.dumps.reading import faults, read, rows

TABLE = """root@leaf-01> show lldp neighbors
Local Interface    Parent Interface    Chassis Id                               Port info          System Name
et-0/0/17:1        -                   6c:92:cf:06:91:3e                        ens5f0np0          node-01.example.net
et-0/0/0           ae1                 0c:86:10:00:00:01                        et-0/0/3:0         spine-01
et-0/0/1.0         -                   0c:86:10:00:00:02                        port-of-a-longer-name spine-02
re0:mgmt-0         -                   0c:86:10:00:00:03                        ge-0/0/7

{master}
root@leaf-01>
"""
SEEN_BY_TABLE = [
    ("leaf-01.txt", "et-0/0/17:1", Box("node-01.example.net", "6c:92:cf:06:91:3e"), "ens5f0np0", "", SEEN),
    ("leaf-01.txt", "et-0/0/0", Box("spine-01", "0c:86:10:00:00:01"), "et-0/0/3:0", "", SEEN),
    ("leaf-01.txt", "et-0/0/1", Box("spine-02", "0c:86:10:00:00:02"), "port-of-a-longer-name", "", SEEN),
    ("leaf-01.txt", "re0:mgmt-0", Box("", "0c:86:10:00:00:03"), "ge-0/0/7", "", SEEN),
]
BLOCKS = """LLDP Neighbor Information:
Local Information:
Index: 1 Time to live: 120 Time mark: Sat Nov 28 10:02:06 2026 Age: 19 secs
Local Interface    : et-0/0/0
Parent Interface   : -
Local Port ID      : et-0/0/0
Ageout Count       : 0

Neighbour Information:
Chassis type       : Mac address
Chassis ID         : 0c:86:10:00:00:01
Port type          : Interface name
Port ID            : et-0/0/3:0
Port description   : to leaf-01: the first
System name        : spine-01

System Description : Juniper Networks, Inc. qfx5240-64od

Management address
        Address Type  : IPv4(1)
        Address       : 10.16.0.9
        Interface Number : 1
"""


def test_columns_of_the_table_go_by_its_head(tmp_path: Path) -> None:
    assert rows(read(tmp_path, TABLE)) == SEEN_BY_TABLE


def test_a_table_of_an_older_release(tmp_path: Path) -> None:
    older = (
        "Local Interface Chassis Id        Port info     System Name\n"
        "ge-0/2/0        00:1f:12:37:3d:c0  ge-0/0/46.0  Riovista-ce\n"
    )
    assert rows(read(tmp_path, older)) == [
        ("leaf-01.txt", "ge-0/2/0", Box("Riovista-ce", "00:1f:12:37:3d:c0"), "ge-0/0/46", "", SEEN)
    ]


def test_a_row_that_is_cut_off_is_told(tmp_path: Path) -> None:
    text = TABLE.replace("0c:86:10:00:00:03                        ge-0/0/7", "0c:86:10:00:00:03")
    assert faults(tmp_path, text) == ["6:1: the row names no neighbour's port"]


def test_blocks_say_what_the_table_does_and_more(tmp_path: Path) -> None:
    spine = Box("spine-01", "0c:86:10:00:00:01", "10.16.0.9")
    second = BLOCKS.replace("et-0/0/0", "et-0/0/9").replace("System name        : spine-01\n", "")
    assert rows(read(tmp_path, BLOCKS + second)) == [
        ("leaf-01.txt", "et-0/0/0", spine, "et-0/0/3:0", "to leaf-01: the first", SEEN),
        ("leaf-01.txt", "et-0/0/9", spine._replace(name=""), "et-0/0/3:0", "to leaf-01: the first", SEEN),
    ]
    nobody = BLOCKS.replace("System name        : spine-01\n", "").replace("Chassis ID  ", "Chassis  ")
    assert faults(tmp_path, nobody) == ["1:1: the block names no neighbour"]


def told(**fields: str) -> dict[str, list[dict[str, str]]]:
    return {f"lldp-{name.replace('_', '-')}": [{"data": text}] for name, text in fields.items()}


def test_json_of_several_releases(tmp_path: Path) -> None:
    first = told(local_port_id="et-0/0/0", remote_chassis_id="0c:86:10:00:00:01", remote_port_id="et-0/0/3:0")
    first |= told(remote_system_name="spine-01", remote_port_description="to leaf-01")
    older = told(local_interface="et-0/0/1.0", remote_chassis_id="0c:86:10:00:00:02")
    older |= told(remote_port_description="et-0/0/4.0", remote_system_name="spine-02")
    answer = {"lldp-neighbors-information": [{"lldp-neighbor-information": [first, older]}]}
    assert rows(read(tmp_path, answer)) == [
        ("leaf-01.txt", "et-0/0/0", Box("spine-01", "0c:86:10:00:00:01"), "et-0/0/3:0", "to leaf-01", SEEN),
        ("leaf-01.txt", "et-0/0/1", Box("spine-02", "0c:86:10:00:00:02"), "et-0/0/4", "", SEEN),
    ]
    assert len(read(tmp_path, {"lldp-neighbors-information": [{}]})) == 0


def test_a_row_without_a_neighbour_is_told(tmp_path: Path) -> None:
    answer = {"lldp-neighbors-information": [{"lldp-neighbor-information": [told(local_port_id="et-0/0/0"), 4]}]}
    found = faults(tmp_path, answer)
    assert [text.partition(": ")[2] for text in found] == ["the row has no neighbour", "an item is '4', not an object"]
