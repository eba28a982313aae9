"""`show lldp neighbors [detail] | json` of EOS.

The brief shape as sonic-mgmt's class for Arista hosts shows it,
https://github.com/sonic-net/sonic-mgmt/blob/master/tests/common/devices/eos.py; the detailed one with its quoted
`interfaceId` and later `interfaceId_v2` as in the tests of ANTA,
https://github.com/aristanetworks/anta/blob/main/tests/units/anta_tests/test_connectivity.py; the wrapping is eAPI's.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabricgen.verify.dumps.sighting import SEEN, SILENT, Box
from tests.verify.dumps.reading import faults, read, rows

BRIEF = {
    "tablesLastChangeTime": 1652231658.94,
    "tablesAgeOuts": 2,
    "lldpNeighbors": [
        {"port": "Ethernet1/1", "neighborDevice": "spine-01.dc1", "neighborPort": "Ethernet4/1", "ttl": 120},
        {"port": "Ethernet2/1", "neighborDevice": "0200.0000.000b", "neighborPort": "0200.0000.000b", "ttl": 120},
    ],
}
ROWS = [
    ("leaf-01.txt", "Ethernet1/1", Box("spine-01.dc1"), "Ethernet4/1", "", SEEN),
    ("leaf-01.txt", "Ethernet2/1", Box("", "02:00:00:00:00:0b"), "0200.0000.000b", "", SEEN),
]


@pytest.mark.parametrize(
    "dump", [BRIEF, [BRIEF], {"jsonrpc": "2.0", "id": "1", "result": [{}, BRIEF]}], ids=["alone", "a list", "eAPI"]
)
def test_brief_tables(tmp_path: Path, dump: Any) -> None:
    assert rows(read(tmp_path, dump)) == ROWS


def test_other_answers_tell_the_device(tmp_path: Path) -> None:
    answers = [{"hostname": "leaf-01", "fqdn": "leaf-01.dc1"}, {"systemMacAddress": "02:00:00:00:00:01"}, BRIEF]
    seen = read(tmp_path, {"jsonrpc": "2.0", "result": answers})
    assert seen.boxes[0] == Box("leaf-01", "02:00:00:00:00:01")


def detailed(**port: str) -> dict[str, Any]:
    return {
        "chassisIdType": "macAddress",
        "chassisId": "0200.0000.000a",
        "systemName": "spine-01",
        "managementAddresses": [{"addressType": "ipv4", "address": "10.0.0.9"}],
        "neighborInterfaceInfo": {"interfaceIdType": "interfaceName", **port},
    }


def test_detailed_tables_of_several_releases(tmp_path: Path) -> None:
    spine = Box("spine-01", "02:00:00:00:00:0a", "10.0.0.9")
    later = detailed(interfaceId='"Ethernet4/1"', interfaceId_v2="Ethernet4/1", interfaceDescription="to leaf-01")
    table = {
        "Ethernet1/1": {"lldpNeighborInfo": [later]},
        "Ethernet2/1": {"lldpNeighborInfo": [detailed(interfaceId='"Ethernet5/1"')]},
        "Ethernet3/1": {"lldpNeighborInfo": []},
        "Management1": {"lldpNeighborInfo": [later, {"chassisId": "0200.0000.000c"}]},
    }
    assert rows(read(tmp_path, {"lldpNeighbors": table})) == [
        ("leaf-01.txt", "Ethernet1/1", spine, "Ethernet4/1", "to leaf-01", SEEN),
        ("leaf-01.txt", "Ethernet2/1", spine, "Ethernet5/1", "", SEEN),
        ("leaf-01.txt", "Ethernet3/1", None, "", "", SILENT),
        ("leaf-01.txt", "Management1", spine, "Ethernet4/1", "to leaf-01", SEEN),
        ("leaf-01.txt", "Management1", Box("", "02:00:00:00:00:0c"), "", "", SEEN),
    ]


def test_wrong_values_are_told_where_they_stand(tmp_path: Path) -> None:
    text = '[{}, {"lldpNeighbors": [{"port": "Ethernet1"}, 4, {"port": null, "neighborDevice": "x"}]}]'
    assert faults(tmp_path, text) == [
        "1:25: the row has no neighborDevice",
        "1:48: an item is '4', not an object",
        "1:51: the row has no port",
    ]
    assert faults(tmp_path, {"lldpNeighbors": {"Ethernet1": {"lldpNeighborInfo": [{"systemName": ""}]}}}) == [
        "1:55: the neighbour of Ethernet1 has neither systemName nor chassisId"
    ]
