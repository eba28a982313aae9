"""NVUE and OpenConfig LLDP as JSON.

Fields of NVUE: `nv show interface <interface> lldp neighbor <neighbor>` in NVIDIA's reference,
https://docs.nvidia.com/networking-ethernet-software/nvue-reference/Show-Commands/LLDP/; its JSON has the same names as
keys. OpenConfig: revisions 2018-11-21 and 2026-01-14 (mgmt-addresses) of the model,
https://github.com/openconfig/public/blob/master/release/models/lldp/openconfig-lldp.yang, and RFC 7951 for names.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabricgen.verify.dumps.sighting import DOWN, SEEN, SILENT, Box
from tests.verify.dumps.reading import faults, read, rows

SPINE = Box("spine-01", "02:00:00:00:00:0a", "10.0.0.9")


def test_nvue(tmp_path: Path) -> None:
    chassis = {
        "chassis-id": "02:00:00:00:00:0a",
        "management-address-ipv4": "10.0.0.9",
        "management-address-ipv6": "fe80::1",
        "system-name": "spine-01",
    }
    port = {"description": "to leaf-01", "name": "swp7", "ttl": 120, "type": "ifname"}
    dump = {
        "swp1": {"lldp": {"neighbor": {"spine-01": {"age": "80", "chassis": chassis, "port": port}}}, "type": "swp"},
        "swp2": {"lldp": {"neighbor": {"n001": {"port": {"name": "eth0"}}}}},
        "swp3": {"lldp": {"neighbor": {}}, "link": {"oper-status": "down"}},
        "swp4": {"lldp": {"neighbor": {}}, "link": {"oper-status": "up"}},
        "vlan10": {"type": "svi"},
    }
    assert rows(read(tmp_path, dump)) == [
        ("leaf-01.txt", "swp1", SPINE, "swp7", "to leaf-01", SEEN),
        ("leaf-01.txt", "swp2", Box("n001"), "eth0", "", SEEN),
        ("leaf-01.txt", "swp3", None, "", "", DOWN),
        ("leaf-01.txt", "swp4", None, "", "", SILENT),
    ]
    assert faults(tmp_path, '{"swp1": {"lldp": {"neighbor": {"1": {}, "x": []}}}}') == [
        "1:38: the neighbour of swp1 has neither system-name nor chassis-id"
    ]


STATE = {
    "system-name": "spine-01",
    "chassis-id": "02:00:00:00:00:0A",
    "chassis-id-type": "MAC_ADDRESS",
    "port-id": "Ethernet4",
    "port-id-type": "INTERFACE_NAME",
    "port-description": "to leaf-01",
}


def interfaces(neighbor: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"name": "Ethernet0", "neighbors": {"neighbor": [{"id": "1", **neighbor}]}},
        {"name": "Ethernet8", "config": {"enabled": True}},
    ]


@pytest.mark.parametrize(
    "neighbor",
    [
        {"state": STATE | {"management-address": "10.0.0.9", "management-address-type": "IPv4"}},
        {"state": STATE, "mgmt-addresses": {"mgmt-address": [{"address": "fe80::1"}, {"address": "10.0.0.9"}]}},
    ],
    ids=["2018-11-21", "2026-01-14"],
)
def test_openconfig(tmp_path: Path, neighbor: dict[str, Any]) -> None:
    listed = interfaces(neighbor)
    seen = [
        ("leaf-01.txt", "Ethernet0", SPINE, "Ethernet4", "to leaf-01", SEEN),
        ("leaf-01.txt", "Ethernet8", None, "", "", SILENT),
    ]
    for dump in (
        {"openconfig-lldp:lldp": {"interfaces": {"interface": listed}}},
        {"lldp": {"interfaces": {"interface": listed}}},
        {"openconfig-lldp:interfaces": {"interface": listed}},
        {"openconfig-lldp:interface": listed},
    ):
        assert rows(read(tmp_path, dump)) == seen
    own = {"state": {"system-name": "leaf-01", "chassis-id": "02:00:00:00:00:01"}, "interfaces": {}}
    assert read(tmp_path, {"openconfig-lldp:lldp": own}).boxes == (Box("leaf-01", "02:00:00:00:00:01"),)


@pytest.mark.parametrize("container", ["lldp", "openconfig-lldp:lldp", "lldp/interfaces"])
def test_openconfig_in_an_answer_of_gnmi(tmp_path: Path, container: str) -> None:
    """As `gnmic get` prints it, and pygnmi: https://gnmic.openconfig.net/cmd/get/ and https://github.com/akarneliuk/pygnmi"""
    listed = interfaces({"state": STATE})
    inner = {"openconfig-lldp:interface": listed} if "/" in container else {"interfaces": {"interface": listed}}
    gnmic = {"source": "10.16.0.2:57400", "timestamp": 1, "updates": [{"Path": "x", "values": {container: inner}}]}
    seen = read(tmp_path, [gnmic])
    assert (len(seen), seen.boxes[seen.owner[0]]) == (2, Box(address="10.16.0.2"))
    value = inner if "/" in container else {container: inner}
    pygnmi = {"notification": [{"timestamp": 1, "update": [{"path": "x", "val": value}]}]}
    assert [row[0] for row in rows(read(tmp_path, pygnmi))] == ["leaf-01.txt"] * 2


def test_openconfig_with_wrong_values(tmp_path: Path) -> None:
    text = '{"openconfig-lldp:interface": [{}, {"name": "e1", "neighbors": {"neighbor": {}}}, "x"]}'
    assert faults(tmp_path, text) == [
        "1:32: the interface has no name",
        "1:77: 'neighbor' is an object, not a list",
        "1:83: an item is 'x', not an object",
    ]
