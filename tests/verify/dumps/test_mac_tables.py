"""MAC and ARP tables as switches print them; which rows were learnt at a port, and which were not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fabricgen.verify.dumps.sighting import Box, MacTable
from fabricgen.verify.reading import read_all
from tests.verify.dumps.reading import faults, rows

# sonic-net/sonic-utilities, scripts/fdbshow and tests/evpn_mh (the row behind a tunnel)
SONIC = """\
admin@leaf-01:~$ show mac
  No.    Vlan  MacAddress         Port                 Type
-----  ------  -----------------  -------------------  -------
    1    1000  7C:FE:90:80:9F:05  Ethernet20           Dynamic
    2    1000  7C:FE:90:80:9F:10  Ethernet40           Static
    3    1000  7C:FE:90:80:9F:11  VxLAN DIP: 10.0.0.9  Dynamic
Total number of entries 3
"""
# sonic-net/sonic-utilities, scripts/nbrshow
SONIC_ARP = """\
Address        MacAddress         Iface        Vlan
-------------  -----------------  -----------  ------
192.168.0.2    7c:fe:90:80:9f:05  Ethernet20   1000
10.0.0.57      52:54:00:2c:58:2b  Ethernet112  -
Total number of entries 2
"""
# the manual of EOS, `show mac address-table` and `show ip arp`
EOS = """\
leaf-01#show mac address-table
          Mac Address Table
------------------------------------------------------------------

Vlan    Mac Address       Type        Ports      Moves   Last Move
----    -----------       ----        -----      -----   ---------
   1    0000.0000.0001    STATIC      Cpu
  10    0050.7966.6829    DYNAMIC     Et4/1      1       0:04:41 ago
  10    0050.7966.682b    DYNAMIC     Vx1        1       1 day, 0:52:41 ago
Total Mac Addresses for this criterion: 3

          Multicast Mac Address Table
------------------------------------------------------------------

Vlan    Mac Address       Type        Ports
----    -----------       ----        -----
  10    0100.5e00.0001    STATIC      Et4/1
Total Mac Addresses for this criterion: 1
"""
EOS_ARP = """\
Address         Age (sec)  Hardware Addr   Interface
192.168.1.1       1:47:59  5000.00d5.5dc0  Vlan10, Ethernet1
192.168.1.254           -  5000.00af.d3f6  Vlan10, Vxlan1
20.103.206.103    0:00:07  0011.0100.0001  Ethernet49/1

leaf-01#show version
System MAC address: 5001.0056.2a6e
"""
# NVIDIA, Cumulus Linux: Ethernet Bridging - VLANs
BRIDGE = """\
00:02:00:00:00:13 dev swp3 master bridge permanent
00:02:00:00:00:01 dev swp3 vlan 100 master bridge
00:02:00:00:00:02 dev swp4 vlan 100 master bridge offload
00:02:00:00:00:06 dev vni100 vlan 100 extern_learn master bridge
00:00:00:00:00:00 dev vni100 dst 10.0.0.3 self permanent
"""
# Juniper, CLI reference: show ethernet-switching table
JUNOS = """\
MAC flags (S - static MAC, D - dynamic MAC, L - locally learned, P - Persistent static
           SE - statistics enabled, NM - non configured MAC, R - remote PE MAC, O - ovsdb MAC)

Ethernet switching table : 4 entries, 4 learned
Routing instance : default-switch
   Vlan                MAC                 MAC      Logical                Active
   name                address             flags    interface              source
   v100                02:e8:f6:db:57:48   D        vtep.32769             10.6.11.7
   v100                52:54:00:5b:50:a5   DLR      ae0.0
   v100                52:54:00:59:de:06   D        et-0/0/4.0
   v100                52:54:00:59:de:07   S        et-0/0/5.0

Ethernet switching table : 1 entries, 1 learned
Routing instance : default-switch
    Vlan                MAC                 MAC         Age    Logical                NH        RTR
    name                address             flags              interface              Index     ID
    v200                02:05:86:71:5c:00   D             -   et-0/0/6.0             0         0
"""
OLDER_JUNOS = """\
Ethernet-switching table: 2 entries, 1 learned
  VLAN              MAC address       Type         Age Interfaces
  default           *                 Flood          - All-members
  default           00:50:79:66:68:00 Learn          0 ge-0/0/0.0
"""
TEXTS = {
    "SONiC": (SONIC, [("7c:fe:90:80:9f:05", "Ethernet20"), ("7c:fe:90:80:9f:11", "VxLAN DIP: 10.0.0.9")]),
    "SONiC arp": (SONIC_ARP, [("7c:fe:90:80:9f:05", "Ethernet20"), ("52:54:00:2c:58:2b", "Ethernet112")]),
    "EOS": (EOS, [("00:50:79:66:68:29", "Et4/1"), ("00:50:79:66:68:2b", "Vx1")]),
    "EOS arp": (EOS_ARP, [("50:00:00:d5:5d:c0", "Ethernet1"), ("00:11:01:00:00:01", "Ethernet49/1")]),
    "bridge": (BRIDGE, [("00:02:00:00:00:01", "swp3"), ("00:02:00:00:00:02", "swp4")]),
    "Junos": (
        JUNOS,
        [
            *[("02:e8:f6:db:57:48", "vtep.32769"), ("52:54:00:59:de:06", "et-0/0/4.0")],
            ("02:05:86:71:5c:00", "et-0/0/6.0"),
        ],
    ),
    "older Junos": (OLDER_JUNOS, [("00:50:79:66:68:00", "ge-0/0/0.0")]),
}


def _junos(mac: str, port: str, flags: str) -> dict[str, Any]:
    values = {"address": mac, "logical-interface": port, "flags": flags}
    return {f"l2ng-l2-mac-{key}": [{"data": text}] for key, text in values.items()}


EOS_JSON: Any = [
    {"hostname": "leaf-01"},
    {
        "unicastTable": {
            "tableEntries": [
                {"macAddress": "00:1c:73:00:00:01", "interface": "Ethernet1", "vlanId": 100, "entryType": "dynamic"},
                {"macAddress": "00:1c:73:00:00:02", "interface": "Cpu", "vlanId": 100, "entryType": "static"},
            ]
        }
    },
    {"vrfs": {"default": {"ipV4Neighbors": [{"hwAddress": "001c.7300.0003", "interface": "Vlan10, Ethernet3"}]}}},
]
# NVIDIA's NVUE reference, `nv show bridge domain <domain-id> mac-table`
NVUE_JSON: Any = {
    "1": {"age": 21, "bridge-domain": "br_default", "interface": "swp30s0", "mac": "48:b0:2d:6c:8d:6f", "vlan": 121},
    "10": {"entry-type": "static", "interface": "bond5", "mac": "48:b0:2d:38:15:db", "vlan": 122},
    "11": {"entry-type": "permanent", "interface": "swp1", "mac": "33:33:00:00:00:01"},
}
JUNOS_JSON: Any = {
    "l2ng-l2ald-rtb-macdb": [
        {
            "l2ng-l2ald-mac-entry-vlan": [
                {
                    "l2ng-l2-vlan-id": [{"data": "100"}],
                    "l2ng-mac-entry": [
                        _junos("52:54:00:59:de:06", "et-0/0/4.0", "D"),
                        _junos("52:54:00:59:de:07", "et-0/0/5.0", "S"),
                        _junos("*", "All-members", ""),
                    ],
                }
            ]
        }
    ]
}
JSONS: dict[str, tuple[Any, list[tuple[str, str]]]] = {
    "EOS": (EOS_JSON, [("00:1c:73:00:00:01", "Ethernet1"), ("00:1c:73:00:00:03", "Ethernet3")]),
    "NVUE": (NVUE_JSON, [("48:b0:2d:6c:8d:6f", "swp30s0")]),
    "Junos": (JUNOS_JSON, [("52:54:00:59:de:06", "et-0/0/4.0")]),
}


def _tables(folder: Path, text: str) -> list[MacTable]:
    file = folder / "leaf-01.txt"
    file.write_text(text, encoding="utf-8")
    read = read_all([str(file)], jobs=1, optics=False)
    assert rows(read.sightings) == []
    return read.tables


@pytest.mark.parametrize("name", TEXTS)
def test_rows_that_were_learnt_are_read_of_text(tmp_path: Path, name: str) -> None:
    text, expected = TEXTS[name]
    (table,) = _tables(tmp_path, text)
    assert (list(table.rows), table.box.name, table.of_host) == (expected, "", False)
    assert table.box.file.endswith("leaf-01.txt")


@pytest.mark.parametrize("name", JSONS)
def test_rows_that_were_learnt_are_read_of_json(tmp_path: Path, name: str) -> None:
    value, expected = JSONS[name]
    (table,) = _tables(tmp_path, json.dumps(value))
    assert list(table.rows) == expected
    assert (table.box == Box("leaf-01")) == (name == "EOS")


def test_a_file_may_have_tables_of_several_kinds(tmp_path: Path) -> None:
    neighbors = "LocalPort  RemoteDevice  RemotePortID\n---------  ------------  ------------\nEthernet0  n001  eth0\n"
    file = tmp_path / "leaf-01.txt"
    file.write_text(f"{neighbors}Total entries displayed:  1\n{SONIC}{SONIC_ARP}", encoding="utf-8")
    read = read_all([str(file)], jobs=1, optics=False)
    assert (len(read.sightings), [len(table.rows) for table in read.tables]) == (1, [2, 2])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (SONIC.replace("entries 3", "entries 4"), ["7:1: 3 rows stand above, not 4"]),
        (
            SONIC.replace("Total number of entries 3\n", ""),
            ["6:1: the table ends before the line that counts its rows"],
        ),
        (
            SONIC.replace("Ethernet20           Dynamic", "Ethernet20"),
            [
                "4:1: the row is none of this table: '1    1000  7C:FE:90:80:9F:05  Ethernet20'",
                "7:1: 2 rows stand above, not 3",
            ],
        ),
        (
            JUNOS.replace("D        et", "        et"),
            ["10:1: the row is none of this table: 'v100                52:54:00:59:de:06   '"],
        ),
        (json.dumps(NVUE_JSON).replace("48:b0:2d:6c:8d:6f", "here"), ["1:81: 'here' is no MAC"]),
    ],
)
def test_what_is_damaged_is_told_with_its_place(tmp_path: Path, text: str, told: list[str]) -> None:
    assert faults(tmp_path, text) == told
