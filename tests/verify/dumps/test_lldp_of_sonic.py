"""SONiC's `show lldp table` and LLDP_ENTRY_TABLE.

The table as `scripts/lldpshow` prints it, with tabulate, and as older releases did, without the last column:
https://github.com/sonic-net/sonic-utilities/blob/master/scripts/lldpshow, and a printed one with several neighbours of
eth0 in https://github.com/sonic-net/sonic-mgmt. Keys and fields of the database table, with and without the separator
of APPL_DB, in https://github.com/sonic-net/sonic-utilities/blob/master/tests/mock_tables/appl_db.json and
https://github.com/sonic-net/sonic-snmpagent/blob/master/tests/mock_tables/appl_db.json; `type` and `value` around them
are those of redis-dump, which `sonic-db-dump` follows:
https://github.com/sonic-net/sonic-swss-common/blob/master/sonic-db-cli
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabricgen.verify.dumps.sighting import DOWN, SEEN, Box
from tests.verify.dumps.reading import faults, read, rows

TABLE = """admin@leaf-01:~$ show lldp table
Capability codes: (R) Router, (B) Bridge, (O) Other
LocalPort    RemoteDevice    RemotePortID       Capability    RemotePortDescr
-----------  --------------  -----------------  ------------  ---------------------
Ethernet0    spine-01        etp1               BR            to leaf-01 Ethernet0
Ethernet8                    02:00:00:00:00:0b  R             NIC 1
eth0         mgmt-01         swp7               B
eth0         mgmt-02         02:00:00:00:00:0c  BR            7
--------------------------------------------------
Total entries displayed:  4
"""


def test_columns_of_the_table_go_by_its_dashes(tmp_path: Path) -> None:
    assert rows(read(tmp_path, TABLE)) == [
        ("leaf-01.txt", "Ethernet0", Box("spine-01"), "etp1", "to leaf-01 Ethernet0", SEEN),
        ("leaf-01.txt", "Ethernet8", Box(), "02:00:00:00:00:0b", "NIC 1", SEEN),
        ("leaf-01.txt", "eth0", Box("mgmt-01"), "swp7", "", SEEN),
        ("leaf-01.txt", "eth0", Box("mgmt-02"), "02:00:00:00:00:0c", "7", SEEN),
    ]


def test_a_table_of_an_older_release_and_an_empty_one(tmp_path: Path) -> None:
    older = """LocalPort    RemoteDevice    RemotePortID    Capability
-----------  --------------  --------------  ------------
Ethernet112  spine-01        Ethernet1       BR
--------------------------------------------------
Total entries displayed:  1
"""
    assert rows(read(tmp_path, older)) == [("leaf-01.txt", "Ethernet112", Box("spine-01"), "Ethernet1", "", SEEN)]
    empty = TABLE[TABLE.index("LocalPort") : TABLE.index("Ethernet0")] + "-" * 50 + "\nTotal entries displayed:  0\n"
    assert len(read(tmp_path, empty)) == 0


def test_a_table_that_is_cut_off_is_told(tmp_path: Path) -> None:
    assert faults(tmp_path, TABLE[: TABLE.index("eth0 ")]) == [
        "7:1: the table ends before its line 'Total entries displayed'"
    ]
    assert faults(tmp_path, TABLE.replace("displayed:  4", "displayed:  5")) == ["10:1: 4 rows stand above, not 5"]
    assert faults(tmp_path, TABLE.replace("mgmt-01         swp7", "                    ")) == [
        "7:1: the row names no neighbour",
        "10:1: 3 rows stand above, not 4",
    ]


ENTRY = {
    "lldp_rem_sys_name": "spine-01",
    "lldp_rem_chassis_id": "02:00:00:00:00:0A",
    "lldp_rem_chassis_id_subtype": "4",
    "lldp_rem_man_addr": "fe80::1,10.0.0.9",
    "lldp_rem_port_id": "etp1",
    "lldp_rem_port_id_subtype": "5",
    "lldp_rem_port_desc": "to leaf-01",
    "lldp_rem_index": "1",
    "lldp_rem_time_mark": "3112",
}
SPINE = Box("spine-01", "02:00:00:00:00:0a", "10.0.0.9")


@pytest.mark.parametrize(
    "dump",
    [
        {"LLDP_ENTRY_TABLE:Ethernet0": {"type": "hash", "ttl": -1, "expireat": 1.5, "value": ENTRY}},
        {"LLDP_ENTRY_TABLE:Ethernet0": ENTRY},
        {"LLDP_ENTRY_TABLE|Ethernet0": ENTRY},
        {"LLDP_ENTRY_TABLE": {"Ethernet0": ENTRY}},
        {"LLDP_ENTRY_TABLE": {"Ethernet0": {"value": ENTRY}}},
    ],
)
def test_the_table_of_the_database_in_every_shape(tmp_path: Path, dump: Any) -> None:
    assert rows(read(tmp_path, dump)) == [("leaf-01.txt", "Ethernet0", SPINE, "etp1", "to leaf-01", SEEN)]


def test_a_dump_of_the_whole_database_tells_its_device_and_ports_that_are_down(tmp_path: Path) -> None:
    dump = {
        "PORT_TABLE:Ethernet0": {"value": {"oper_status": "down"}},
        "PORT_TABLE:Ethernet4": {"value": {"oper_status": "down"}},
        "PORT_TABLE:Ethernet8": {"value": {"oper_status": "up"}},
        "LLDP_LOC_CHASSIS": {"value": {"lldp_loc_sys_name": "leaf-01", "lldp_loc_man_addr": "10.0.0.1,fd00::1"}},
        "LLDP_ENTRY_TABLE:Ethernet0": {"value": ENTRY},
        "ROUTE_TABLE:10.0.0.0/24": {"value": {"ifname": "eth0"}},
    }
    seen = read(tmp_path, dump, "appl_db.json")
    assert seen.boxes[0] == Box("leaf-01", "", "10.0.0.1")
    assert [(row[1], row[-1]) for row in rows(seen)] == [("Ethernet0", SEEN), ("Ethernet4", DOWN)]


def test_entries_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    text = """{"LLDP_ENTRY_TABLE:Ethernet0": {"type": "hash", "value": {"lldp_rem_sys_name": ["x"]}},
      "LLDP_ENTRY_TABLE:Ethernet4": 7,
      "LLDP_ENTRY_TABLE:Ethernet8": {"type": "hash", "value": {}}}"""
    assert faults(tmp_path, text) == [
        "1:80: 'lldp_rem_sys_name' is a list, not a text",
        "2:37: 'LLDP_ENTRY_TABLE:Ethernet4' is '7', not an object",
        "3:63: the neighbour of Ethernet8 has neither lldp_rem_sys_name nor lldp_rem_chassis_id",
    ]
