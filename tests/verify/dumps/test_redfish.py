"""Resources of Redfish, by DMTF's schemas (DSP8010), saved one by one, in collections, or by their URI."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fabricgen.verify.dumps.sighting import DOWN, SEEN, Box
from fabricgen.verify.reading import read_all
from tests.verify.dumps.reading import faults, rows

ADAPTER = "/redfish/v1/Chassis/1/NetworkAdapters/NIC1"
PORT: Any = {
    "@odata.type": "#Port.v1_11_0.Port",
    "@odata.id": f"{ADAPTER}/Ports/1",
    "Id": "1",
    "LinkStatus": "LinkUp",
    "Ethernet": {
        "AssociatedMACAddresses": ["9C:DC:71:C3:BB:0A"],
        "LLDPReceive": {"ChassisId": "00:11:22:33:44:55", "PortId": "Ethernet4", "ManagementAddressIPv4": "10.0.0.1"},
    },
}
DOWN_PORT: Any = {
    "@odata.id": f"{ADAPTER}/NetworkPorts/2",
    "LinkStatus": "Down",
    "AssociatedNetworkAddresses": ["9c:dc:71:c3:bb:0b"],
}
FUNCTION: Any = {
    "@odata.id": f"{ADAPTER}/NetworkDeviceFunctions/f2",
    "Ethernet": {"MACAddress": "0a:dc:71:c3:bb:0c", "PermanentMACAddress": "9c:dc:71:c3:bb:0c"},
    "Links": {"PhysicalNetworkPortAssignment": {"@odata.id": f"{ADAPTER}/Ports/3"}},
}
OLDER_FUNCTION: Any = {
    "@odata.id": f"{ADAPTER}/NetworkDeviceFunctions/f3",
    "Ethernet": {"PermanentMACAddress": "9c:dc:71:c3:bb:0d"},
    "PhysicalPortAssignment": {"@odata.id": f"{ADAPTER}/NetworkPorts/4"},
}
SYSTEM: Any = {"@odata.id": "/redfish/v1/Systems/1", "HostName": "n001"}
MEMBERS = [PORT, DOWN_PORT, FUNCTION, OLDER_FUNCTION, SYSTEM]
MACS = (
    *(("9c:dc:71:c3:bb:0a", "NIC1/1"), ("9c:dc:71:c3:bb:0b", "NIC1/2"), ("9c:dc:71:c3:bb:0c", "NIC1/3")),
    *(("0a:dc:71:c3:bb:0c", "NIC1/3"), ("9c:dc:71:c3:bb:0d", "NIC1/4")),
)
FORMS: dict[str, Any] = {
    "a list": MEMBERS,
    "a collection": {"@odata.id": f"{ADAPTER}/Ports", "Members": MEMBERS},
    "by URI": {member["@odata.id"]: member for member in MEMBERS},
}


@pytest.mark.parametrize("form", FORMS)
def test_ports_are_told_by_adapter_and_number(tmp_path: Path, form: str) -> None:
    file = tmp_path / "n001.json"
    file.write_text(json.dumps(FORMS[form]), encoding="utf-8")
    read = read_all([str(file)], jobs=1, optics=False)
    leaf = Box("", "00:11:22:33:44:55", "10.0.0.1")
    assert rows(read.sightings) == [
        ("n001", "NIC1/1", leaf, "Ethernet4", "", SEEN),
        ("n001", "NIC1/2", None, "", "", DOWN),
    ]
    assert read.sightings.lists_all == frozenset()
    ((box, macs, own),) = read.tables
    assert (box, macs, own) == (Box("n001"), MACS, True)


def test_one_resource_is_of_the_host_whose_folder_it_is_in(tmp_path: Path) -> None:
    file = tmp_path / "n001/redfish/v1/Chassis/1/NetworkAdapters/NIC1/Ports/1/index.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(PORT), encoding="utf-8")
    (table,) = read_all([str(tmp_path)], jobs=1, optics=False).tables
    assert (table.rows, table.box.file) == (MACS[:1], str(file))


def test_a_collection_of_references_alone_is_no_dump(tmp_path: Path) -> None:
    references = {"@odata.id": f"{ADAPTER}/Ports", "Members": [{"@odata.id": PORT["@odata.id"]}]}
    assert faults(tmp_path, references) == [f"1:1: '{tmp_path}/leaf-01.txt' is none of the dumps that are read"]


def test_what_is_damaged_is_told_with_its_place(tmp_path: Path) -> None:
    wrong = json.loads(json.dumps(MEMBERS))
    wrong[0]["Ethernet"]["AssociatedMACAddresses"] = "9c:dc:71:c3:bb:0a"
    assert faults(tmp_path, wrong) == ["1:181: 'AssociatedMACAddresses' is '9c:dc:71:c3:bb:0a', not a list"]
